// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/**
 * How the classes of tokens become entities. {@code B-} before a label begins an entity, {@code I-} continues one of
 * the same kind.
 */
public enum Aggregation {
  /** Each token by itself, then neighbours of the same kind become one. */
  SIMPLE(Abi.AGGREGATION_SIMPLE),
  /** Each token is an entity. */
  NONE(Abi.AGGREGATION_NONE),
  /** Words by the class of their first token, then as {@link #SIMPLE}. */
  FIRST(Abi.AGGREGATION_FIRST),
  /** Words by the mean of their tokens' probabilities. */
  AVERAGE(Abi.AGGREGATION_AVERAGE),
  /** Words by their most certain token. */
  MAX(Abi.AGGREGATION_MAX);

  final int code;

  Aggregation(int code) {
    this.code = code;
  }
}
