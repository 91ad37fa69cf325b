// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** How to look for answers. Immutable and free to be shared: each {@code with} method returns a changed copy. */
public final class AnswerOptions extends CallOptions<AnswerOptions> {
  private static final AnswerOptions DEFAULTS = new AnswerOptions();

  int topK = 1;
  long maxTokens = Abi.MAX_TOKENS_MODEL;
  long stride = Abi.STRIDE_DEFAULT;
  int maxAnswerTokens = 15;
  boolean mayBeNone;
  Cancellation cancellation;
  Executor executor = Async.DEFAULT;

  private AnswerOptions() {}

  @Override
  Cancellation cancellation() {
    return cancellation;
  }

  @Override
  Executor executor() {
    return executor;
  }

  private AnswerOptions copy() {
    AnswerOptions copy = new AnswerOptions();
    copy.topK = topK;
    copy.maxTokens = maxTokens;
    copy.stride = stride;
    copy.maxAnswerTokens = maxAnswerTokens;
    copy.mayBeNone = mayBeNone;
    copy.cancellation = cancellation;
    copy.executor = executor;
    return copy;
  }

  /**
   * {@return the defaults: one answer of at most 15 tokens, in windows of what the model means to read, at most 384
   * tokens}
   */
  public static AnswerOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how many answers are wanted.
   *
   * @param topK the number, from 1
   * @return a changed copy
   */
  public AnswerOptions withTopK(int topK) {
    AnswerOptions copy = copy();
    copy.topK = atLeast(topK, 1, "topK");
    return copy;
  }

  /**
   * Sets how many tokens a window has. Long contexts are read in several, each with the question.
   *
   * @param maxTokens the number, special ones counted; 0 for one window, however long
   * @return a changed copy
   */
  public AnswerOptions withMaxTokens(int maxTokens) {
    AnswerOptions copy = copy();
    copy.maxTokens = atLeast(maxTokens, 0, "maxTokens") == 0 ? Abi.MAX_TOKENS_NEVER : maxTokens;
    return copy;
  }

  /**
   * Sets how many tokens of the context a window has in common with the one before.
   *
   * @param stride the number
   * @return a changed copy
   */
  public AnswerOptions withStride(int stride) {
    AnswerOptions copy = copy();
    copy.stride = atLeast(stride, 0, "stride");
    return copy;
  }

  /**
   * Sets how many tokens an answer has at most, before it is widened to whole words.
   *
   * @param maxAnswerTokens the number, from 1
   * @return a changed copy
   */
  public AnswerOptions withMaxAnswerTokens(int maxAnswerTokens) {
    AnswerOptions copy = copy();
    copy.maxAnswerTokens = atLeast(maxAnswerTokens, 1, "maxAnswerTokens");
    return copy;
  }

  /**
   * Sets whether "there is no answer" may be one of the answers, as an empty one.
   *
   * @param on whether it may
   * @return a changed copy
   */
  public AnswerOptions withMayBeNone(boolean on) {
    AnswerOptions copy = copy();
    copy.mayBeNone = on;
    return copy;
  }

  @Override
  public AnswerOptions withCancellation(@Nullable Cancellation cancellation) {
    AnswerOptions copy = copy();
    copy.cancellation = cancellation;
    return copy;
  }

  @Override
  public AnswerOptions withExecutor(Executor executor) {
    AnswerOptions copy = copy();
    copy.executor = Objects.requireNonNull(executor, "executor");
    return copy;
  }

  private static int atLeast(int value, int least, String name) {
    if (value < least) {
      throw new IllegalArgumentException(name + " is " + value + ", expected " + least + " or more");
    }
    return value;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof AnswerOptions)) {
      return false;
    }
    AnswerOptions options = (AnswerOptions) other;
    return topK == options.topK
        && maxTokens == options.maxTokens
        && stride == options.stride
        && maxAnswerTokens == options.maxAnswerTokens
        && mayBeNone == options.mayBeNone
        && cancellation == options.cancellation
        && executor == options.executor;
  }

  @Override
  public int hashCode() {
    return Objects.hash(topK, maxTokens, stride, maxAnswerTokens, mayBeNone);
  }

  @Override
  public String toString() {
    return "AnswerOptions[top " + topK + ", at most " + maxAnswerTokens + " tokens, windows of " + maxTokens + ", stride "
        + stride + (mayBeNone ? ", may be none]" : "]");
  }
}
