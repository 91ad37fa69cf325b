package io.github.lookupffn;

/** How the vectors of a sequence's tokens become one. */
public enum Pooling {
  /** The vector of the first token. */
  FIRST(Abi.POOLING_FIRST),
  /** Their mean. */
  MEAN(Abi.POOLING_MEAN),
  /** The largest of each number. */
  MAX(Abi.POOLING_MAX);

  final int code;

  Pooling(int code) {
    this.code = code;
  }
}
