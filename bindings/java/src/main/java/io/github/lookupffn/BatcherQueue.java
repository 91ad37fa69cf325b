// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** The requests that wait for an {@link EmbeddingBatcher}'s thread, and what became of earlier ones. */
final class BatcherQueue implements Runnable {
  /** A request. */
  static final class Request {
    final String text;
    final RunOptions options;
    final long since = System.nanoTime();
    final CompletableFuture<BatchedEmbedding> answer = new CompletableFuture<>();

    Request(String text, RunOptions options) {
      this.text = text;
      this.options = options;
    }
  }

  /** What was counted; guarded by the queue. */
  static final class Counters {
    long accepted;
    long refused;
    long withdrawn;
    long failed;
    long batches;
    long batched;
    int largestBatch;
    long totalWait;
    long longestWait;
  }

  private final BatchingOptions options;
  private final long maxWaitNanos;
  private final ArrayDeque<Request> waiting = new ArrayDeque<>();
  private final Counters counters = new Counters();
  private boolean closed;

  BatcherQueue(BatchingOptions options) {
    this.options = options;
    maxWaitNanos = options.maxWait.toNanos();
  }

  synchronized void add(Request request) {
    if (closed) {
      throw new IllegalStateException("the batcher is closed");
    }
    if (waiting.size() >= options.maxQueue) {
      counters.refused++;
      throw new RejectedExecutionException(
          waiting.size() + " requests wait already; ask again later, or let more wait with BatchingOptions.withMaxQueue");
    }
    waiting.add(request);
    counters.accepted++;
    notifyAll();
  }

  /** A request that was taken back makes room at once. */
  synchronized void withdraw(Request request) {
    if (waiting.remove(request)) {
      counters.withdrawn++;
    }
  }

  synchronized void failed() {
    counters.failed++;
  }

  /** Closes: what waits is still taken. */
  @Override
  public synchronized void run() {
    closed = true;
    notifyAll();
  }

  synchronized BatcherFigures figures() {
    return new BatcherFigures(waiting.size(), counters);
  }

  /** Waits for the next batch, and takes it; false when there will be none. */
  synchronized boolean take(List<Request> batch) throws InterruptedException {
    while (waiting.isEmpty()) {
      if (closed) {
        return false;
      }
      wait();
    }
    long deadline = System.nanoTime() + maxWaitNanos;
    for (long left = maxWaitNanos; waiting.size() < options.maxBatch && !closed && left > 0; ) {
      // A wait of 0 milliseconds would have no end.
      wait(left / 1_000_000, left < 1_000_000 ? (int) left : 0);
      left = deadline - System.nanoTime();
    }
    long now = System.nanoTime();
    while (batch.size() < options.maxBatch && !waiting.isEmpty()) {
      Request request = waiting.remove();
      long waited = now - request.since;
      counters.totalWait += waited;
      counters.longestWait = Math.max(counters.longestWait, waited);
      batch.add(request);
    }
    if (!batch.isEmpty()) {
      counters.batches++;
      counters.batched += batch.size();
      counters.largestBatch = Math.max(counters.largestBatch, batch.size());
    }
    return true;
  }

  /** What an {@link EmbeddingBatcher}'s thread does, until its queue is closed. */
  static final class Worker implements Runnable {
    private final Model model;
    private final BatcherQueue queue;

    Worker(Model model, BatcherQueue queue) {
      this.model = model;
      this.queue = queue;
    }

    @Override
    public void run() {
      List<Request> batch = new ArrayList<>();
      for (boolean more = true; more; ) {
        try {
          more = queue.take(batch);
          while (!batch.isEmpty()) {
            List<Request> alike = new ArrayList<>();
            RunOptions options = batch.get(0).options;
            batch.removeIf(request -> request.options.readsLike(options) && alike.add(request));
            run(alike);
          }
        } catch (InterruptedException nobodyDoes) {
          continue;
        } catch (Throwable failure) { // there was no memory even for its lists
          batch.forEach(request -> fail(request, failure));
          batch.clear();
        }
      }
    }

    private void fail(Request request, Throwable failure) {
      if (!request.answer.isDone()) {
        queue.failed(); // before whoever waits for the answer looks
        request.answer.completeExceptionally(failure);
      }
    }

    private void run(List<Request> requests) {
      try {
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
        if (!running.isEmpty()) {
          run(running, texts, running.get(0).options.withCancellation(cancellation).withProgress(null));
        }
      } catch (Throwable failure) {
        requests.forEach(request -> fail(request, failure));
      }
    }

    private void run(List<Request> running, List<String> texts, RunOptions options) {
      TextCounts counts = new TextCounts();
      TextStatuses statuses = new TextStatuses();
      float[][] vectors = model.embed(texts, options.withCounts(counts).withStatuses(statuses));
      for (int i = 0; i < vectors.length; i++) {
        if (statuses.isOk(i)) {
          running.get(i).answer.complete(new BatchedEmbedding(vectors[i], counts.tokens(i), counts.uncutTokens(i)));
        } else {
          fail(running.get(i), failureOf(texts.get(i), options));
        }
      }
    }

    /** What the text is refused with alone. */
    private Throwable failureOf(String text, RunOptions options) {
      try {
        model.embed(text, options.withStatuses(null).withCounts(null).withCancellation(null).withProgress(null));
        return new InternalErrorException("a text was refused among others and taken alone");
      } catch (RuntimeException failure) {
        return failure;
      }
    }
  }
}
