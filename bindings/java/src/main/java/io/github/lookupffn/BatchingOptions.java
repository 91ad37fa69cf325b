// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How an {@link EmbeddingBatcher} batches. Immutable: each {@code with} method returns a changed copy. */
public final class BatchingOptions {
  private static final BatchingOptions DEFAULTS = new BatchingOptions(32, Duration.ZERO, 4096);

  final int maxBatch;
  final Duration maxWait;
  final int maxQueue;

  private BatchingOptions(int maxBatch, Duration maxWait, int maxQueue) {
    this.maxBatch = maxBatch;
    this.maxWait = maxWait;
    this.maxQueue = maxQueue;
  }

  /**
   * {@return the defaults: at most 32 texts go together, those that came while the batch before was running, and at
   * most 4096 wait}
   */
  public static BatchingOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how many texts go together at most.
   *
   * @param maxBatch the number, from 1
   * @return a changed copy
   */
  public BatchingOptions withMaxBatch(int maxBatch) {
    return new BatchingOptions(positive(maxBatch, "maxBatch"), maxWait, maxQueue);
  }

  /**
   * Sets how long the first text of a batch waits for others at most.
   *
   * @param maxWait the time; zero for those only that are there
   * @return a changed copy
   */
  public BatchingOptions withMaxWait(Duration maxWait) {
    if (Objects.requireNonNull(maxWait, "maxWait").isNegative()) {
      throw new IllegalArgumentException("maxWait is " + maxWait + ", expected 0 or more");
    }
    return new BatchingOptions(maxBatch, maxWait, maxQueue);
  }

  /**
   * Sets how many texts wait at most; one more is refused.
   *
   * @param maxQueue the number, from 1
   * @return a changed copy
   */
  public BatchingOptions withMaxQueue(int maxQueue) {
    return new BatchingOptions(maxBatch, maxWait, positive(maxQueue, "maxQueue"));
  }

  private static int positive(int value, String name) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " is " + value + ", expected 1 or more");
    }
    return value;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof BatchingOptions)) {
      return false;
    }
    BatchingOptions options = (BatchingOptions) other;
    return maxBatch == options.maxBatch && maxQueue == options.maxQueue && maxWait.equals(options.maxWait);
  }

  @Override
  public int hashCode() {
    return Objects.hash(maxBatch, maxWait, maxQueue);
  }

  @Override
  public String toString() {
    return "BatchingOptions[batches of " + maxBatch + ", wait " + maxWait + ", queue of " + maxQueue + "]";
  }
}
