// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Executor;

/** How to run a model. Immutable and free to be shared: each {@code with} method returns a changed copy. */
public final class RunOptions {
  private static final RunOptions DEFAULTS = new RunOptions();

  Pooling pooling = Pooling.MODEL;
  int normalization = Abi.NORMALIZE_MODEL;
  long maxTokens = Abi.MAX_TOKENS_MODEL;
  int promptKind = Abi.PROMPT_MODEL;
  // UTF-8 with a closing zero.
  byte[] prompt;
  ScoreKind scores = ScoreKind.RAW;
  TextCounts counts;
  Cancellation cancellation;
  Executor executor = Async.DEFAULT;

  private RunOptions() {}

  private RunOptions copy() {
    RunOptions copy = new RunOptions();
    copy.pooling = pooling;
    copy.normalization = normalization;
    copy.maxTokens = maxTokens;
    copy.promptKind = promptKind;
    copy.prompt = prompt;
    copy.scores = scores;
    copy.counts = counts;
    copy.cancellation = cancellation;
    copy.executor = executor;
    return copy;
  }

  /** Whether texts are read, and made vectors of, in the same way. */
  boolean readsLike(RunOptions other) {
    return pooling == other.pooling
        && normalization == other.normalization
        && maxTokens == other.maxTokens
        && promptKind == other.promptKind
        && Arrays.equals(prompt, other.prompt);
  }

  /**
   * The defaults: embeddings are made as the model means it, texts that are too long are cut to what it means to read,
   * scores are the model's own, calls run to their end, asynchronous ones on the common pool.
   *
   * @return the defaults
   */
  public static RunOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how embeddings are made of the vectors of the tokens.
   *
   * @param how as the model says, first, mean, max or mean divided by a square root
   * @return a changed copy
   */
  public RunOptions withPooling(Pooling how) {
    RunOptions copy = copy();
    copy.pooling = Objects.requireNonNull(how, "how");
    return copy;
  }

  /**
   * Sets whether embeddings are divided by their Euclidean length, whatever the model says.
   *
   * @param on whether they are
   * @return a changed copy
   */
  public RunOptions withNormalization(boolean on) {
    RunOptions copy = copy();
    copy.normalization = on ? Abi.NORMALIZE_YES : Abi.NORMALIZE_NO;
    return copy;
  }

  /**
   * Sets how many tokens of a text are read at most, special ones counted.
   *
   * @param maxTokens the number; the model may read fewer
   * @return a changed copy
   */
  public RunOptions withMaxTokens(int maxTokens) {
    if (maxTokens < 1) {
      throw new IllegalArgumentException("maxTokens is " + maxTokens + ", expected 1 or more");
    }
    RunOptions copy = copy();
    copy.maxTokens = maxTokens;
    return copy;
  }

  /**
   * Refuses texts of more tokens than the model can run, instead of cutting them.
   *
   * @return a changed copy
   */
  public RunOptions withoutCutting() {
    RunOptions copy = copy();
    copy.maxTokens = Abi.MAX_TOKENS_NEVER;
    return copy;
  }

  /**
   * Puts one of the model's prompts before each text.
   *
   * @param name of the prompt, such as "query"
   * @return a changed copy
   */
  public RunOptions withPrompt(String name) {
    RunOptions copy = copy();
    copy.prompt = Utf8.zeroTerminated(name);
    copy.promptKind = Abi.PROMPT_NAMED;
    return copy;
  }

  /**
   * Puts a prompt before each text, of which the model's files need not know.
   *
   * @param text the prompt, such as "query: "
   * @return a changed copy
   */
  public RunOptions withPromptText(String text) {
    RunOptions copy = copy();
    copy.prompt = Utf8.zeroTerminated(text);
    copy.promptKind = Abi.PROMPT_TEXT;
    return copy;
  }

  /**
   * Puts no prompt before texts, not even the model's default one.
   *
   * @return a changed copy
   */
  public RunOptions withoutPrompt() {
    RunOptions copy = copy();
    copy.prompt = null;
    copy.promptKind = Abi.PROMPT_NONE;
    return copy;
  }

  /**
   * Sets what the scores of classifiers and rerankers become.
   *
   * @param kind raw ones, probabilities, or what the model's files ask for
   * @return a changed copy
   */
  public RunOptions withScores(ScoreKind kind) {
    RunOptions copy = copy();
    copy.scores = Objects.requireNonNull(kind, "kind");
    return copy;
  }

  /**
   * Lets calls on texts tell how many tokens each had, and whether it was cut.
   *
   * @param where what receives the counts of one call at a time; null for nothing
   * @return a changed copy
   */
  public RunOptions withCounts(TextCounts where) {
    RunOptions copy = copy();
    copy.counts = where;
    return copy;
  }

  /**
   * Lets another thread end the call. Asynchronous calls end as well when their future is cancelled.
   *
   * @param byWhom what that thread holds; null for nobody
   * @return a changed copy
   */
  public RunOptions withCancellation(Cancellation byWhom) {
    RunOptions copy = copy();
    copy.cancellation = byWhom;
    return copy;
  }

  /**
   * Sets who runs asynchronous calls.
   *
   * @param by an executor
   * @return a changed copy
   */
  public RunOptions withExecutor(Executor by) {
    RunOptions copy = copy();
    copy.executor = Objects.requireNonNull(by, "by");
    return copy;
  }
}
