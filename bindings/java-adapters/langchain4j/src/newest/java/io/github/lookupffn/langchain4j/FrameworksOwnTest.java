// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.embedding.common.AbstractEmbeddingModelIT;
import dev.langchain4j.model.embedding.listener.EmbeddingModelListener;
import io.github.lookupffn.Model;
import java.nio.file.Paths;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** LangChain4j's own tests of an embedding model, with input types and dimensions. */
class FrameworksOwnTest extends AbstractEmbeddingModelIT {
  private static final Model MODEL = Model.load(Paths.get(System.getProperty("lookupffn.made.models"), "prompts"));
  private static final LookupFfnEmbeddingModel EMBEDDER = LookupFfnEmbeddingModel.builder(MODEL).modelName("made").build();

  @AfterAll
  static void close() {
    MODEL.close();
  }

  @Override
  protected List<EmbeddingModel> models() {
    // JUnit closes those that it was given.
    EmbeddingModel batching = LookupFfnEmbeddingModel.builder(MODEL).modelName("made").batching(true).build();
    EmbeddingModel alone = LookupFfnEmbeddingModel.builder(MODEL).modelName("made").build();
    return List.of(alone, batching, EMBEDDER.forQueries());
  }

  @Override
  protected EmbeddingModel modelWith(EmbeddingModelListener listener) {
    return EMBEDDER.addListener(listener);
  }

  @Override
  protected EmbeddingModel failingModelWith(EmbeddingModelListener listener) {
    Model closed = Model.load(Paths.get(System.getProperty("lookupffn.made.models"), "prompts"));
    EmbeddingModel failing = LookupFfnEmbeddingModel.builder(closed).build().addListener(listener);
    closed.close();
    return failing;
  }

  @Override
  protected boolean supportsInputTypeParameter() {
    return true;
  }

  @Override
  protected boolean supportsDimensionsParameter() {
    return true;
  }

  /** Not one of the network. */
  @Override
  protected ImageContent catImage() {
    return ImageContent.from("aGFyZGx5IGEgY2F0", "image/png");
  }

  @Override
  protected boolean supportsImageInput() {
    return false;
  }

  @Override
  protected boolean supportsInterleavedInput() {
    return false;
  }

  @Override
  protected boolean assertModelName() {
    return true;
  }

  @Override
  protected int dimensionsParameter() {
    return MODEL.info().embeddingSize() / 2;
  }
}
