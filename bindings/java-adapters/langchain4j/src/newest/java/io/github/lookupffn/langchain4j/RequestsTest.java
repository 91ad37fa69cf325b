// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.embedding.request.EmbeddingInput;
import dev.langchain4j.model.embedding.request.EmbeddingInputType;
import dev.langchain4j.model.embedding.request.EmbeddingRequest;
import dev.langchain4j.model.embedding.response.EmbeddingResponse;
import dev.langchain4j.model.scoring.request.ScoringRequest;
import dev.langchain4j.model.scoring.response.ScoringResponse;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What requests ask for is what they get. */
class RequestsTest {
  private static final Path MODELS = Paths.get(System.getProperty("lookupffn.made.models"));
  private static final RunOptions PLAIN = RunOptions.defaults().withoutPrompt();
  private static final String LONG = "word ".repeat(500).trim();

  private static EmbeddingRequest request(EmbeddingInputType type, Integer dimensions, String name, String... texts) {
    return EmbeddingRequest.builder()
        .inputs(Arrays.stream(texts).map(EmbeddingInput::from).toList())
        .inputType(type)
        .dimensions(dimensions)
        .modelName(name)
        .build();
  }

  @Test
  void bothPromptsWithOneModel() {
    try (Model model = Model.load(MODELS.resolve("prompts"))) {
      LookupFfnEmbeddingModel both = LookupFfnEmbeddingModel.builder(model).modelName("mine").build();
      float[] query = model.embed("query: how?", PLAIN);
      float[] document = model.embed("passage: how?", PLAIN);
      for (EmbeddingModel view : List.of(both, both.forQueries())) {
        assertArrayEquals(query, vector(view, request(EmbeddingInputType.QUERY, null, null, "how?")));
        assertArrayEquals(document, vector(view, request(EmbeddingInputType.DOCUMENT, null, "mine", "how?")));
      }
      assertArrayEquals(document, vector(both, request(null, null, null, "how?")));
      assertArrayEquals(query, vector(both.forQueries(), request(null, null, null, "how?")));
      assertArrayEquals(
          model.embed("query: how?", PLAIN.withDimensions(4)),
          vector(both, request(EmbeddingInputType.QUERY, 4, null, "how?")));
      assertThrows(IllegalArgumentException.class, () -> both.embed(request(null, null, "other", "how?")));
      assertThrows(IllegalArgumentException.class, () -> both.embed(request(null, 1 << 20, null, "how?")));
      assertEquals("mine", both.modelName());
    }
  }

  private static float[] vector(EmbeddingModel model, EmbeddingRequest request) {
    float[] later = model.embedAsync(request).join().embeddings().get(0).vector();
    float[] now = model.embed(request).embeddings().get(0).vector();
    assertArrayEquals(now, later);
    return now;
  }

  @Test
  void longTextsAreTold() {
    try (Model model = Model.load(MODELS.resolve("prompts"))) {
      EmbeddingModel embedder = LookupFfnEmbeddingModel.builder(model).build();
      EmbeddingResponse response = embedder.embed(request(null, null, null, "short", LONG));
      assertEquals(List.of(1), ((LookupFfnEmbeddingMetadata) response.metadata()).truncated());
      assertEquals(model.family(), response.modelName());
      assertTrue(response.tokenUsage().inputTokenCount() > 2);
      EmbeddingModel strict = LookupFfnEmbeddingModel.builder(model).refuseLongTexts(true).build();
      String huge = "word ".repeat(2_000_000);
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> strict.embed(request(null, null, null, "short", huge)));
      assertTrue(refused.getMessage().startsWith("text 1 has "), refused.getMessage());
      List<TextSegment> missing = Arrays.asList(TextSegment.from("a"), null);
      assertEquals(
          "segments[1] is null",
          assertThrows(NullPointerException.class, () -> embedder.embedAll(missing)).getMessage());
    }
  }

  @Test
  void scoresLater() {
    try (Model reranker = Model.load(MODELS.resolve("reranker"))) {
      LookupFfnScoringModel scoring = new LookupFfnScoringModel(reranker);
      ScoringRequest request = ScoringRequest.builder().query("which?").documents(List.of("one", "two")).build();
      ScoringResponse response = scoring.scoreAsync(request).join();
      assertEquals(
          scoring.scoreAll(List.of(TextSegment.from("one"), TextSegment.from("two")), "which?").content(),
          response.scores());
      assertTrue(response.tokenUsage().inputTokenCount() > 2);
    }
  }
}
