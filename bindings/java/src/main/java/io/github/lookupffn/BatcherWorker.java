// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
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
    List<BatcherQueue.Item> batch = List.of();
    while (batch != null) {
      try {
        batch = queue.take();
        List<BatcherQueue.Item> left = batch == null ? List.of() : new ArrayList<>(batch);
        while (!left.isEmpty()) {
          List<BatcherQueue.Item> alike = new ArrayList<>();
          RunOptions options = left.get(0).call.options;
          left.removeIf(item -> item.call.options.readsLike(options) && alike.add(item));
          run(alike);
        }
      } catch (InterruptedException nobodyDoes) {
        continue;
      } catch (Throwable failure) { // there was no memory even for its lists
        if (batch != null) {
          batch.forEach(item -> fail(item.call, failure));
        }
      }
    }
  }

  private void fail(BatcherQueue.Call call, Throwable failure) {
    if (!call.answer.isDone()) {
      queue.failed(call.texts.size()); // before whoever waits for the answer looks
      call.answer.completeExceptionally(failure);
    }
  }

  private void run(List<BatcherQueue.Item> items) {
    try {
      Set<BatcherQueue.Call> calls = Collections.newSetFromMap(new IdentityHashMap<>());
      items.forEach(item -> calls.add(item.call));
      Cancellation cancellation = new Cancellation();
      AtomicInteger waiting = new AtomicInteger(calls.size());
      for (BatcherQueue.Call call : calls) {
        // Also for one that was cancelled before.
        call.answer.whenComplete((answer, failure) -> {
          if (waiting.decrementAndGet() == 0) {
            cancellation.cancel();
          }
        });
      }
      List<BatcherQueue.Item> running = new ArrayList<>();
      List<String> texts = new ArrayList<>();
      for (BatcherQueue.Item item : items) {
        if (!item.call.answer.isDone()) {
          running.add(item);
          texts.add(item.text());
        }
      }
      if (!running.isEmpty()) {
        RunOptions options = running.get(0).call.options.withCancellation(cancellation).withProgress(null);
        run(running, texts, calls.size(), options);
      }
    } catch (Throwable failure) {
      items.forEach(item -> fail(item.call, failure));
    }
  }

  private void run(List<BatcherQueue.Item> running, List<String> texts, int calls, RunOptions options) {
    TextCounts counts = new TextCounts();
    TextStatuses statuses = new TextStatuses();
    Events.Batch event = Recorder.batch(texts.size(), calls, queue.depth());
    float[][] vectors = model.embed(texts, options.withCounts(counts).withStatuses(statuses));
    int cut = counts.numCut();
    queue.ran(counts.totalTokens(), cut);
    Recorder.end(event, counts.totalTokens(), cut);
    for (int i = 0; i < vectors.length; i++) {
      BatcherQueue.Item item = running.get(i);
      if (statuses.isOk(i)) {
        item.call.give(item.place, new BatchedEmbedding(vectors[i], counts.tokens(i), counts.uncutTokens(i)));
      } else if (!item.call.answer.isDone()) {
        fail(item.call, failureOf(item.call, options));
      }
    }
  }

  /** What the call's texts are refused with alone. They are read before any is run. */
  private Throwable failureOf(BatcherQueue.Call call, RunOptions options) {
    RunOptions alone = options.withStatuses(null).withCounts(null).withCancellation(null).withProgress(null);
    try {
      if (call.single) {
        model.embed(call.texts.get(0), alone);
      } else {
        model.embed(call.texts, alone);
      }
      return new InternalErrorException("a text was refused among others and taken alone");
    } catch (RuntimeException failure) {
      return failure;
    }
  }
}
