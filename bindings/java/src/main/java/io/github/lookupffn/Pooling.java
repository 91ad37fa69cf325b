// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How the vectors of a sequence's tokens become one. */
public enum Pooling {
  /** As the model's files say; the mean if they say nothing. */
  MODEL(Abi.POOLING_MODEL),
  /** The first token's vector. */
  FIRST(Abi.POOLING_FIRST),
  /** The mean. */
  MEAN(Abi.POOLING_MEAN),
  /** The maximum of each number. */
  MAX(Abi.POOLING_MAX),
  /** The sum divided by the square root of the number of tokens. */
  MEAN_SQRT(Abi.POOLING_MEAN_SQRT),
  /** The mean with the first token counted once, the second twice, and so on. */
  WEIGHTED_MEAN(Abi.POOLING_WEIGHTED_MEAN),
  /** The last token's vector. */
  LAST(Abi.POOLING_LAST);

  final int code;

  Pooling(int code) {
    this.code = code;
  }

  static Pooling ofCode(int code) {
    for (Pooling pooling : values()) {
      if (pooling.code == code) {
        return pooling;
      }
    }
    throw new IllegalArgumentException("no pooling has the code " + code);
  }
}
