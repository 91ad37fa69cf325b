// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How near two vectors of floats or bytes are. Vectors of bits are compared by how many bits differ: the fewer, the nearer. */
public enum Measure {
  /** The dot product; float32 and int8. Of embeddings with length 1 it is the cosine. */
  DOT(Abi.MEASURE_DOT),
  /** The dot product divided by both lengths, -1 to 1; float32 and int8. 0 if a length is 0. Scales play no part. */
  COSINE(Abi.MEASURE_COSINE);

  final int value;

  Measure(int value) {
    this.value = value;
  }
}
