// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How to look for answers. Immutable and free to be shared: each {@code with} method returns a changed copy. */
public final class AnswerOptions {
  private static final AnswerOptions DEFAULTS = new AnswerOptions();

  int topK = 1;
  long maxTokens = Abi.MAX_TOKENS_MODEL;
  long stride = Abi.STRIDE_DEFAULT;
  int maxAnswerTokens = 15;
  boolean mayBeNone;
  Cancellation cancellation;

  private AnswerOptions() {}

  private AnswerOptions copy() {
    AnswerOptions copy = new AnswerOptions();
    copy.topK = topK;
    copy.maxTokens = maxTokens;
    copy.stride = stride;
    copy.maxAnswerTokens = maxAnswerTokens;
    copy.mayBeNone = mayBeNone;
    copy.cancellation = cancellation;
    return copy;
  }

  /**
   * The defaults: one answer of at most 15 tokens, in windows of what the model means to read, at most 384 tokens.
   *
   * @return the defaults
   */
  public static AnswerOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how many answers are wanted.
   *
   * @param most the number, from 1
   * @return a changed copy
   */
  public AnswerOptions withTopK(int most) {
    AnswerOptions copy = copy();
    copy.topK = atLeast(most, 1, "most");
    return copy;
  }

  /**
   * Sets how many tokens a window has. Long contexts are read in several, each with the question.
   *
   * @param tokens the number, special ones counted; 0 for one window, however long
   * @return a changed copy
   */
  public AnswerOptions withMaxTokens(int tokens) {
    AnswerOptions copy = copy();
    copy.maxTokens = atLeast(tokens, 0, "tokens") == 0 ? Abi.MAX_TOKENS_NEVER : tokens;
    return copy;
  }

  /**
   * Sets how many tokens of the context a window has in common with the one before.
   *
   * @param tokens the number
   * @return a changed copy
   */
  public AnswerOptions withStride(int tokens) {
    AnswerOptions copy = copy();
    copy.stride = atLeast(tokens, 0, "tokens");
    return copy;
  }

  /**
   * Sets how many tokens an answer has at most, before it is widened to whole words.
   *
   * @param tokens the number, from 1
   * @return a changed copy
   */
  public AnswerOptions withMaxAnswerTokens(int tokens) {
    AnswerOptions copy = copy();
    copy.maxAnswerTokens = atLeast(tokens, 1, "tokens");
    return copy;
  }

  /**
   * Sets whether it is one of the answers, an empty one, that there is none.
   *
   * @param on whether it is
   * @return a changed copy
   */
  public AnswerOptions withMayBeNone(boolean on) {
    AnswerOptions copy = copy();
    copy.mayBeNone = on;
    return copy;
  }

  /**
   * Lets another thread end the call.
   *
   * @param byWhom what that thread holds; null for nobody
   * @return a changed copy
   */
  public AnswerOptions withCancellation(Cancellation byWhom) {
    AnswerOptions copy = copy();
    copy.cancellation = byWhom;
    return copy;
  }

  private static int atLeast(int value, int least, String name) {
    if (value < least) {
      throw new IllegalArgumentException(name + " is " + value + ", expected " + least + " or more");
    }
    return value;
  }
}
