// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Puts the texts of concurrent callers together, in the order in which they came, so that the model runs them in batches.
 * A cancelled request leaves at once and alone; a batch of which all were cancelled ends. A text that cannot be run fails
 * alone, as it would without a batcher. What depends on an answer may run in the batcher's thread, and must not wait for
 * further answers there. A batcher that is forgotten is closed some time after it has become unreachable.
 */
public final class EmbeddingBatcher implements AutoCloseable {
  // The thread must not know of this object, which it would keep from being forgotten.
  private final BatcherQueue queue;
  private final Thread worker;
  private final Cleaner.Cleanable cleanable;

  /**
   * Makes one that puts together what comes while the batch before is running, at most 32 texts, so that a request that
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
   * @param maxBatch how many requests go together at most
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
    worker = new Thread(new BatcherQueue.Worker(model, queue), "lookupffn-batcher");
    worker.setDaemon(true);
    cleanable = Model.CLEANER.register(this, queue);
    worker.start();
  }

  /**
   * A vector for the text, made as the model means it, in a batch with those of others.
   *
   * @param text a text
   * @return the vector; cancelling it takes the request back
   * @throws java.util.concurrent.RejectedExecutionException if too many requests wait
   */
  public CompletableFuture<BatchedEmbedding> embed(String text) {
    return embed(text, RunOptions.defaults());
  }

  /**
   * A vector for the text, in a batch with those of others who ask with equal options.
   *
   * @param text a text
   * @param options how texts are read and vectors made of them; the rest is not looked at
   * @return the vector; cancelling it takes the request back
   * @throws IllegalStateException if the batcher is closed
   * @throws java.util.concurrent.RejectedExecutionException if too many requests wait
   */
  public CompletableFuture<BatchedEmbedding> embed(String text, RunOptions options) {
    BatcherQueue.Request request = new BatcherQueue.Request(
        Objects.requireNonNull(text, "text"), Objects.requireNonNull(options, "options"));
    try {
      queue.add(request);
    } finally {
      Reference.reachabilityFence(this);
    }
    BatcherQueue mine = queue;
    request.answer.whenComplete((answer, failure) -> {
      if (failure != null) {
        mine.withdraw(request);
      }
    });
    return request.answer;
  }

  /**
   * What the batcher did so far, and what it has to do.
   *
   * @return the figures of this moment
   */
  public BatcherFigures figures() {
    return queue.figures();
  }

  /**
   * Takes no more requests, and waits for those that are there, unless it is called by what depends on an answer. An
   * interrupt ends the waiting, not the requests, and leaves the thread interrupted.
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
