// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** What a thread of an {@link EmbeddingBatcher} does, until its queue is closed. */
final class BatcherWorker implements Runnable {
  /** Where a thread takes its work. */
  interface Source {
    /** Waits for the texts to run next; null when there will be none. */
    List<BatchPlan.Item<BatcherQueue.Call>> take() throws InterruptedException;
  }

  private final Model model;
  private final BatcherQueue queue;
  private final Source source;

  BatcherWorker(Model model, BatcherQueue queue, Source source) {
    this.model = model;
    this.queue = queue;
    this.source = source;
  }

  @Override
  public void run() {
    List<BatchPlan.Item<BatcherQueue.Call>> batch = List.of();
    while (batch != null) {
      try {
        batch = source.take();
        List<BatchPlan.Item<BatcherQueue.Call>> left = batch == null ? List.of() : new ArrayList<>(batch);
        while (!left.isEmpty()) {
          List<BatchPlan.Item<BatcherQueue.Call>> alike = new ArrayList<>();
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
      queue.fail(call); // before the caller sees the answer
      call.answer.completeExceptionally(failure);
    }
  }

  private static Set<BatcherQueue.Call> callsOf(List<BatchPlan.Item<BatcherQueue.Call>> items) {
    Set<BatcherQueue.Call> calls = Collections.newSetFromMap(new IdentityHashMap<>());
    items.forEach(item -> calls.add(item.call));
    return calls;
  }

  private void run(List<BatchPlan.Item<BatcherQueue.Call>> items) {
    BatcherQueue.Running running = new BatcherQueue.Running();
    Set<BatcherQueue.Call> calls = callsOf(items);
    calls.removeIf(call -> !call.join(running));
    try {
      running.oneLeft(); // all have joined
      List<BatchPlan.Item<BatcherQueue.Call>> wanted = new ArrayList<>(items);
      wanted.removeIf(item -> !calls.contains(item.call));
      if (!wanted.isEmpty()) {
        RunOptions options = wanted.get(0).call.options.withCancellation(running.cancellation).withProgress(null);
        run(wanted, calls.size(), options);
      }
    } catch (Throwable failure) {
      if (calls.size() == 1 || model.isClosed()) {
        calls.forEach(call -> fail(call, failure));
        return;
      }
      // Running each call alone shows which one is at fault.
      for (BatcherQueue.Call call : calls) {
        List<BatchPlan.Item<BatcherQueue.Call>> own = new ArrayList<>(items);
        own.removeIf(item -> item.call != call);
        run(own);
      }
    } finally {
      calls.forEach(call -> call.leave(running));
    }
  }

  private void run(List<BatchPlan.Item<BatcherQueue.Call>> items, int calls, RunOptions options) {
    List<String> texts = new ArrayList<>(items.size());
    items.forEach(item -> texts.add(item.call.texts.get(item.place)));
    TextCounts counts = new TextCounts();
    TextStatuses statuses = new TextStatuses();
    Events.Batch event = Recorder.batch(texts.size(), calls, queue.depth());
    float[][] vectors = model.embed(texts, options.withCounts(counts).withStatuses(statuses));
    int cut = counts.numCut();
    queue.ran(counts.totalTokens(), cut);
    Recorder.end(event, counts.totalTokens(), cut);
    for (int i = 0; i < vectors.length; i++) {
      BatchPlan.Item<BatcherQueue.Call> item = items.get(i);
      if (statuses.isOk(i)) {
        item.call.give(item.place, new BatchedEmbedding(vectors[i], counts.tokens(i), counts.uncutTokens(i)));
      } else if (!item.call.answer.isDone()) {
        fail(item.call, failureOf(item, options));
      }
    }
  }

  /**
   * The failure of a refused text when it is run alone, with its place in its call. Texts are read before any is run.
   */
  private Throwable failureOf(BatchPlan.Item<BatcherQueue.Call> item, RunOptions options) {
    RunOptions alone = options.withStatuses(null).withCounts(null).withCancellation(null);
    String text = item.call.texts.get(item.place);
    try {
      if (item.call.single) {
        model.embed(text, alone);
      } else {
        // Empty texts stand for those before it, which need not be read again.
        List<String> others = new ArrayList<>(Collections.nCopies(item.place + 1, ""));
        others.set(item.place, text);
        model.embed(item.call.texts.size() == 1 ? List.of(text) : others, alone);
      }
      return new InternalErrorException("a text was refused among others and taken alone");
    } catch (RuntimeException failure) {
      return failure;
    }
  }
}
