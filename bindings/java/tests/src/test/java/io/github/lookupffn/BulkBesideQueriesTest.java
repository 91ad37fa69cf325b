// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What queries wait for beside calls of many texts, counted in batches: the rules of docs/batching.md as threads keep them. */
class BulkBesideQueriesTest {
  private static final RunOptions DEFAULTS = RunOptions.defaults();
  private static final int BOUND = 256;
  private static final BatchingOptions BATCHING = BatchingOptions.defaults().withMaxBatchTokens(BOUND);
  private static final String DOCUMENT = "some words of a document that is long enough to take a while ".repeat(3).trim();

  private Model model;

  @BeforeEach
  void load() throws Exception {
    model = Model.load(GoldenModel.all().get(0).folder);
  }

  @AfterEach
  void close() {
    model.close();
  }

  private static CompletableFuture<List<BatchedEmbedding>> bulk(EmbeddingBatcher batcher, int texts) {
    return batcher.embedWhenRoom(Collections.nCopies(texts, DOCUMENT), DEFAULTS);
  }

  private static BatcherQueue.Call query(EmbeddingBatcher batcher, int number) {
    return batcher.ask(List.of("query number " + number), DEFAULTS, true, false);
  }

  @Test
  void aQueryWaitsForTheRunningBatchAndItsOwn() throws Exception {
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, BATCHING.withMaxQueue(1))) {
      CompletableFuture<List<BatchedEmbedding>> bulk = bulk(batcher, 200_000);
      int queries = 300;
      int later = 0;
      for (int i = 0; i < queries; i++) {
        BatcherQueue.Call query = query(batcher, i); // a waiting room of one text: bulk work has no place in it
        query.answer.get(60, TimeUnit.SECONDS);
        // Of the batches that were begun after it came, its own is the first; or the second, after one that bulk is owed.
        long begun = query.batchesAtBegin - query.batchesBefore;
        assertTrue(begun == 1 || begun == 2, "query " + i + " was in batch " + begun);
        later += begun == 2 ? 1 : 0;
      }
      assertTrue(later <= 1 + queries * 10 / (4 * BOUND), later + " of " + queries);
      assertFalse(bulk.isDone());
      assertTrue(batcher.figures().largestBatch() <= 32);
      assertTrue(batcher.figures().batched() > queries, "bulk work went on");
      bulk.cancel(false);
    }
  }

  @Test
  void bulkNeverGetsNothing() throws Exception {
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, BATCHING)) {
      CompletableFuture<List<BatchedEmbedding>> bulk = bulk(batcher, 200_000);
      List<BatcherQueue.Call> queries = new ArrayList<>();
      for (int i = 0; i < 4000; i++) {
        queries.add(query(batcher, i));
      }
      for (BatcherQueue.Call query : queries) {
        query.answer.get(60, TimeUnit.SECONDS);
      }
      // A query costs 6 tokens or more: so many times bulk work was owed a batch.
      assertTrue(batcher.figures().batched() - queries.size() >= 4000 * 6 / (5 * BOUND), batcher.figures().toString());
      assertFalse(bulk.isDone());
      bulk.cancel(false);
    }
  }

  @Test
  void bulkIsAnsweredInItsOrder() throws Exception {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      texts.add(i % 50 == 7 ? "a long text, number " + i + " ".repeat(70_000) : "text number " + i);
    }
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, BATCHING)) {
      CompletableFuture<List<BatchedEmbedding>> first = batcher.embed(texts, DEFAULTS);
      CompletableFuture<List<BatchedEmbedding>> second = batcher.embed(texts.subList(100, 400), DEFAULTS);
      List<BatchedEmbedding> all = first.get(60, TimeUnit.SECONDS);
      List<BatchedEmbedding> some = second.get(60, TimeUnit.SECONDS);
      for (int i = 0; i < 500; i++) {
        Golden.assertSameBits(model.embed(texts.get(i)), all.get(i).vector());
      }
      assertEquals(all.subList(100, 400), some);
      assertEquals(800, batcher.figures().batched());
      assertEquals(0, batcher.figures().depth());
      assertEquals(0, batcher.figures().bulkCalls());
    }
  }

  @Test
  void aTextOfManyMegabytesDelaysNobody() throws Exception {
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, BATCHING)) {
      CompletableFuture<BatchedEmbedding> vast = batcher.embed("word and <mask> ".repeat(3_000_000));
      for (int i = 0; i < 20; i++) {
        query(batcher, i).answer.get(60, TimeUnit.SECONDS);
      }
      assertFalse(vast.isDone());
      vast.cancel(false);
    }
  }

  @Test
  void whoIsCancelledOrFailsLeavesAlone() throws Exception {
    RunOptions strict = DEFAULTS.withoutCutting();
    List<String> texts = new ArrayList<>(Collections.nCopies(2000, "a text"));
    texts.set(40, "word ".repeat(9000));
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, BATCHING)) {
      CompletableFuture<List<BatchedEmbedding>> cancelled = bulk(batcher, 100_000);
      CompletableFuture<List<BatchedEmbedding>> bad = batcher.embed(texts, strict);
      CompletableFuture<List<BatchedEmbedding>> good = batcher.embed(Collections.nCopies(300, "good"), DEFAULTS);
      Throwable why = assertThrows(ExecutionException.class, () -> bad.get(60, TimeUnit.SECONDS)).getCause();
      assertEquals(
          assertThrows(IllegalArgumentException.class, () -> model.embed(texts, strict)).getMessage(), why.getMessage());
      cancelled.cancel(false);
      assertThrows(CancellationException.class, () -> cancelled.get(60, TimeUnit.SECONDS));
      for (BatchedEmbedding embedding : good.get(60, TimeUnit.SECONDS)) {
        Golden.assertSameBits(model.embed("good"), embedding.vector());
      }
      assertEquals(0, batcher.figures().depth());
      assertEquals(2000, batcher.figures().failed());
    }
  }

  @Test
  void halfOfASurrogatePairFailsAlone() throws Exception {
    try (EmbeddingBatcher batcher = new EmbeddingBatcher(model, BATCHING)) {
      CompletableFuture<List<BatchedEmbedding>> bulk = bulk(batcher, 300);
      List<CompletableFuture<BatchedEmbedding>> bad = new ArrayList<>();
      for (String text : List.of("\ud83d", "\ude00", "a\ud83d", "\ude00 b", "\ud83d\ud83d\ude00")) {
        bad.add(batcher.embed(text));
        bad.add(batcher.embed(text, DEFAULTS.withRepair(true)).thenApply(repaired -> {
          throw new IllegalArgumentException("this one was repaired");
        }));
      }
      CompletableFuture<BatchedEmbedding> good = batcher.embed("good \ud83d\ude00");
      for (int i = 0; i < bad.size(); i++) {
        CompletableFuture<BatchedEmbedding> one = bad.get(i);
        Throwable why = assertThrows(ExecutionException.class, () -> one.get(60, TimeUnit.SECONDS)).getCause();
        assertEquals(i % 2 == 0 ? "the text contains half of a surrogate pair" : "this one was repaired", why.getMessage());
      }
      Golden.assertSameBits(model.embed("good \ud83d\ude00"), good.get(60, TimeUnit.SECONDS).vector());
      assertEquals(300, bulk.get(60, TimeUnit.SECONDS).size());
    }
  }

  @Test
  void closingLosesNothing() throws Exception {
    EmbeddingBatcher batcher = new EmbeddingBatcher(model, BATCHING);
    CompletableFuture<List<BatchedEmbedding>> bulk = bulk(batcher, 500);
    CompletableFuture<BatchedEmbedding> vast = batcher.embed("word ".repeat(100_000));
    BatcherQueue.Call query = query(batcher, 1);
    batcher.close();
    assertEquals(500, bulk.get().size());
    assertTrue(vast.isDone() && !vast.isCompletedExceptionally());
    assertTrue(query.answer.isDone() && !query.answer.isCompletedExceptionally());
    assertThrows(IllegalStateException.class, () -> batcher.embed("late"));
  }
}
