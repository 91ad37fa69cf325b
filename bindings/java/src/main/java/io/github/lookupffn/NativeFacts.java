// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;

/** Facts that the native library gives as a row of numbers. */
abstract class NativeFacts {
  final long[] numbers;

  NativeFacts(long[] numbers) {
    this.numbers = numbers;
  }

  @Override
  public final boolean equals(Object other) {
    return other != null && other.getClass() == getClass() && Arrays.equals(numbers, ((NativeFacts) other).numbers);
  }

  @Override
  public final int hashCode() {
    return Arrays.hashCode(numbers);
  }
}
