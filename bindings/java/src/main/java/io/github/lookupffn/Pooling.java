// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How the vectors of a sequence's tokens become one. */
public enum Pooling {
  /** As the model's files say; their mean where they say nothing. */
  MODEL(Abi.POOLING_MODEL),
  /** The vector of the first token. */
  FIRST(Abi.POOLING_FIRST),
  /** Their mean. */
  MEAN(Abi.POOLING_MEAN),
  /** The largest of each number. */
  MAX(Abi.POOLING_MAX),
  /** Their sum divided by the square root of their number. */
  MEAN_SQRT(Abi.POOLING_MEAN_SQRT),
  /** Their mean, in which the first token counts once, the second twice, and so on. */
  WEIGHTED_MEAN(Abi.POOLING_WEIGHTED_MEAN),
  /** The vector of the last token. */
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
