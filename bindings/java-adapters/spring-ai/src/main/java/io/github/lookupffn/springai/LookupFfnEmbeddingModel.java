// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.springai;

import io.github.lookupffn.BatchedEmbedding;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.LookupFfn;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.TextCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.document.Document;
import org.springframework.ai.document.MetadataMode;
import org.springframework.ai.embedding.AbstractEmbeddingModel;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.embedding.EmbeddingResponseMetadata;

/**
 * A model as Spring AI's embedding model. Any number of threads may use one at once.
 *
 * <p>Texts get the prompt for documents; those of {@link #forQueries} that for queries. A text that is longer than the
 * model reads is cut, and the response's metadata have {@code truncated}, the places of such texts; with {@code
 * refuseLongTexts} the call fails instead. Options that name another model or other dimensions are refused.
 */
public final class LookupFfnEmbeddingModel extends AbstractEmbeddingModel implements AutoCloseable {
  private static final int MAX_BATCH = 64;

  private final Model model;
  private final LookupFfnEmbeddingSettings settings;
  private final RunOptions options;
  private final EmbeddingBatcher batcher;

  /**
   * Makes one whose texts are documents.
   *
   * @param model the model, which stays the caller's
   * @param settings how
   */
  public LookupFfnEmbeddingModel(Model model, LookupFfnEmbeddingSettings settings) {
    this.model = Objects.requireNonNull(model, "model");
    this.settings = settings;
    options = settings.optionsFor(model, false);
    embeddingDimensions.set(model.info().embeddingSize());
    batcher = settings.batching() ? new EmbeddingBatcher(model) : null; // last, as the others may throw
  }

  private LookupFfnEmbeddingModel(LookupFfnEmbeddingModel ofDocuments) {
    model = ofDocuments.model;
    settings = ofDocuments.settings;
    batcher = ofDocuments.batcher;
    options = settings.optionsFor(model, true);
    embeddingDimensions.set(model.info().embeddingSize());
  }

  /**
   * One over the same model whose texts are queries. It ends with this one.
   *
   * @return the embedding model for queries
   */
  public LookupFfnEmbeddingModel forQueries() {
    return new LookupFfnEmbeddingModel(this);
  }

  @Override
  public EmbeddingResponse call(EmbeddingRequest request) {
    check(request.getOptions());
    List<String> texts = request.getInstructions();
    List<Embedding> embeddings = new ArrayList<>(texts.size());
    List<Integer> truncated = new ArrayList<>();
    int tokens = 0;
    if (batcher != null && texts.size() == 1) {
      BatchedEmbedding answer = batched(texts.get(0));
      settings.checkLength(0, answer.tokens(), answer.uncutTokens());
      embeddings.add(new Embedding(answer.vector(), 0));
      tokens = answer.tokens();
      if (answer.isCut()) {
        truncated.add(0);
      }
    } else {
      for (int from = 0; from < texts.size(); from += MAX_BATCH) {
        TextCounts counts = new TextCounts();
        List<String> part = texts.subList(from, Math.min(texts.size(), from + MAX_BATCH));
        for (float[] vector : LookupFfn.await(model.embedAsync(part, options.withCounts(counts)))) {
          embeddings.add(new Embedding(vector, embeddings.size()));
        }
        for (int i = 0; i < part.size(); i++) {
          settings.checkLength(from + i, counts.tokens(i), counts.uncutTokens(i));
          if (counts.isCut(i)) {
            truncated.add(from + i);
          }
        }
        tokens += (int) counts.totalTokens();
      }
    }
    Map<String, Object> metadata = truncated.isEmpty() ? Map.of() : Map.of("truncated", truncated);
    return new EmbeddingResponse(
        embeddings,
        new EmbeddingResponseMetadata(settings.modelName(), new DefaultUsage(tokens, 0), metadata));
  }

  /** Embeds a document's text with those of its metadata that are meant for it. */
  @Override
  public float[] embed(Document document) {
    String text = document.getFormattedContent(MetadataMode.EMBED);
    return call(new EmbeddingRequest(List.of(text), null)).getResult().getOutput();
  }

  /** Ends the batches, if single texts are put into them. The model stays open. */
  @Override
  public void close() {
    if (batcher != null) {
      batcher.close();
    }
  }

  private BatchedEmbedding batched(String text) {
    return LookupFfn.await(batcher.embed(text, options));
  }

  private void check(EmbeddingOptions asked) {
    if (asked == null) {
      return;
    }
    if (asked.getModel() != null && !asked.getModel().equals(settings.modelName())) {
      throw new IllegalArgumentException("the model is " + settings.modelName() + ", not " + asked.getModel());
    }
    if (asked.getDimensions() != null && asked.getDimensions() != dimensions()) {
      throw new IllegalArgumentException(
          asked.getDimensions() + " dimensions are asked for, but the model gives " + dimensions());
    }
  }
}
