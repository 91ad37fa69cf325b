// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.BatchingOptions;
import java.time.Duration;

/** How texts of concurrent calls are put together. */
public class BatchingProperties {
  /** Whether they are. */
  private boolean enabled = true;

  /** How many tokens go together at most, estimated of the texts' sizes; 0 for 256 for each thread of the model. */
  private int maxBatchTokens;

  /** How many texts go together at most. */
  private int maxBatch = 32;

  /** How long the first text of a batch waits for others at most. */
  private Duration maxWait = Duration.ZERO;

  /** The waiting room: how many texts of calls that fit into a batch wait at most. A single text more is refused. */
  private int maxQueue = 4096;

  /** How many calls that do not fit into a batch wait at most; those of embedders are never refused. */
  private int maxBulkCalls = 128;

  /** Made when properties are bound. */
  public BatchingProperties() {}

  BatchingOptions options(String prefix) {
    BatchingOptions options = BatchingOptions.defaults();
    options = LookupFfnPropertyException.checked(prefix + "max-batch-tokens", maxBatchTokens, options::withMaxBatchTokens);
    options = LookupFfnPropertyException.checked(prefix + "max-batch", maxBatch, options::withMaxBatch);
    options = LookupFfnPropertyException.checked(prefix + "max-wait", maxWait, options::withMaxWait);
    options = LookupFfnPropertyException.checked(prefix + "max-queue", maxQueue, options::withMaxQueue);
    return LookupFfnPropertyException.checked(prefix + "max-bulk-calls", maxBulkCalls, options::withMaxBulkCalls);
  }

  /** {@return whether texts are put together} */
  public boolean isEnabled() {
    return enabled;
  }

  /** @param enabled whether texts are put together */
  public void setEnabled(boolean enabled) {
    this.enabled = enabled;
  }

  /** {@return how many tokens go together at most} */
  public int getMaxBatchTokens() {
    return maxBatchTokens;
  }

  /** @param maxBatchTokens how many tokens go together at most */
  public void setMaxBatchTokens(int maxBatchTokens) {
    this.maxBatchTokens = maxBatchTokens;
  }

  /** {@return how many texts go together at most} */
  public int getMaxBatch() {
    return maxBatch;
  }

  /** @param maxBatch how many texts go together at most */
  public void setMaxBatch(int maxBatch) {
    this.maxBatch = maxBatch;
  }

  /** {@return how long the first text of a batch waits at most} */
  public Duration getMaxWait() {
    return maxWait;
  }

  /** @param maxWait how long the first text of a batch waits at most */
  public void setMaxWait(Duration maxWait) {
    this.maxWait = maxWait;
  }

  /** {@return how many texts of calls that fit into a batch wait at most} */
  public int getMaxQueue() {
    return maxQueue;
  }

  /** @param maxQueue how many texts of calls that fit into a batch wait at most */
  public void setMaxQueue(int maxQueue) {
    this.maxQueue = maxQueue;
  }

  /** {@return how many calls that do not fit into a batch wait at most} */
  public int getMaxBulkCalls() {
    return maxBulkCalls;
  }

  /** @param maxBulkCalls how many calls that do not fit into a batch wait at most */
  public void setMaxBulkCalls(int maxBulkCalls) {
    this.maxBulkCalls = maxBulkCalls;
  }
}
