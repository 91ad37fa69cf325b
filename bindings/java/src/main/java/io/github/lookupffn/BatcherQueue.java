// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** The texts that wait for an {@link EmbeddingBatcher}'s thread, and what became of earlier ones. */
final class BatcherQueue implements Runnable {
  /** A call of one or more texts, which has an answer when all of them have. */
  static final class Call {
    final List<String> texts;
    final RunOptions options;
    /** Whether it was asked for as a text, and not as a list of one. */
    final boolean single;
    final long since = System.nanoTime();
    final CompletableFuture<List<BatchedEmbedding>> answer = new CompletableFuture<>();
    private final BatchedEmbedding[] embeddings;
    private int missing;
    // How many of its texts the queue has let in; guarded by the queue.
    private int admitted;

    /** Takes a list that nobody changes. */
    Call(List<String> texts, RunOptions options, boolean single) {
      this.single = single;
      this.texts = texts;
      this.options = options;
      embeddings = new BatchedEmbedding[texts.size()];
      missing = embeddings.length;
    }

    /** Called by the batcher's thread alone. */
    void give(int place, BatchedEmbedding embedding) {
      embeddings[place] = embedding;
      if (--missing == 0) {
        answer.complete(List.copyOf(Arrays.asList(embeddings)));
      }
    }
  }

  /** A text of a call. */
  static final class Item {
    final Call call;
    final int place;

    Item(Call call, int place) {
      this.call = call;
      this.place = place;
    }

    String text() {
      return call.texts.get(place);
    }
  }

  /** What was counted, in texts; guarded by the queue. */
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
    long tokens;
    long cut;
  }

  private final BatchingOptions options;
  private final long maxWaitNanos;
  private final ArrayDeque<Item> waiting = new ArrayDeque<>();
  // Calls of which not all texts have found room yet.
  private final ArrayDeque<Call> outside = new ArrayDeque<>();
  private final Counters counters = new Counters();
  private boolean closed;

  BatcherQueue(BatchingOptions options) {
    this.options = options;
    maxWaitNanos = options.maxWait.toNanos();
  }

  /** Takes a call as a whole, or refuses it as a whole; with {@code patient}, lets it wait until there is room. */
  synchronized void add(Call call, boolean patient) {
    if (closed) {
      throw new IllegalStateException("the batcher is closed");
    }
    int count = call.texts.size();
    if (!patient && (!outside.isEmpty() || count > options.maxQueue - waiting.size())) {
      counters.refused += count;
      throw new RejectedExecutionException(
          waiting.size() + " texts wait already, and " + count + " more are too many for a queue of " + options.maxQueue
              + "; ask again later, or let more wait with BatchingOptions.withMaxQueue");
    }
    counters.accepted += count;
    outside.add(call);
    admit();
  }

  /** Lets in as many texts as there is room for, in the order of their calls. */
  private void admit() {
    boolean any = false;
    while (!outside.isEmpty() && waiting.size() < options.maxQueue) {
      Call call = outside.peek();
      waiting.add(new Item(call, call.admitted++));
      any = true;
      if (call.admitted == call.texts.size()) {
        outside.remove();
      }
    }
    if (any) {
      notifyAll();
    }
  }

  /** A call that has ended leaves no texts behind, and makes room at once. */
  synchronized void withdraw(Call call) {
    int left = 0;
    for (Iterator<Item> items = waiting.iterator(); items.hasNext(); ) {
      if (items.next().call == call) {
        items.remove();
        left++;
      }
    }
    if (outside.remove(call)) {
      left += call.texts.size() - call.admitted;
    }
    counters.withdrawn += left;
    if (left > 0) {
      admit();
    }
  }

  synchronized void failed(int texts) {
    counters.failed += texts;
  }

  synchronized void ran(long tokens, int cut) {
    counters.tokens += tokens;
    counters.cut += cut;
  }

  /** Closes: what waits is still taken. */
  @Override
  public synchronized void run() {
    closed = true;
    notifyAll();
  }

  /** How many texts wait, those included for which there is no room yet. */
  synchronized int depth() {
    long depth = waiting.size();
    for (Call call : outside) {
      depth += call.texts.size() - call.admitted;
    }
    return (int) Math.min(Integer.MAX_VALUE, depth);
  }

  synchronized BatcherFigures figures() {
    return new BatcherFigures(depth(), counters);
  }

  /** Waits for the next batch, and takes it; null when there will be none. */
  synchronized List<Item> take() throws InterruptedException {
    while (waiting.isEmpty()) {
      if (closed) {
        return null;
      }
      wait();
    }
    long deadline = System.nanoTime() + maxWaitNanos;
    for (long left = maxWaitNanos; waiting.size() < options.maxBatch && !closed && left > 0; ) {
      // A wait of 0 milliseconds would have no end.
      wait(left / 1_000_000, left < 1_000_000 ? (int) left : 0);
      left = deadline - System.nanoTime();
    }
    List<Item> batch = new ArrayList<>();
    long now = System.nanoTime();
    while (batch.size() < options.maxBatch && !waiting.isEmpty()) {
      Item item = waiting.remove();
      long waited = now - item.call.since;
      counters.totalWait += waited;
      counters.longestWait = Math.max(counters.longestWait, waited);
      batch.add(item);
    }
    if (!batch.isEmpty()) {
      counters.batches++;
      counters.batched += batch.size();
      counters.largestBatch = Math.max(counters.largestBatch, batch.size());
      admit();
    }
    return batch;
  }
}
