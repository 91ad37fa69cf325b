// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Puts the texts of concurrent callers together, in the order in which they came, so that the model runs them in batches.
 * A cancelled request leaves at once and alone; a batch of which all were cancelled ends. A text that cannot be run fails
 * alone. What depends on an answer may run in the batcher's thread, and must not wait for further answers there.
 */
public final class EmbeddingBatcher implements AutoCloseable {
  private final Model model;
  private final int maxBatch;
  private final long maxWaitNanos;
  private final LinkedBlockingQueue<Request> queue = new LinkedBlockingQueue<>();
  private final Thread worker;
  private boolean closed;

  /**
   * Makes one that puts together what comes while the batch before is running, at most 32 texts, so that a request that
   * finds the model idle does not wait.
   *
   * @param model what runs the texts; closing the batcher leaves it open
   */
  public EmbeddingBatcher(Model model) {
    this(model, 32, Duration.ZERO);
  }

  /**
   * Makes one.
   *
   * @param model what runs the texts; closing the batcher leaves it open
   * @param maxBatch how many requests go together at most
   * @param maxWait how long the first of a batch waits for others at most
   */
  public EmbeddingBatcher(Model model, int maxBatch, Duration maxWait) {
    this.model = Objects.requireNonNull(model, "model");
    if (maxBatch < 1 || maxWait.isNegative()) {
      throw new IllegalArgumentException(
          "maxBatch is " + maxBatch + " and maxWait " + maxWait + ", expected 1 or more, and 0 or more");
    }
    this.maxBatch = maxBatch;
    maxWaitNanos = maxWait.toNanos();
    worker = new Thread(this::runAll, "lookupffn-batcher");
    worker.setDaemon(true);
    worker.start();
  }

  /**
   * A vector for the text, made as the model means it, in a batch with those of others.
   *
   * @param text a text
   * @return the vector; cancelling it takes the request back
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
   */
  public CompletableFuture<BatchedEmbedding> embed(String text, RunOptions options) {
    Request request = new Request(Objects.requireNonNull(text, "text"), Objects.requireNonNull(options, "options"));
    synchronized (queue) {
      if (closed) {
        throw new IllegalStateException("the batcher is closed");
      }
      queue.add(request);
    }
    return request.answer;
  }

  /** Takes no more requests, and waits for those that are there, unless it is called by what depends on an answer. */
  @Override
  public void close() {
    synchronized (queue) {
      if (!closed) {
        closed = true;
        queue.add(Request.LAST);
      }
    }
    if (Thread.currentThread() == worker) {
      return; // what depends on an answer would wait for itself
    }
    boolean interrupted = false;
    while (worker.isAlive()) {
      try {
        worker.join();
      } catch (InterruptedException later) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void runAll() {
    List<Request> batch = new ArrayList<>();
    boolean last = false;
    while (!last) {
      try {
        last = take(batch);
      } catch (InterruptedException nobodyDoes) {
        continue;
      }
      while (!batch.isEmpty()) {
        List<Request> alike = new ArrayList<>();
        RunOptions options = batch.get(0).options;
        batch.removeIf(request -> request.options.readsLike(options) && alike.add(request));
        try {
          run(alike);
        } catch (Throwable failure) { // there was no memory even for its lists
          alike.forEach(request -> request.answer.completeExceptionally(failure));
        }
      }
    }
  }

  /** Tells whether the last request was among them. */
  private boolean take(List<Request> batch) throws InterruptedException {
    long deadline = 0;
    while (batch.size() < maxBatch) {
      Request next = batch.isEmpty() ? queue.take() : queue.poll();
      if (next == null && maxWaitNanos > 0) {
        deadline = deadline == 0 ? System.nanoTime() + maxWaitNanos : deadline;
        next = queue.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
      if (next == null) {
        return false;
      }
      if (next == Request.LAST) {
        return true;
      }
      batch.add(next);
    }
    return false;
  }

  private void run(List<Request> requests) {
    List<Request> running = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    Cancellation cancellation = new Cancellation();
    AtomicInteger waiting = new AtomicInteger(requests.size());
    for (Request request : requests) {
      // Also for one that was cancelled before.
      request.answer.whenComplete((answer, failure) -> {
        if (waiting.decrementAndGet() == 0) {
          cancellation.cancel();
        }
      });
      if (!request.answer.isDone()) {
        running.add(request);
        texts.add(request.text);
      }
    }
    if (running.isEmpty()) {
      return;
    }
    TextCounts counts = new TextCounts();
    RunOptions options = running.get(0).options.withCounts(counts).withCancellation(cancellation);
    try {
      float[][] vectors = model.embed(texts, options);
      for (int i = 0; i < vectors.length; i++) {
        running.get(i).answer.complete(new BatchedEmbedding(vectors[i], counts.tokens(i), counts.uncutTokens(i)));
      }
    } catch (CancellationException nobodyWaits) {
      running.forEach(request -> request.answer.completeExceptionally(nobodyWaits));
    } catch (Throwable failure) {
      // Among several it is not known whose text is at fault, so that each is tried alone.
      if (running.size() == 1 || model.isClosed()) {
        running.forEach(request -> request.answer.completeExceptionally(failure));
      } else {
        running.forEach(request -> run(List.of(request)));
      }
    }
  }

  private static final class Request {
    static final Request LAST = new Request("", RunOptions.defaults());

    final String text;
    final RunOptions options;
    final CompletableFuture<BatchedEmbedding> answer = new CompletableFuture<>();

    Request(String text, RunOptions options) {
      this.text = text;
      this.options = options;
    }
  }
}
