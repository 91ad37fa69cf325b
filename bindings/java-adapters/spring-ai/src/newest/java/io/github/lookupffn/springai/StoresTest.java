// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.springai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.Vectors;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.ai.document.Document;
import org.springframework.ai.vectorstore.SearchRequest;
import org.springframework.ai.vectorstore.SimpleVectorStore;

/** What Spring AI's own vector store makes of the models, and what observers are told. */
class StoresTest {
  private static final Path MODELS = Paths.get(System.getProperty("lookupffn.made.models"));
  private static final RunOptions PLAIN = RunOptions.defaults().withoutPrompt();

  @Test
  void queriesAndDocumentsHaveTheirPrompts() {
    try (Model model = Model.load(MODELS.resolve("prompts"))) {
      LookupFfnEmbeddingModel documents = new LookupFfnEmbeddingModel(model, LookupFfnEmbeddingSettings.of("made"));
      SimpleVectorStore store = SimpleVectorStore.builder(documents.forStores()).build();
      store.add(List.of(new Document("cats sleep", Map.of("author", "me"))));
      Document found =
          store.similaritySearch(SearchRequest.builder().query("cats sleep").similarityThresholdAll().build()).get(0);
      double expected =
          Vectors.cosine(model.embed("query: cats sleep", PLAIN), model.embed("passage: author: me\n\ncats sleep", PLAIN));
      assertEquals(expected, found.getScore(), 1e-6);
      assertTrue(found.getScore() < 0.9999, "the query has the document's prompt");
    }
  }

  @Test
  void callsAreObserved() {
    TestObservationRegistry registry = TestObservationRegistry.create();
    try (Model model = Model.load(MODELS.resolve("prompts"))) {
      ModelEmbedder embedder = Embedder.builder(model).build();
      new LookupFfnEmbeddingModel(embedder, "made", registry).embed("a text");
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("gen_ai.client.operation")
          .that()
          .hasLowCardinalityKeyValue("gen_ai.operation.name", "embedding")
          .hasLowCardinalityKeyValue("gen_ai.system", "lookupffn")
          .hasLowCardinalityKeyValue("gen_ai.request.model", "made")
          .hasLowCardinalityKeyValue("gen_ai.response.model", "made")
          .hasHighCardinalityKeyValue("gen_ai.request.embedding.dimensions", "" + model.info().embeddingSize())
          .hasBeenStopped();
      assertEquals(1, embedder.calls());
      assertEquals(model.tokenize("passage: a text").length, embedder.tokens());
      new LookupFfnEmbeddingModel(embedder, "made", ObservationRegistry.NOOP).embed("a text");
    }
  }
}
