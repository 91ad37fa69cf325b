// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import org.jspecify.annotations.Nullable;

/** How much native memory a model takes, told before it is loaded. */
public final class MemoryEstimate {
  private final long weightBytes;
  private final long loadingBytes;

  MemoryEstimate(long[] numbers) {
    weightBytes = numbers[Abi.ESTIMATE_WEIGHT_BYTES];
    loadingBytes = numbers[Abi.ESTIMATE_LOADING_BYTES];
  }

  /** {@return what {@link ModelInfo#memoryBytes} will be, or a little more} */
  public long weightBytes() {
    return weightBytes;
  }

  /** {@return the most memory that weights and work take together while the model is loaded} */
  public long loadingBytes() {
    return loadingBytes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof MemoryEstimate)) {
      return false;
    }
    MemoryEstimate estimate = (MemoryEstimate) other;
    return weightBytes == estimate.weightBytes && loadingBytes == estimate.loadingBytes;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(weightBytes) + Long.hashCode(loadingBytes);
  }

  @Override
  public String toString() {
    return "MemoryEstimate[" + weightBytes + " bytes of weights, " + loadingBytes + " while loading]";
  }
}
