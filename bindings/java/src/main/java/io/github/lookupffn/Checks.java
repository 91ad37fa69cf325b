// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** Checks of the arguments of forward, before any of them reaches native code. */
final class Checks {
  private Checks() {}

  static long floats(int nTokens, int perToken) {
    if (nTokens < 0) {
      throw new IllegalArgumentException("nTokens is " + nTokens);
    }
    return (long) nTokens * perToken;
  }

  /** Returns the count as an int, which it is once it fits an array. */
  static int array(String name, int length, int offset, long count) {
    if (offset < 0 || offset > length) {
      throw new IllegalArgumentException(name + " has " + length + " elements, but its offset is " + offset);
    }
    if (count > length - offset) {
      throw new IllegalArgumentException(
          name + " has " + (length - offset) + " elements from its offset on, but " + count + " are needed");
    }
    return (int) count;
  }

  static void buffer(String name, FloatBuffer buffer, long count) {
    if (!buffer.isDirect()) {
      throw new IllegalArgumentException(
          name + " is not a direct buffer; use the forward that takes arrays, or ByteBuffer.allocateDirect");
    }
    if (buffer.order() != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException(
          name + " is " + buffer.order() + "; call order(ByteOrder.nativeOrder()) before asFloatBuffer()");
    }
    if (count > buffer.remaining()) {
      throw new IllegalArgumentException(
          name + " has " + buffer.remaining() + " elements from its position on, but " + count + " are needed");
    }
  }

  /** The same array may serve as both only when each token lands where it came from. */
  static void overlap(
      boolean sameSize, float[] x, int xOffset, int xCount, float[] y, int yOffset, int yCount) {
    if (x == y && xOffset < yOffset + yCount && yOffset < xOffset + xCount
        && !(xOffset == yOffset && sameSize)) {
      throw new IllegalArgumentException("x and y overlap");
    }
  }

  /** A number of threads, as native code takes it. */
  static int threads(int threads) {
    if (threads < 0 || threads > 1024) {
      throw new IllegalArgumentException("threads is " + threads + ", expected 0 to 1024");
    }
    return threads;
  }
}
