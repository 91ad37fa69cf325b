// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What an {@link EmbeddingBatcher}'s thread does, until its queue is closed. */
final class BatcherWorker implements Runnable {
  private final Model model;
  private final BatcherQueue queue;

  BatcherWorker(Model model, BatcherQueue queue) {
    this.model = model;
    this.queue = queue;
  }

  @Override
  public void run() {
    List<BatcherQueue.Request> batch = new ArrayList<>();
    for (boolean more = true; more; ) {
      try {
        more = queue.take(batch);
        while (!batch.isEmpty()) {
          List<BatcherQueue.Request> alike = new ArrayList<>();
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

  private void fail(BatcherQueue.Request request, Throwable failure) {
    if (!request.answer.isDone()) {
      queue.failed(); // before whoever waits for the answer looks
      request.answer.completeExceptionally(failure);
    }
  }

  private void run(List<BatcherQueue.Request> requests) {
    try {
      List<BatcherQueue.Request> running = new ArrayList<>();
      List<String> texts = new ArrayList<>();
      Cancellation cancellation = new Cancellation();
      AtomicInteger waiting = new AtomicInteger(requests.size());
      for (BatcherQueue.Request request : requests) {
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

  private void run(List<BatcherQueue.Request> running, List<String> texts, RunOptions options) {
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
