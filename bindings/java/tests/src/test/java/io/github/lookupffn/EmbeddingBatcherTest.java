// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that are put together get what they get alone, and leave alone. */
class EmbeddingBatcherTest {
  private static final Duration LONG = Duration.ofHours(1);

  private Model model;

  @BeforeEach
  void load() throws Exception {
    model = Model.load(GoldenModel.all().get(0).folder);
  }

  @AfterEach
  void close() {
    model.close();
  }

  private void theSameBitsAsAlone(Duration wait) throws Exception {
    RunOptions defaults = RunOptions.defaults();
    RunOptions[] options = {defaults, defaults.withPromptText("q: "), defaults.withPooling(Pooling.MAX)};
    List<CompletableFuture<BatchedEmbedding>> futures = new ArrayList<>();
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, 8, wait)) {
      for (int i = 0; i < 200; i++) {
        futures.add(batcher.embed("text number " + i + " of many", options[i % 3]));
      }
      for (int i = 0; i < 200; i++) {
        String text = "text number " + i + " of many";
        BatchedEmbedding answer = futures.get(i).get(60, TimeUnit.SECONDS);
        Golden.assertSameBits(model.embed(text, options[i % 3]), answer.vector());
        assertEquals(model.tokenize(i % 3 == 1 ? "q: " + text : text).length, answer.tokens());
        assertFalse(answer.isCut());
      }
    }
  }

  @Test
  void theSameBitsAsAlone() throws Exception {
    theSameBitsAsAlone(Duration.ZERO);
    theSameBitsAsAlone(Duration.ofMillis(5));
  }

  @Test
  void fullBatchesDoNotWait() throws Exception {
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, 2, LONG)) {
      CompletableFuture<BatchedEmbedding> first = batcher.embed("one");
      Thread.sleep(100);
      assertFalse(first.isDone());
      batcher.embed("two").get(60, TimeUnit.SECONDS);
      first.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void requestsAreCancelledOneByOne() throws Exception {
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, 3, LONG)) {
      CompletableFuture<BatchedEmbedding> kept = batcher.embed("kept");
      assertTrue(batcher.embed("cancelled").cancel(false));
      assertFalse(kept.isDone());
      CompletableFuture<BatchedEmbedding> third = batcher.embed("third");
      assertFalse(third.isDone());
      batcher.embed("in the place of the cancelled one");
      Golden.assertSameBits(model.embed("kept"), kept.get(60, TimeUnit.SECONDS).vector());
      Golden.assertSameBits(model.embed("third"), third.get(60, TimeUnit.SECONDS).vector());
    }
  }

  /** Work that nobody waits for any more ends: the next request does not wait for it. */
  @Test
  void aBatchOfWhichAllWereCancelledEnds() throws Exception {
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model)) {
      CompletableFuture<BatchedEmbedding> endless = batcher.embed("word and <mask> ".repeat(3_000_000));
      Thread.sleep(100);
      endless.cancel(false);
      Golden.assertSameBits(model.embed("next"), batcher.embed("next").get(60, TimeUnit.SECONDS).vector());
    }
  }

  @Test
  void aTextThatCannotBeRunFailsAlone() throws Exception {
    RunOptions strict = RunOptions.defaults().withoutCutting();
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, 2, LONG)) {
      CompletableFuture<BatchedEmbedding> good = batcher.embed("good", strict);
      CompletableFuture<BatchedEmbedding> tooLong = batcher.embed("word ".repeat(1000), strict);
      CompletableFuture<BatchedEmbedding> half = batcher.embed("\ud83d", strict);
      Golden.assertSameBits(model.embed("good"), good.get(60, TimeUnit.SECONDS).vector());
      for (CompletableFuture<BatchedEmbedding> bad : List.of(tooLong, half)) {
        Throwable why = assertThrows(ExecutionException.class, () -> bad.get(60, TimeUnit.SECONDS)).getCause();
        assertTrue(why instanceof IllegalArgumentException, why.toString());
      }
    }
  }

  @Test
  void closingAnswersWhatIsThere() throws Exception {
    EmbeddingBatcher batcher = new EmbeddingBatcher(model, 100, Duration.ofMillis(50));
    List<CompletableFuture<BatchedEmbedding>> futures = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      futures.add(batcher.embed("text " + i));
    }
    batcher.close();
    batcher.close();
    futures.forEach(future -> assertTrue(future.isDone() && !future.isCompletedExceptionally()));
    assertThrows(IllegalStateException.class, () -> batcher.embed("late"));
    assertThrows(IllegalArgumentException.class, () -> new EmbeddingBatcher(model, 0, LONG));
    assertThrows(IllegalArgumentException.class, () -> new EmbeddingBatcher(model, 1, Duration.ofNanos(-1)));
    try (EmbeddingBatcher another = new EmbeddingBatcher(model)) {
      model.close();
      CompletableFuture<BatchedEmbedding> closed = another.embed("closed");
      Throwable why = assertThrows(ExecutionException.class, () -> closed.get(60, TimeUnit.SECONDS)).getCause();
      assertTrue(why instanceof IllegalStateException, why.toString());
    }
  }

  @Test
  void anAnswersStagesMayClose() throws Exception {
    EmbeddingBatcher batcher = new EmbeddingBatcher(model, 8, Duration.ofMillis(50));
    CompletableFuture<Void> closed = batcher.embed("first").thenRun(batcher::close);
    CompletableFuture<BatchedEmbedding> second = batcher.embed("second");
    closed.get(60, TimeUnit.SECONDS);
    second.get(60, TimeUnit.SECONDS);
    batcher.close();
    assertThrows(IllegalStateException.class, () -> batcher.embed("late"));
  }

  @Test
  void aFullQueueRefuses() throws Exception {
    BatchingOptions options = BatchingOptions.defaults().withMaxBatch(100).withMaxWait(LONG).withMaxQueue(3);
    EmbeddingBatcher batcher = new EmbeddingBatcher(model, options);
    List<CompletableFuture<BatchedEmbedding>> futures = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      futures.add(batcher.embed("text " + i));
    }
    assertThrows(RejectedExecutionException.class, () -> batcher.embed("one more"));
    assertEquals(3, batcher.figures().depth());
    assertTrue(futures.get(1).cancel(false));
    assertEquals(2, batcher.figures().depth());
    futures.add(batcher.embed("there is room again"));
    batcher.close();
    futures.get(3).get(60, TimeUnit.SECONDS);
    BatcherFigures figures = batcher.figures();
    assertEquals(0, figures.depth());
    assertEquals(4, figures.accepted());
    assertEquals(1, figures.refused());
    assertEquals(1, figures.withdrawn());
    assertEquals(0, figures.failed());
    assertEquals(1, figures.batches());
    assertEquals(3, figures.batched());
    assertEquals(3, figures.largestBatch());
    assertTrue(figures.longestWait().compareTo(figures.meanWait()) >= 0 && !figures.totalWait().isZero());
  }

  /** Each text gets the failure that it gets alone, and the others what they get alone. */
  @Test
  void textsAreCheckedAsWithoutABatcher() throws Exception {
    List<String> bad = List.of("\ud800", "word ".repeat(5000));
    RunOptions never = RunOptions.defaults().withoutCutting();
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, 4, Duration.ofMillis(200))) {
      CompletableFuture<BatchedEmbedding> good = batcher.embed("good", never);
      for (String text : bad) {
        CompletableFuture<BatchedEmbedding> refused = batcher.embed(text, never);
        Throwable alone = assertThrows(IllegalArgumentException.class, () -> model.embed(text, never));
        Throwable cause = assertThrows(ExecutionException.class, () -> refused.get(60, TimeUnit.SECONDS)).getCause();
        assertEquals(alone.getClass(), cause.getClass());
        assertEquals(alone.getMessage(), cause.getMessage());
      }
      Golden.assertSameBits(model.embed("good"), good.get(60, TimeUnit.SECONDS).vector());
      assertEquals(2, batcher.figures().failed());
    }
  }

  @Test
  void aForgottenBatcherEnds() throws Exception {
    long before = numThreads();
    CompletableFuture<BatchedEmbedding> answer = forget();
    assertTrue(numThreads() > before);
    for (int i = 0; i < 500 && numThreads() > before; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertEquals(before, numThreads());
    Golden.assertSameBits(model.embed("asked and forgotten"), answer.get(60, TimeUnit.SECONDS).vector());
  }

  private CompletableFuture<BatchedEmbedding> forget() {
    return new EmbeddingBatcher(model, 8, LONG).embed("asked and forgotten");
  }

  private static long numThreads() {
    return Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().equals("lookupffn-batcher")).count();
  }

  @Test
  void anInterruptEndsTheClosing() throws Exception {
    EmbeddingBatcher batcher = new EmbeddingBatcher(model);
    CompletableFuture<BatchedEmbedding> endless = batcher.embed("word and <mask> ".repeat(3_000_000));
    Thread.currentThread().interrupt();
    batcher.close();
    assertTrue(Thread.interrupted());
    assertFalse(endless.isDone());
    endless.cancel(false);
    batcher.close();
  }
}
