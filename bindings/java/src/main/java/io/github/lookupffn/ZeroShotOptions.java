// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** How to try labels. Immutable and free to be shared: each {@code with} method returns a changed copy. */
public final class ZeroShotOptions extends CallOptions<ZeroShotOptions> {
  private static final ZeroShotOptions DEFAULTS = new ZeroShotOptions();

  // UTF-8 with a closing zero; null: the native library's.
  byte[] hypothesis;
  long maxTokens = Abi.MAX_TOKENS_MODEL;
  boolean several;
  Cancellation cancellation;
  Executor executor = Async.DEFAULT;

  private ZeroShotOptions() {}

  @Override
  Cancellation cancellation() {
    return cancellation;
  }

  @Override
  Executor executor() {
    return executor;
  }

  private ZeroShotOptions copy() {
    ZeroShotOptions copy = new ZeroShotOptions();
    copy.hypothesis = hypothesis;
    copy.maxTokens = maxTokens;
    copy.several = several;
    copy.cancellation = cancellation;
    copy.executor = executor;
    return copy;
  }

  /**
   * {@return the defaults: the hypothesis is "This example is {}.", one label fits, and texts are cut to what the model
   * means to read}
   */
  public static ZeroShotOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets the hypothesis that is made of each label.
   *
   * @param template a sentence with {@code {}} in the place of the label
   * @return a changed copy
   */
  public ZeroShotOptions withHypothesis(String template) {
    ZeroShotOptions copy = copy();
    copy.hypothesis = Utf8.zeroTerminated(Objects.requireNonNull(template, "template"), "the template");
    return copy;
  }

  /**
   * Sets how many tokens a text and a label have at most; the text is cut.
   *
   * @param maxTokens the number; 0 to refuse texts that the model cannot run instead of cutting them
   * @return a changed copy
   */
  public ZeroShotOptions withMaxTokens(int maxTokens) {
    if (maxTokens < 0) {
      throw new IllegalArgumentException("maxTokens is " + maxTokens + ", expected 0 or more");
    }
    ZeroShotOptions copy = copy();
    copy.maxTokens = maxTokens == 0 ? Abi.MAX_TOKENS_NEVER : maxTokens;
    return copy;
  }

  /**
   * Sets whether any number of labels may fit, each with a probability of its own.
   *
   * @param on whether they may
   * @return a changed copy
   */
  public ZeroShotOptions withSeveral(boolean on) {
    ZeroShotOptions copy = copy();
    copy.several = on;
    return copy;
  }

  @Override
  public ZeroShotOptions withCancellation(@Nullable Cancellation cancellation) {
    ZeroShotOptions copy = copy();
    copy.cancellation = cancellation;
    return copy;
  }

  @Override
  public ZeroShotOptions withExecutor(Executor executor) {
    ZeroShotOptions copy = copy();
    copy.executor = Objects.requireNonNull(executor, "executor");
    return copy;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof ZeroShotOptions)) {
      return false;
    }
    ZeroShotOptions options = (ZeroShotOptions) other;
    return Arrays.equals(hypothesis, options.hypothesis)
        && maxTokens == options.maxTokens
        && several == options.several
        && cancellation == options.cancellation
        && executor == options.executor;
  }

  @Override
  public int hashCode() {
    return Objects.hash(Arrays.hashCode(hypothesis), maxTokens, several);
  }

  @Override
  public String toString() {
    return "ZeroShotOptions[" + (several ? "several labels" : "one label") + ", at most " + maxTokens + " tokens"
        + (hypothesis == null ? "]" : ", \"" + Utf8.text(Arrays.copyOf(hypothesis, hypothesis.length - 1)) + "\"]");
  }
}
