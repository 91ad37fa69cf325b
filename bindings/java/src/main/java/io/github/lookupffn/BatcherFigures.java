// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.time.Duration;

/** What an {@link EmbeddingBatcher} did since it was made, and what it has to do. */
public final class BatcherFigures {
  private final int depth;
  private final long accepted;
  private final long refused;
  private final long withdrawn;
  private final long failed;
  private final long batches;
  private final long batched;
  private final int largestBatch;
  private final Duration totalWait;
  private final Duration longestWait;

  BatcherFigures(int depth, BatcherQueue.Counters counters) {
    this.depth = depth;
    accepted = counters.accepted;
    refused = counters.refused;
    withdrawn = counters.withdrawn;
    failed = counters.failed;
    batches = counters.batches;
    batched = counters.batched;
    largestBatch = counters.largestBatch;
    totalWait = Duration.ofNanos(counters.totalWait);
    longestWait = Duration.ofNanos(counters.longestWait);
  }

  /**
   * How many requests wait now.
   *
   * @return the number
   */
  public int depth() {
    return depth;
  }

  /**
   * How many requests were let in.
   *
   * @return the number
   */
  public long accepted() {
    return accepted;
  }

  /**
   * How many requests were refused because too many waited.
   *
   * @return the number
   */
  public long refused() {
    return refused;
  }

  /**
   * How many requests their callers took back before their batch was begun.
   *
   * @return the number
   */
  public long withdrawn() {
    return withdrawn;
  }

  /**
   * How many requests ended with a failure.
   *
   * @return the number
   */
  public long failed() {
    return failed;
  }

  /**
   * How many batches were run.
   *
   * @return the number
   */
  public long batches() {
    return batches;
  }

  /**
   * How many requests went into them.
   *
   * @return the number
   */
  public long batched() {
    return batched;
  }

  /**
   * How many requests the largest batch had.
   *
   * @return the number
   */
  public int largestBatch() {
    return largestBatch;
  }

  /**
   * How long the requests of all batches waited before their batch was begun, together.
   *
   * @return the time
   */
  public Duration totalWait() {
    return totalWait;
  }

  /**
   * How long the request that waited longest did.
   *
   * @return the time
   */
  public Duration longestWait() {
    return longestWait;
  }

  /**
   * How many requests a batch had on average.
   *
   * @return the number; 0 before the first one
   */
  public double meanBatch() {
    return batches == 0 ? 0 : (double) batched / batches;
  }

  /**
   * How long a request waited on average.
   *
   * @return the time; none before the first one
   */
  public Duration meanWait() {
    return batched == 0 ? Duration.ZERO : totalWait.dividedBy(batched);
  }

  @Override
  public String toString() {
    return "BatcherFigures[" + depth + " waiting, " + accepted + " accepted, " + refused + " refused, " + withdrawn
        + " withdrawn, " + failed + " failed, " + batches + " batches of " + meanBatch() + " (at most " + largestBatch
        + "), waited " + meanWait() + " (at most " + longestWait + ")]";
  }
}
