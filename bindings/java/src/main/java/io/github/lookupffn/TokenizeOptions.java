// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How to turn texts into tokens. Immutable: each {@code with} method returns a changed copy. */
public final class TokenizeOptions {
  private static final TokenizeOptions DEFAULTS =
      new TokenizeOptions(0, Abi.MAX_TOKENS_NEVER, 0, null);

  final int flags;
  final long maxTokens;
  final int numThreads;
  final Cancellation cancellation;

  private TokenizeOptions(int flags, long maxTokens, int numThreads, Cancellation cancellation) {
    this.flags = flags;
    this.maxTokens = maxTokens;
    this.numThreads = numThreads;
    this.cancellation = cancellation;
  }

  private TokenizeOptions with(int flag, boolean on) {
    return new TokenizeOptions(on ? flags | flag : flags & ~flag, maxTokens, numThreads, cancellation);
  }

  boolean repairs() {
    return (flags & Abi.ENCODE_REPAIR_TEXT) != 0;
  }

  /** {@return the defaults: the special tokens are put around texts, which are not cut} */
  public static TokenizeOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets whether the special tokens are put around texts, as models want them.
   *
   * @param on whether they are
   * @return a changed copy
   */
  public TokenizeOptions withSpecialTokens(boolean on) {
    return with(Abi.ENCODE_SKIP_SPECIAL, !on);
  }

  /**
   * Sets how many tokens there are at most, special ones counted; of a pair the longer text is cut first.
   *
   * @param maxTokens the number; 0 for what the tokenizer's files say
   * @return a changed copy
   */
  public TokenizeOptions withMaxTokens(int maxTokens) {
    if (maxTokens < 0) {
      throw new IllegalArgumentException("maxTokens is " + maxTokens + ", expected 0 or more");
    }
    return new TokenizeOptions(flags, maxTokens, numThreads, cancellation);
  }

  /**
   * Sets whether halves of surrogate pairs are read as replacement characters, U+FFFD, instead of refused.
   *
   * @param on whether they are
   * @return a changed copy
   */
  public TokenizeOptions withRepair(boolean on) {
    return with(Abi.ENCODE_REPAIR_TEXT, on);
  }

  /**
   * Sets how many threads a call on several texts uses at most.
   *
   * @param threads the number; 0 for as many as the tokenizer has
   * @return a changed copy
   */
  public TokenizeOptions withNumThreads(int threads) {
    if (threads < 0) {
      throw new IllegalArgumentException("threads is " + threads + ", expected 0 or more");
    }
    return new TokenizeOptions(flags, maxTokens, threads, cancellation);
  }

  /**
   * Lets another thread end the call.
   *
   * @param cancellation the one that the other thread cancels; null for none
   * @return a changed copy
   */
  public TokenizeOptions withCancellation(@Nullable Cancellation cancellation) {
    return new TokenizeOptions(flags, maxTokens, numThreads, cancellation);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof TokenizeOptions)) {
      return false;
    }
    TokenizeOptions options = (TokenizeOptions) other;
    return flags == options.flags
        && maxTokens == options.maxTokens
        && numThreads == options.numThreads
        && cancellation == options.cancellation;
  }

  @Override
  public int hashCode() {
    return Objects.hash(flags, maxTokens, numThreads);
  }

  @Override
  public String toString() {
    return "TokenizeOptions[" + ((flags & Abi.ENCODE_SKIP_SPECIAL) != 0 ? "bare" : "with special tokens")
        + (repairs() ? ", repaired" : "")
        + (numThreads == 0 ? "" : ", at most " + numThreads + " threads")
        + (maxTokens == Abi.MAX_TOKENS_NEVER ? "]" : ", at most " + maxTokens + " tokens]");
  }
}
