// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Puts the texts of concurrent callers together, in the order in which they came, so that the model runs them in batches.
 * Limits and figures count texts, also those of calls of many. A cancelled call leaves at once and alone; a batch of which
 * all were cancelled ends. A text that cannot be run fails its call alone, as it would without a batcher. What depends on an
 * answer may run in the batcher's thread, and must not wait for further answers there. A batcher that is forgotten is closed
 * some time after it has become unreachable.
 */
public final class EmbeddingBatcher implements AutoCloseable {
  // The thread must not know of this object, which it would keep from being forgotten.
  private final BatcherQueue queue;
  private final Thread worker;
  private final Cleaner.Cleanable cleanable;

  /**
   * Makes one that puts together what comes while the batch before is running, at most 32 texts, so that one that
   * finds the model idle does not wait.
   *
   * @param model what runs the texts; closing the batcher leaves it open
   */
  public EmbeddingBatcher(Model model) {
    this(model, BatchingOptions.defaults());
  }

  /**
   * Makes one.
   *
   * @param model what runs the texts; closing the batcher leaves it open
   * @param maxBatch how many texts go together at most
   * @param maxWait how long the first of a batch waits for others at most
   */
  public EmbeddingBatcher(Model model, int maxBatch, Duration maxWait) {
    this(model, BatchingOptions.defaults().withMaxBatch(maxBatch).withMaxWait(maxWait));
  }

  /**
   * Makes one.
   *
   * @param model what runs the texts; closing the batcher leaves it open
   * @param options how they are put together
   */
  public EmbeddingBatcher(Model model, BatchingOptions options) {
    Objects.requireNonNull(model, "model");
    queue = new BatcherQueue(Objects.requireNonNull(options, "options"));
    worker = new Thread(new BatcherWorker(model, queue), "lookupffn-batcher");
    worker.setDaemon(true);
    cleanable = Model.CLEANER.register(this, queue);
    worker.start();
  }

  /**
   * A vector for the text, made as the model means it, in a batch with those of others.
   *
   * @param text a text
   * @return the vector; cancelling it takes the text back
   * @throws java.util.concurrent.RejectedExecutionException if too many texts wait
   */
  public CompletableFuture<BatchedEmbedding> embed(String text) {
    return embed(text, RunOptions.defaults());
  }

  /**
   * A vector for the text, in a batch with those of others who ask with equal options.
   *
   * @param text a text
   * @param options how texts are read and vectors made of them; the rest is not looked at
   * @return the vector; cancelling it takes the text back
   * @throws IllegalStateException if the batcher is closed
   * @throws java.util.concurrent.RejectedExecutionException if too many texts wait
   */
  public CompletableFuture<BatchedEmbedding> embed(String text, RunOptions options) {
    BatcherQueue.Call call =
        add(List.of(Objects.requireNonNull(text, "text")), Objects.requireNonNull(options, "options"), true, false);
    CompletableFuture<BatchedEmbedding> one = new CompletableFuture<>();
    call.answer.whenComplete((answer, failure) -> {
      if (failure == null) {
        one.complete(answer.get(0));
      } else {
        one.completeExceptionally(failure);
      }
    });
    withdrawWith(one, call);
    return one;
  }

  /**
   * A vector for each text, in batches with those of others who ask with equal options. The call is taken as a whole or, where
   * the queue has no room for all of its texts, refused as a whole.
   *
   * @param texts any number of texts
   * @param options how texts are read and vectors made of them; the rest is not looked at
   * @return the vectors, in the order of the texts; cancelling it takes those back that wait
   * @throws IllegalStateException if the batcher is closed
   * @throws java.util.concurrent.RejectedExecutionException if too many texts wait
   */
  public CompletableFuture<List<BatchedEmbedding>> embed(List<String> texts, RunOptions options) {
    return embed(texts, options, false);
  }

  /**
   * A vector for each text, as {@link #embed(List, RunOptions)} gives them, but nothing is refused: texts for which the queue
   * has no room yet wait until it has, in the order of their calls.
   *
   * @param texts any number of texts
   * @param options how texts are read and vectors made of them; the rest is not looked at
   * @return the vectors, in the order of the texts; cancelling it takes those back that wait
   * @throws IllegalStateException if the batcher is closed
   */
  public CompletableFuture<List<BatchedEmbedding>> embedWhenRoom(List<String> texts, RunOptions options) {
    return embed(texts, options, true);
  }

  private CompletableFuture<List<BatchedEmbedding>> embed(List<String> texts, RunOptions options, boolean patient) {
    Objects.requireNonNull(options, "options");
    List<String> copy = new ArrayList<>(Objects.requireNonNull(texts, "texts"));
    for (int i = 0; i < copy.size(); i++) {
      if (copy.get(i) == null) {
        throw new NullPointerException("texts[" + i + "] is null");
      }
    }
    if (copy.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    BatcherQueue.Call call = add(copy, options, false, patient);
    withdrawWith(call.answer, call);
    return call.answer;
  }

  private BatcherQueue.Call add(List<String> texts, RunOptions options, boolean single, boolean patient) {
    BatcherQueue.Call call = new BatcherQueue.Call(texts, options, single);
    try {
      queue.add(call, patient);
      return call;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Takes the call back when what its caller holds ends before it. */
  private void withdrawWith(CompletableFuture<?> held, BatcherQueue.Call call) {
    BatcherQueue mine = queue;
    held.whenComplete((answer, failure) -> {
      if (failure != null) {
        call.answer.cancel(false);
        mine.withdraw(call);
      }
    });
  }

  /** {@return what the batcher did so far, and what it has to do} */
  public BatcherFigures figures() {
    return queue.figures();
  }

  /**
   * Takes no more texts, and waits for those that are there, unless it is called by what depends on an answer. An
   * interrupt ends the waiting, not the work, and leaves the thread interrupted.
   */
  @Override
  public void close() {
    cleanable.clean();
    if (Thread.currentThread() == worker) {
      return; // what depends on an answer would wait for itself
    }
    try {
      worker.join();
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }
}
