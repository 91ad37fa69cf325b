// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A vector in a quarter of the memory: bytes and what they are to be multiplied by. */
public final class Int8Embedding {
  private final byte[] numbers;
  private final float scale;

  Int8Embedding(byte[] numbers, float scale) {
    this.numbers = numbers;
    this.scale = scale;
  }

  /**
   * A vector of length 1 as bytes whose scale is the same for all such vectors. So dot products of bytes, by which the
   * byte fields of search engines compare, rank as those of the floats do. {@link Model#embedInt8} is more exact: its
   * bytes have a scale for each vector, and are to be compared by cosine.
   *
   * @param vector a vector of length 1, whose numbers are -1 to 1
   * @return its bytes, with the scale 1/127
   */
  public static Int8Embedding ofFixedScale(float[] vector) {
    return ofFixedScale(vector, 1);
  }

  /**
   * A vector of length 1 as bytes whose scale is the same for all vectors that are made with the same largest number, which is
   * more exact than {@link #ofFixedScale(float[])}: numbers of long vectors are small.
   *
   * @param vector a vector of length 1, whose numbers are -1 to 1
   * @param largest what becomes 127, above 0 and at most 1, such as the largest number of many vectors of the model; larger
   *     numbers become 127, too
   * @return its bytes, with the scale largest/127
   */
  public static Int8Embedding ofFixedScale(float[] vector, float largest) {
    if (!(largest > 0 && largest <= 1)) {
      throw new IllegalArgumentException("largest is " + largest + ", expected above 0 and at most 1");
    }
    byte[] bytes = new byte[vector.length];
    for (int i = 0; i < bytes.length; i++) {
      if (!(Math.abs(vector[i]) <= 1.001f)) {
        throw new IllegalArgumentException(
            "number " + i + " is " + vector[i] + ", but those of a vector of length 1 are -1 to 1; use withNormalization");
      }
      bytes[i] = (byte) Math.rint(127 * Math.max(-1, Math.min(1, vector[i] / largest)));
    }
    return new Int8Embedding(bytes, largest / 127);
  }

  /** {@return the bytes, not a copy} */
  public byte[] numbers() {
    return numbers;
  }

  /** {@return what each byte is to be multiplied by} */
  public float scale() {
    return scale;
  }

  /** {@return the vector that the bytes stand for, in a new array} */
  public float[] toFloats() {
    float[] floats = new float[numbers.length];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = scale * numbers[i];
    }
    return floats;
  }

  @Override
  public boolean equals(@Nullable Object other) {
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
