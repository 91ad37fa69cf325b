// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;

/** A vector in a quarter of the memory: bytes and what they are to be multiplied by. */
public final class Int8Embedding {
  private final byte[] numbers;
  private final float scale;

  Int8Embedding(byte[] numbers, float scale) {
    this.numbers = numbers;
    this.scale = scale;
  }

  /**
   * The bytes.
   *
   * @return the bytes, not a copy
   */
  public byte[] numbers() {
    return numbers;
  }

  /**
   * What each byte is to be multiplied by.
   *
   * @return the factor
   */
  public float scale() {
    return scale;
  }

  /**
   * The vector that the bytes stand for.
   *
   * @return a new array of it
   */
  public float[] toFloats() {
    float[] floats = new float[numbers.length];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = scale * numbers[i];
    }
    return floats;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Int8Embedding)) {
      return false;
    }
    Int8Embedding embedding = (Int8Embedding) other;
    return Float.compare(scale, embedding.scale) == 0 && Arrays.equals(numbers, embedding.numbers);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(numbers) + Float.hashCode(scale);
  }

  @Override
  public String toString() {
    return "Int8Embedding[" + numbers.length + " bytes, scale " + scale + "]";
  }
}
