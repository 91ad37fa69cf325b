// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.time.Duration;

/** What an {@link EmbeddingBatcher} did since it was made, and what it has to do. */
public final class BatcherFigures {
  private final int depth;
  private final int bulkCalls;
  private final long accepted;
  private final long refused;
  private final long withdrawn;
  private final long failed;
  private final long batches;
  private final long batched;
  private final int largestBatch;
  private final Duration totalWait;
  private final Duration longestWait;
  private final long tokens;
  private final long cut;

  BatcherFigures(int depth, int bulkCalls, BatcherQueue.Counters counters) {
    this.depth = depth;
    this.bulkCalls = bulkCalls;
    accepted = counters.accepted;
    refused = counters.refused;
    withdrawn = counters.withdrawn;
    failed = counters.failed;
    batches = counters.batches;
    batched = counters.batched;
    largestBatch = counters.largestBatch;
    totalWait = Duration.ofNanos(counters.totalWait);
    longestWait = Duration.ofNanos(counters.longestWait);
    tokens = counters.tokens;
    cut = counters.cut;
  }

  /** {@return how many texts wait now, those of calls of many texts included} */
  public int depth() {
    return depth;
  }

  /** {@return how many calls that do not fit into a batch wait now} */
  public int bulkCalls() {
    return bulkCalls;
  }

  /** {@return how many texts were let in} */
  public long accepted() {
    return accepted;
  }

  /** {@return how many texts were refused because too many waited} */
  public long refused() {
    return refused;
  }

  /** {@return how many texts their callers took back before their batch was begun} */
  public long withdrawn() {
    return withdrawn;
  }

  /** {@return how many texts ended with a failure} */
  public long failed() {
    return failed;
  }

  /** {@return how many batches were run, those of one long text alone included} */
  public long batches() {
    return batches;
  }

  /** {@return how many texts went into them} */
  public long batched() {
    return batched;
  }

  /** {@return how many texts the largest batch had} */
  public int largestBatch() {
    return largestBatch;
  }

  /** {@return how long all texts together waited before their batches were begun} */
  public Duration totalWait() {
    return totalWait;
  }

  /** {@return the longest time that a text waited} */
  public Duration longestWait() {
    return longestWait;
  }

  /** {@return how many texts a batch had on average; 0 before the first one} */
  public double meanBatch() {
    return batches == 0 ? 0 : (double) batched / batches;
  }

  /** {@return how long a text waited on average; none before the first one} */
  public Duration meanWait() {
    return batched == 0 ? Duration.ZERO : totalWait.dividedBy(batched);
  }

  /** {@return how many tokens were run} */
  public long tokens() {
    return tokens;
  }

  /** {@return how many texts were too long, so that their ends were not read} */
  public long cut() {
    return cut;
  }

  @Override
  public String toString() {
    return "BatcherFigures[" + depth + " waiting, " + bulkCalls + " bulk calls, " + accepted + " accepted, " + refused + " refused, " + withdrawn
        + " withdrawn, " + failed + " failed, " + batches + " batches of " + meanBatch() + " (at most " + largestBatch
        + "), waited " + meanWait() + " (at most " + longestWait + ")]";
  }
}
