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
  private final long tokens;
  private final long cut;

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
    tokens = counters.tokens;
    cut = counters.cut;
  }

  /**
   * How many texts wait now, those included that the queue has no room for yet.
   *
   * @return the number
   */
  public int depth() {
    return depth;
  }

  /**
   * How many texts were let in.
   *
   * @return the number
   */
  public long accepted() {
    return accepted;
  }

  /**
   * How many texts were refused because too many waited.
   *
   * @return the number
   */
  public long refused() {
    return refused;
  }

  /**
   * How many texts their callers took back before their batch was begun.
   *
   * @return the number
   */
  public long withdrawn() {
    return withdrawn;
  }

  /**
   * How many texts ended with a failure.
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
   * How many texts went into them.
   *
   * @return the number
   */
  public long batched() {
    return batched;
  }

  /**
   * How many texts the largest batch had.
   *
   * @return the number
   */
  public int largestBatch() {
    return largestBatch;
  }

  /**
   * How long the texts of all batches waited before their batch was begun, together.
   *
   * @return the time
   */
  public Duration totalWait() {
    return totalWait;
  }

  /**
   * How long the text that waited longest did.
   *
   * @return the time
   */
  public Duration longestWait() {
    return longestWait;
  }

  /**
   * How many texts a batch had on average.
   *
   * @return the number; 0 before the first one
   */
  public double meanBatch() {
    return batches == 0 ? 0 : (double) batched / batches;
  }

  /**
   * How long a text waited on average.
   *
   * @return the time; none before the first one
   */
  public Duration meanWait() {
    return batched == 0 ? Duration.ZERO : totalWait.dividedBy(batched);
  }

  /**
   * How many tokens were run.
   *
   * @return the number
   */
  public long tokens() {
    return tokens;
  }

  /**
   * How many texts were too long, so that their ends were not read.
   *
   * @return the number
   */
  public long cut() {
    return cut;
  }

  @Override
  public String toString() {
    return "BatcherFigures[" + depth + " waiting, " + accepted + " accepted, " + refused + " refused, " + withdrawn
        + " withdrawn, " + failed + " failed, " + batches + " batches of " + meanBatch() + " (at most " + largestBatch
        + "), waited " + meanWait() + " (at most " + longestWait + ")]";
  }
}
