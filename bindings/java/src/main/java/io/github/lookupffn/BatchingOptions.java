// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How an {@link EmbeddingBatcher} batches. Immutable: each {@code with} method returns a changed copy. */
public final class BatchingOptions {
  static final int TOKENS_OF_THREAD = 256;
  private static final BatchingOptions DEFAULTS = new BatchingOptions(0, 32, Duration.ZERO, 4096, 128);

  final int maxBatchTokens;
  final int maxBatch;
  final Duration maxWait;
  final int maxQueue;
  final int maxBulkCalls;

  private BatchingOptions(int maxBatchTokens, int maxBatch, Duration maxWait, int maxQueue, int maxBulkCalls) {
    this.maxBatchTokens = maxBatchTokens;
    this.maxBatch = maxBatch;
    this.maxWait = maxWait;
    this.maxQueue = maxQueue;
    this.maxBulkCalls = maxBulkCalls;
  }

  /**
   * {@return the defaults: a batch has at most 256 tokens for each thread of the model and at most 32 texts, and takes
   * the texts that came while the batch before was running; at most 4096 texts of calls that fit into a batch may wait,
   * and at most 128 other calls}
   */
  public static BatchingOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how many tokens go together at most, estimated from the texts' sizes. Larger batches take longer to fill and
   * hardly run faster. A single text with more tokens runs beside the batches.
   *
   * @param maxBatchTokens the number, from 1; 0, the default, for 256 for each thread of the model
   * @return a changed copy
   */
  public BatchingOptions withMaxBatchTokens(int maxBatchTokens) {
    if (maxBatchTokens < 0) {
      throw new IllegalArgumentException("maxBatchTokens is " + maxBatchTokens + ", expected 0 or more");
    }
    return new BatchingOptions(maxBatchTokens, maxBatch, maxWait, maxQueue, maxBulkCalls);
  }

  /**
   * Sets how many texts go together at most.
   *
   * @param maxBatch the number, from 1
   * @return a changed copy
   */
  public BatchingOptions withMaxBatch(int maxBatch) {
    return new BatchingOptions(maxBatchTokens, positive(maxBatch, "maxBatch"), maxWait, maxQueue, maxBulkCalls);
  }

  /**
   * Sets how long the first text of a batch waits for others at most.
   *
   * @param maxWait the time; zero to take only texts that already wait
   * @return a changed copy
   */
  public BatchingOptions withMaxWait(Duration maxWait) {
    if (Objects.requireNonNull(maxWait, "maxWait").isNegative()) {
      throw new IllegalArgumentException("maxWait is " + maxWait + ", expected 0 or more");
    }
    return new BatchingOptions(maxBatchTokens, maxBatch, maxWait, maxQueue, maxBulkCalls);
  }

  /**
   * Sets how many texts of calls that fit into a batch wait at most; one more is refused.
   *
   * @param maxQueue the number, from 1
   * @return a changed copy
   */
  public BatchingOptions withMaxQueue(int maxQueue) {
    return new BatchingOptions(maxBatchTokens, maxBatch, maxWait, positive(maxQueue, "maxQueue"), maxBulkCalls);
  }

  /**
   * Sets how many calls that do not fit into a batch wait at most; one more is refused.
   *
   * @param maxBulkCalls the number, from 1
   * @return a changed copy
   */
  public BatchingOptions withMaxBulkCalls(int maxBulkCalls) {
    return new BatchingOptions(maxBatchTokens, maxBatch, maxWait, maxQueue, positive(maxBulkCalls, "maxBulkCalls"));
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
    return maxBatchTokens == options.maxBatchTokens
        && maxBatch == options.maxBatch
        && maxQueue == options.maxQueue
        && maxBulkCalls == options.maxBulkCalls
        && maxWait.equals(options.maxWait);
  }

  @Override
  public int hashCode() {
    return Objects.hash(maxBatchTokens, maxBatch, maxWait, maxQueue, maxBulkCalls);
  }

  @Override
  public String toString() {
    return "BatchingOptions[batches of " + maxBatch + " texts, "
        + (maxBatchTokens == 0 ? TOKENS_OF_THREAD + " tokens for each thread" : maxBatchTokens + " tokens") + ", wait "
        + maxWait + ", queue of " + maxQueue + " texts, " + maxBulkCalls + " bulk calls]";
  }
}
