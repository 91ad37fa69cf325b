// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.data.document.Document;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.store.embedding.CosineSimilarity;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.ScoreKind;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the framework gets is what the model gives. */
class LangChain4jTest {
  private static final Path MODELS = Paths.get(System.getProperty("lookupffn.made.models"));
  private static final RunOptions PLAIN = RunOptions.defaults().withoutPrompt();
  private static final String LONG = ("word ".repeat(500)).trim();

  private Model model;

  @BeforeEach
  void load() {
    model = Model.load(MODELS.resolve("prompts"));
  }

  @AfterEach
  void close() {
    model.close();
  }

  @Test
  void batchesWithUsage() {
    EmbeddingModel embedder = LookupFfnEmbeddingModel.builder(model).maxBatch(4).build();
    List<TextSegment> segments = new ArrayList<>();
    int tokens = 0;
    for (int i = 0; i < 10; i++) {
      segments.add(Document.from("text number " + i).toTextSegment());
      tokens += model.tokenize("passage: text number " + i).length;
    }
    Response<List<Embedding>> response = embedder.embedAll(segments);
    assertEquals(10, response.content().size());
    for (int i = 0; i < 10; i++) {
      assertArrayEquals(model.embed("passage: text number " + i, PLAIN), response.content().get(i).vector());
    }
    assertEquals(tokens, response.tokenUsage().inputTokenCount());
    assertEquals(tokens, response.tokenUsage().totalTokenCount());
    assertEquals(model.info().embeddingSize(), embedder.dimension());
    assertEquals(0, embedder.embedAll(List.of()).content().size());
    assertArrayEquals(response.content().get(3).vector(), embedder.embed("text number 3").content().vector());
    assertArrayEquals(response.content().get(3).vector(), embedder.embed(segments.get(3)).content().vector());
    assertEquals(1, CosineSimilarity.between(response.content().get(3), embedder.embed("text number 3").content()), 1e-6);
  }

  /** The quick start of docs/java.md. */
  private static String quickStart(Path folder) {
    try (Model model = Model.load(folder)) {
      LookupFfnEmbeddingModel documents = LookupFfnEmbeddingModel.builder(model).queryPrompt("query: ").build();
      EmbeddingModel queries = documents.forQueries();
      Response<List<Embedding>> vectors = documents.embedAll(List.of(TextSegment.from("A sentence.")));
      Embedding query = queries.embed("Which sentence?").content();
      double similarity = CosineSimilarity.between(query, vectors.content().get(0));
      return similarity + " with " + vectors.tokenUsage().inputTokenCount() + " tokens read";
    }
  }

  @Test
  void theQuickStartRuns() {
    assertTrue(quickStart(MODELS.resolve("prompts")).matches("-?[01][.]\\d+ with \\d+ tokens read"));
  }

  @Test
  void queriesAndDocuments() {
    LookupFfnEmbeddingModel documents = LookupFfnEmbeddingModel.builder(model).build();
    assertArrayEquals(model.embed("query: how?", PLAIN), documents.forQueries().embed("how?").content().vector());
    LookupFfnEmbeddingModel own =
        LookupFfnEmbeddingModel.builder(model).queryPrompt("ask: ").documentPrompt("").build();
    assertArrayEquals(model.embed("ask: how?", PLAIN), own.forQueries().embed("how?").content().vector());
    assertArrayEquals(model.embed("how?", PLAIN), own.embed("how?").content().vector());
  }

  @Test
  void textsThatAreTooLong() {
    EmbeddingModel cutting = LookupFfnEmbeddingModel.builder(model).build();
    List<TextSegment> segments = List.of(TextSegment.from("short"), TextSegment.from(LONG));
    assertEquals(List.of(1), cutting.embedAll(segments).metadata().get("truncated"));
    assertEquals(List.of(0), cutting.embed(LONG).metadata().get("truncated"));
    assertTrue(cutting.embed("short").metadata().isEmpty());
    for (boolean batching : new boolean[] {false, true}) {
      try (LookupFfnEmbeddingModel strict =
          LookupFfnEmbeddingModel.builder(model).refuseLongTexts(true).batching(batching).build()) {
        assertThrows(IllegalArgumentException.class, () -> strict.embedAll(segments));
        assertThrows(IllegalArgumentException.class, () -> strict.embed(LONG));
        // Longer than the model means to read, and yet not longer than it can: too long means what it means to the model.
        String between = "a ".repeat(model.info().ownMaxTokens());
        assertTrue(model.tokenize(between).length <= model.info().maxTokens());
        assertArrayEquals(
            model.embed("passage: " + between, PLAIN.withoutCutting()), strict.embed(between).content().vector());
        assertEquals(model.info().embeddingSize(), strict.embed("short").content().dimension());
      }
    }
  }

  @Test
  void concurrentSingleTexts() {
    try (LookupFfnEmbeddingModel embedder = LookupFfnEmbeddingModel.builder(model).batching(true).build()) {
      List<CompletableFuture<Response<Embedding>>> futures = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String text = "text number " + i;
        futures.add(CompletableFuture.supplyAsync(() -> embedder.embed(text)));
      }
      for (int i = 0; i < 100; i++) {
        String text = "passage: text number " + i;
        Response<Embedding> answer = futures.get(i).join();
        assertArrayEquals(model.embed(text, PLAIN), answer.content().vector());
        assertEquals(model.tokenize(text).length, answer.tokenUsage().inputTokenCount());
      }
      assertEquals(List.of(0), embedder.embed(TextSegment.from(LONG)).metadata().get("truncated"));
    }
  }

  @Test
  void counting() {
    LookupFfnTokenCountEstimator estimator = new LookupFfnTokenCountEstimator(model);
    int three = model.tokenize("three small words", false).size();
    assertEquals(three, estimator.estimateTokenCountInText("three small words"));
    assertEquals(0, estimator.estimateTokenCountInText(""));
    assertEquals(
        3 * three,
        estimator.estimateTokenCountInMessages(List.of(
            SystemMessage.from("three small words"),
            UserMessage.from("three small words"),
            AiMessage.from("three small words"))));
    UserMessage picture = UserMessage.from(ImageContent.from("file:///a.png"));
    assertThrows(IllegalArgumentException.class, () -> estimator.estimateTokenCountInMessage(picture));
  }

  @Test
  void scoring() {
    assertThrows(IllegalArgumentException.class, () -> new LookupFfnScoringModel(model));
    try (Model reranker = Model.load(MODELS.resolve("reranker"))) {
      List<TextSegment> segments = new ArrayList<>();
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < 70; i++) {
        texts.add(i == 66 ? LONG : "text number " + i);
        segments.add(TextSegment.from(texts.get(i)));
      }
      float[] expected = reranker.rerank("which?", texts);
      Response<List<Double>> scores =
          new LookupFfnScoringModel(reranker, ScoreKind.RAW).scoreAll(segments, "which?");
      Response<List<Double>> likely = new LookupFfnScoringModel(reranker).scoreAll(segments, "which?");
      for (int i = 0; i < 70; i++) {
        assertEquals(expected[i], scores.content().get(i).floatValue());
        assertEquals(1 / (1 + Math.exp(-expected[i])), likely.content().get(i), 1e-6);
      }
      assertEquals(List.of(66), scores.metadata().get("truncated"));
      assertTrue(scores.tokenUsage().inputTokenCount() > 70);
      assertEquals(likely.content().get(5), new LookupFfnScoringModel(reranker).score("text number 5", "which?").content());
    }
  }

  @Test
  void anInterruptEndsTheCall() throws Exception {
    EmbeddingModel embedder = LookupFfnEmbeddingModel.builder(model).build();
    List<TextSegment> endless = Collections.nCopies(20_000_000, TextSegment.from("a text"));
    AtomicBoolean ended = new AtomicBoolean();
    Thread caller = new Thread(() -> {
      try {
        embedder.embedAll(endless);
      } catch (CancellationException expected) {
        ended.set(Thread.currentThread().isInterrupted());
      }
    });
    caller.start();
    Thread.sleep(300);
    assertTrue(caller.isAlive());
    caller.interrupt();
    caller.join(30_000);
    assertTrue(ended.get());
  }

  @Test
  void textsAreCheckedAlikeWithBatching() {
    try (LookupFfnEmbeddingModel batching = LookupFfnEmbeddingModel.builder(model).batching(true).build()) {
      EmbeddingModel alone = LookupFfnEmbeddingModel.builder(model).build();
      for (String bad : new String[] {null, "", "half \ud800 a pair"}) {
        RuntimeException expected = assertThrows(RuntimeException.class, () -> alone.embed(bad));
        RuntimeException actual = assertThrows(RuntimeException.class, () -> batching.embed(bad));
        assertEquals(expected.getClass(), actual.getClass());
        assertEquals(expected.getMessage(), actual.getMessage());
      }
    }
  }

  @Test
  void closingAViewClosesNothing() {
    LookupFfnEmbeddingModel documents = LookupFfnEmbeddingModel.builder(model).batching(true).build();
    documents.forQueries().close();
    assertArrayEquals(model.embed("passage: a", PLAIN), documents.embed("a").content().vector());
    documents.close();
    assertThrows(IllegalStateException.class, () -> documents.embed("a"));
  }

  /** Whatever else fills the common pool. */
  @Test
  void blockingCallsWaitForNoPool() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    List<CompletableFuture<Void>> blocked = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      blocked.add(CompletableFuture.runAsync(() -> {
        try {
          ended.await();
        } catch (InterruptedException nobodyDoes) {
          Thread.currentThread().interrupt();
        }
      }));
    }
    try (Model reranker = Model.load(MODELS.resolve("reranker"))) {
      for (boolean refuses : new boolean[] {false, true}) {
        for (boolean batching : new boolean[] {false, true}) {
          try (LookupFfnEmbeddingModel embedder =
              LookupFfnEmbeddingModel.builder(model).refuseLongTexts(refuses).batching(batching).build()) {
            assertTimeoutPreemptively(Duration.ofSeconds(60), () -> embedder.embed("a"));
          }
        }
      }
      assertTimeoutPreemptively(
          Duration.ofSeconds(60), () -> new LookupFfnScoringModel(reranker).score("a text", "which?"));
      assertTimeoutPreemptively(
          Duration.ofSeconds(60), () -> model.embed(Stream.of("a", "b"), 1, RunOptions.defaults()).count());
    } finally {
      ended.countDown();
      CompletableFuture.allOf(blocked.toArray(new CompletableFuture<?>[0])).get();
    }
  }
}
