// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** The texts that wait for an {@link EmbeddingBatcher}'s threads, and what became of earlier ones. */
final class BatcherQueue implements Runnable {
  /** A call of one or more texts. It is answered when all of its texts are. */
  static final class Call extends BatchPlan.Call {
    final List<String> texts;
    final RunOptions options;
    /** Whether it was asked for as a text, and not as a list of one. */
    final boolean single;
    final long since = System.nanoTime();
    final CompletableFuture<List<BatchedEmbedding>> answer = new CompletableFuture<>();
    private final BatchedEmbedding[] embeddings;
    private int missing;
    // At most a batch and a long text beside it.
    private final List<Running> running = new ArrayList<>(2);
    // When its first text was begun; how many batches had been begun when the call came, and when its first text was
    // begun. Guarded by the queue.
    private long begun;
    long batchesBefore;
    long batchesAtBegin;

    /** Takes a list that nobody changes. */
    Call(List<String> texts, int[] costs, RunOptions options, boolean single) {
      super(costs);
      this.single = single;
      this.texts = texts;
      this.options = options;
      embeddings = new BatchedEmbedding[texts.size()];
      missing = embeddings.length;
      answer.whenComplete((done, failure) -> leaveAll());
    }

    void give(int place, BatchedEmbedding embedding) {
      boolean last;
      synchronized (embeddings) {
        embeddings[place] = embedding;
        last = --missing == 0;
      }
      if (last) {
        answer.complete(List.copyOf(Arrays.asList(embeddings)));
      }
    }

    /** Joins what is about to run, unless the call has ended. */
    boolean join(Running with) {
      synchronized (embeddings) {
        if (answer.isDone()) {
          return false;
        }
        with.waiting.incrementAndGet();
        running.add(with);
        return true;
      }
    }

    void leave(Running with) {
      synchronized (embeddings) {
        running.remove(with);
      }
    }

    private void leaveAll() {
      List<Running> left;
      synchronized (embeddings) {
        left = new ArrayList<>(running);
        running.clear();
      }
      left.forEach(Running::oneLeft);
    }

    /** How long it waited until its first text was begun; if none was, how long it has waited so far. */
    synchronized long waitedNanos() {
      return (begun == 0 ? System.nanoTime() : begun) - since;
    }

    private synchronized boolean begin(long now, long batches) {
      if (begun != 0) {
        return false;
      }
      begun = now;
      batchesAtBegin = batches;
      return true;
    }
  }

  /** A batch or a long text that runs now. It is cancelled when nobody waits for it any more. */
  static final class Running {
    final Cancellation cancellation = new Cancellation();
    // Counts one for the creator, until all calls have joined.
    private final AtomicInteger waiting = new AtomicInteger(1);

    void oneLeft() {
      if (waiting.decrementAndGet() == 0) {
        cancellation.cancel();
      }
    }
  }

  /** The figures so far; guarded by the queue. */
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

  private final BatchPlan<Call> plan;
  private final Function<BatcherQueue, Thread> starter;
  private final int maxQueue;
  private final int maxBulk;
  private final long maxWaitNanos;
  private final Counters counters = new Counters();
  // The thread that runs long texts; null while there are none.
  private Thread longThread;
  private boolean closed;

  /**
   * {@code threads}: how many the model has. {@code starter} starts a thread that takes long texts until none are left.
   */
  BatcherQueue(BatchingOptions options, int threads, Function<BatcherQueue, Thread> starter) {
    this.starter = starter;
    int maxTokens = options.maxBatchTokens > 0 ? options.maxBatchTokens : BatchingOptions.TOKENS_OF_THREAD * threads;
    plan = new BatchPlan<>(maxTokens, options.maxBatch, options.maxQueue, options.maxBulkCalls);
    maxQueue = options.maxQueue;
    maxBulk = options.maxBulkCalls;
    maxWaitNanos = options.maxWait.toNanos();
  }

  /** Takes a call as a whole, or refuses it as a whole; with {@code patient}, lets it wait until there is room. */
  synchronized void add(Call call, boolean patient) {
    checkOpen();
    int count = call.texts.size();
    if (!plan.add(call, patient)) {
      counters.refused += count;
      throw plan.isBulk(call) ? bulkRefused() : refused(count);
    }
    if (plan.hasLong() && longThread == null) {
      try {
        longThread = starter.apply(this);
      } catch (Throwable noThread) {
        plan.leave(call);
        throw noThread;
      }
    }
    call.batchesBefore = counters.batches;
    counters.accepted += count;
    notifyAll();
  }

  synchronized Thread longThread() {
    return longThread;
  }

  private QueueFullException bulkRefused() {
    return new QueueFullException(
        plan.numBulk() + " long lists wait already, of which no more than " + maxBulk
            + " may; ask again later, or let more wait with BatchingOptions.withMaxBulkCalls",
        plan.numBulk(),
        maxBulk);
  }

  private QueueFullException refused(int texts) {
    return new QueueFullException(
        plan.shortTexts() + " texts wait already, and " + texts + " more are too many for a queue of " + maxQueue
            + "; ask again later, or let more wait with BatchingOptions.withMaxQueue",
        plan.shortTexts(),
        maxQueue);
  }

  synchronized void checkOpen() {
    if (closed) {
      throw new IllegalStateException(NativeHandle.closed("batcher"));
    }
  }

  /** A call that was cancelled leaves no texts behind, and makes room at once. */
  synchronized void withdraw(Call call) {
    counters.withdrawn += plan.leave(call);
  }

  /** A call that has failed leaves no texts behind, either. */
  synchronized void fail(Call call) {
    plan.leave(call);
    failed(call.texts.size());
  }

  synchronized void failed(int texts) {
    counters.failed += texts;
  }

  synchronized void ran(long tokens, int cut) {
    counters.tokens += tokens;
    counters.cut += cut;
  }

  /** Closes the queue. Texts that wait are still taken. */
  @Override
  public synchronized void run() {
    closed = true;
    notifyAll();
  }

  /** How many texts wait. */
  synchronized int depth() {
    return (int) Math.min(Integer.MAX_VALUE, plan.texts());
  }

  synchronized BatcherFigures figures() {
    return new BatcherFigures(depth(), plan.numBulk(), counters);
  }

  /** Waits for the next batch, and takes it; null when there will be none. */
  synchronized List<BatchPlan.Item<Call>> takeBatch() throws InterruptedException {
    while (true) {
      Call patient = closed ? null : plan.patient();
      long left = patient == null ? 0 : patient.since + maxWaitNanos - System.nanoTime();
      if (left > 0) {
        // A wait of 0 milliseconds would have no end.
        wait(left / 1_000_000, left < 1_000_000 ? (int) left : 0);
      } else if (plan.hasBatch()) {
        return begun(plan.nextBatch());
      } else if (closed) {
        return null;
      } else {
        wait();
      }
    }
  }

  /** Takes the next long text; null if there is none, which ends the thread. */
  synchronized List<BatchPlan.Item<Call>> takeLong() {
    BatchPlan.Item<Call> item = plan.nextLong();
    if (item == null) {
      longThread = null;
      return null;
    }
    return begun(List.of(item));
  }

  private List<BatchPlan.Item<Call>> begun(List<BatchPlan.Item<Call>> batch) {
    long now = System.nanoTime();
    counters.batches++;
    counters.batched += batch.size();
    counters.largestBatch = Math.max(counters.largestBatch, batch.size());
    for (BatchPlan.Item<Call> item : batch) {
      long waited = now - item.call.since;
      counters.totalWait += waited;
      counters.longestWait = Math.max(counters.longestWait, waited);
      item.call.begin(now, counters.batches);
    }
    return batch;
  }
}
