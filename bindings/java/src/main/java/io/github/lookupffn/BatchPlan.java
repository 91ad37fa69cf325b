// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Which texts go together, and which call is next: the rules of docs/batching.md, without threads and without a clock.
 * Only one thread at a time may use it.
 *
 * @param <C> the calls
 */
final class BatchPlan<C extends BatchPlan.Call> {
  /** The cost of a text that runs beside the batches because of its bytes. */
  static final int LONG = Integer.MAX_VALUE;
  private static final int LONG_BYTES = 65_536;
  private static final int SPECIAL_TOKENS = 2;
  private static final int BYTES_OF_TOKEN = 4;
  private static final int OWED = 4;

  private final int maxTokens;
  private final int maxTexts;
  private final int maxQueue;
  private final int maxBulk;
  private final Deque<C> shortCalls = new ArrayDeque<>();
  // Bulk calls with texts for batches, and calls with long texts; the one whose turn it is comes first. A call may be
  // in both.
  private final Deque<C> bulkCalls = new ArrayDeque<>();
  private final Deque<C> longCalls = new ArrayDeque<>();
  private int shortTexts;
  private long shortTokens;
  private int numBulk;
  private long bulkTexts;
  // How much the short batches have cost while a bulk call waited for a batch.
  private long spent;

  BatchPlan(int maxTokens, int maxTexts, int maxQueue, int maxBulk) {
    this.maxTokens = maxTokens;
    this.maxTexts = maxTexts;
    this.maxQueue = maxQueue;
    this.maxBulk = maxBulk;
  }

  /** What a text costs, in tokens, if at most {@code limit} tokens are read. */
  static int cost(long bytes, int limit) {
    return (int) Math.min(limit, SPECIAL_TOKENS + (bytes + BYTES_OF_TOKEN - 1) / BYTES_OF_TOKEN);
  }

  /** The cost of a text of a call. */
  static int costOf(long bytes, int limit) {
    return bytes > LONG_BYTES ? LONG : cost(bytes, limit);
  }

  /** The plan's part of a call. Only the plan uses it. */
  static class Call {
    final int[] costs;
    long tokens;
    boolean bulk;
    // The place of the first text that is in no batch yet, and of the first long text that has not been run.
    int batched;
    int ran;

    Call(int[] costs) {
      this.costs = costs;
    }

    /** The first long text, or the first other text, from the place on; the number of texts if there is none. */
    int next(int place, boolean wantsLong, int maxTokens) {
      int at = place;
      while (at < costs.length && costs[at] > maxTokens != wantsLong) {
        at++;
      }
      return at;
    }
  }

  /** A text of a call. */
  static final class Item<C> {
    final C call;
    final int place;

    Item(C call, int place) {
      this.call = call;
      this.place = place;
    }
  }

  private boolean hasMore(C call) {
    return call.batched < call.costs.length;
  }

  private boolean hasLong(C call) {
    return call.ran < call.costs.length;
  }

  /** Admits a call, unless there is no room for it. A call that may wait for room is always admitted. */
  boolean add(C call, boolean mayWait) {
    for (int cost : call.costs) {
      call.tokens += cost;
    }
    int texts = call.costs.length;
    call.bulk = call.tokens > maxTokens || texts > maxTexts || texts > maxQueue;
    if (!call.bulk) {
      if (!mayWait && texts > maxQueue - shortTexts) {
        return false;
      }
      shortCalls.add(call);
      shortTexts += texts;
      shortTokens += call.tokens;
      return true;
    }
    if (!mayWait && numBulk >= maxBulk) {
      return false;
    }
    numBulk++;
    bulkTexts += texts;
    call.batched = call.next(0, false, maxTokens);
    call.ran = call.next(0, true, maxTokens);
    if (hasMore(call)) {
      if (bulkCalls.isEmpty()) {
        spent = 0;
      }
      bulkCalls.add(call);
    }
    if (hasLong(call)) {
      longCalls.add(call);
    }
    return true;
  }

  /** Whether the short calls that wait fill a batch. */
  boolean isFull() {
    return shortTokens >= maxTokens || shortTexts >= maxTexts;
  }

  /** Whether there is a next batch. */
  boolean hasBatch() {
    return !shortCalls.isEmpty() || !bulkCalls.isEmpty();
  }

  /** Whether there is a next long text. */
  boolean hasLong() {
    return !longCalls.isEmpty();
  }

  /** The first short call, from whose arrival the next batch may wait for more; null if the batch may not wait. */
  C patient() {
    return numBulk > 0 || isFull() ? null : shortCalls.peek();
  }

  /** The texts of the next batch; none if no text waits for one. */
  List<Item<C>> nextBatch() {
    boolean owed = spent >= (long) OWED * maxTokens;
    return !bulkCalls.isEmpty() && (owed || shortCalls.isEmpty()) ? bulkBatch() : shortBatch();
  }

  private List<Item<C>> shortBatch() {
    List<Item<C>> batch = new ArrayList<>();
    long tokens = 0;
    for (C call = shortCalls.peek(); call != null && tokens + call.tokens <= maxTokens
        && batch.size() + call.costs.length <= maxTexts; call = shortCalls.peek()) {
      for (int place = 0; place < call.costs.length; place++) {
        batch.add(new Item<>(call, place));
      }
      tokens += call.tokens;
      forget(shortCalls.remove());
    }
    if (!bulkCalls.isEmpty()) {
      spent += tokens;
    }
    return batch;
  }

  private void forget(C shortCall) {
    shortTexts -= shortCall.costs.length;
    shortTokens -= shortCall.tokens;
  }

  private List<Item<C>> bulkBatch() {
    spent = 0;
    List<Item<C>> batch = new ArrayList<>();
    long tokens = 0;
    while (!bulkCalls.isEmpty()) {
      C call = bulkCalls.remove();
      int before = batch.size();
      while (hasMore(call) && batch.size() < maxTexts && tokens + call.costs[call.batched] <= maxTokens) {
        batch.add(new Item<>(call, call.batched));
        tokens += call.costs[call.batched];
        call.batched = call.next(call.batched + 1, false, maxTokens);
      }
      if (hasMore(call)) {
        if (batch.size() > before) {
          bulkCalls.addLast(call);
        } else {
          bulkCalls.addFirst(call); // the batch had no room for it, so its turn comes again
        }
        break;
      }
      leaveIfDone(call);
    }
    bulkTexts -= batch.size();
    return batch;
  }

  /** The next text that runs beside the batches; null for none. */
  Item<C> nextLong() {
    C call = longCalls.poll();
    if (call == null) {
      return null;
    }
    Item<C> item = new Item<>(call, call.ran);
    bulkTexts--;
    call.ran = call.next(call.ran + 1, true, maxTokens);
    if (hasLong(call)) {
      longCalls.add(call);
    } else {
      leaveIfDone(call);
    }
    return item;
  }

  private void leaveIfDone(C bulkCall) {
    if (!hasMore(bulkCall) && !hasLong(bulkCall)) {
      numBulk--;
    }
  }

  /** Withdraws the texts of a call that still wait, and returns how many they are. */
  int leave(C call) {
    if (!call.bulk) {
      if (!shortCalls.remove(call)) {
        return 0;
      }
      forget(call);
      return call.costs.length;
    }
    boolean waited = bulkCalls.remove(call);
    waited |= longCalls.remove(call);
    if (!waited) {
      return 0;
    }
    int left = textsOf(call);
    numBulk--;
    bulkTexts -= left;
    call.batched = call.costs.length;
    call.ran = call.costs.length;
    return left;
  }

  private int textsOf(C bulkCall) {
    int texts = 0;
    for (int place = Math.min(bulkCall.batched, bulkCall.ran); place < bulkCall.costs.length; place++) {
      boolean isLong = bulkCall.costs[place] > maxTokens;
      texts += place >= (isLong ? bulkCall.ran : bulkCall.batched) ? 1 : 0;
    }
    return texts;
  }

  boolean isBulk(C call) {
    return call.bulk;
  }

  /** How many texts of short calls wait. */
  int shortTexts() {
    return shortTexts;
  }

  /** How many bulk calls have texts that wait. */
  int numBulk() {
    return numBulk;
  }

  /** How many texts wait. */
  long texts() {
    return shortTexts + bulkTexts;
  }
}
