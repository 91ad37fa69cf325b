// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** How to run a model. Immutable and free to be shared: each {@code with} method returns a changed copy. */
public final class RunOptions extends CallOptions<RunOptions> {
  private static final RunOptions DEFAULTS = new RunOptions(new Changed());

  /** As the native code takes them; never changed. Zero is the default of all but the stride: as the model means it. */
  final int[] numbers;
  final Pooling pooling;
  final long maxTokens;
  // UTF-8 with a closing zero.
  final byte[] prompt;
  final TextCounts counts;
  final TextStatuses statuses;
  final Cancellation cancellation;
  final RunProgress progress;
  final Executor executor;

  private RunOptions(Changed changed) {
    numbers = changed.numbers;
    pooling = changed.pooling;
    maxTokens = changed.maxTokens;
    prompt = changed.prompt;
    counts = changed.counts;
    statuses = changed.statuses;
    cancellation = changed.cancellation;
    progress = changed.progress;
    executor = changed.executor;
  }

  /** A copy that is being made. */
  private static final class Changed {
    final int[] numbers;
    Pooling pooling = Pooling.MODEL;
    long maxTokens = Abi.MAX_TOKENS_MODEL;
    byte[] prompt;
    TextCounts counts;
    TextStatuses statuses;
    Cancellation cancellation;
    RunProgress progress;
    Executor executor = Async.DEFAULT;

    Changed() {
      numbers = new int[Abi.RUN_OPTION_COUNT];
      numbers[Abi.RUN_OPTION_STRIDE] = Abi.STRIDE_DEFAULT;
    }

    Changed(RunOptions from) {
      numbers = from.numbers.clone();
      pooling = from.pooling;
      maxTokens = from.maxTokens;
      prompt = from.prompt;
      counts = from.counts;
      statuses = from.statuses;
      cancellation = from.cancellation;
      progress = from.progress;
      executor = from.executor;
    }
  }

  @Override
  Cancellation cancellation() {
    return cancellation;
  }

  @Override
  Executor executor() {
    return executor;
  }

  RunOptions with(int place, int number) {
    Changed changed = new Changed(this);
    changed.numbers[place] = number;
    return new RunOptions(changed);
  }

  private RunOptions withPrompt(int kind, byte[] utf8) {
    Changed changed = new Changed(this);
    changed.numbers[Abi.RUN_OPTION_PROMPT_KIND] = kind;
    changed.prompt = utf8;
    return new RunOptions(changed);
  }

  private RunOptions withTokens(long maxTokens) {
    Changed changed = new Changed(this);
    changed.maxTokens = maxTokens;
    return new RunOptions(changed);
  }

  /** Whether both options read texts, and make vectors of them, in the same way. */
  boolean readsLike(RunOptions other) {
    return Arrays.equals(numbers, other.numbers)
        && maxTokens == other.maxTokens
        && Arrays.equals(prompt, other.prompt);
  }

  /** The name of the prompt that is asked for by its name; null for none. */
  @Nullable String promptName() {
    return numbers[Abi.RUN_OPTION_PROMPT_KIND] == Abi.PROMPT_NAMED ? promptText() : null;
  }

  /** The prompt's own text, or its name. */
  String promptText() {
    return Utf8.text(Arrays.copyOf(prompt, prompt.length - 1));
  }

  boolean repairs() {
    return (numbers[Abi.RUN_OPTION_FLAGS] & Abi.RUN_REPAIR_TEXT) != 0;
  }

  /**
   * {@return the defaults: embeddings are made as the model means it, texts that are too long are cut to what it means
   * to read, scores are the model's own, calls run to their end, asynchronous ones on the common pool}
   */
  public static RunOptions defaults() {
    return DEFAULTS;
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
    return withTokens(maxTokens);
  }

  /**
   * Refuses texts of more tokens than the model can run, instead of cutting them.
   *
   * @return a changed copy
   */
  public RunOptions withoutCutting() {
    return withTokens(Abi.MAX_TOKENS_NEVER);
  }

  /**
   * Sets whether texts that are too long are read in windows instead of cut. Their embeddings are the means of their windows'.
   * {@link Model#embedWindows} gives each window's.
   *
   * @param on whether they are
   * @return a changed copy
   */
  public RunOptions withWindowMeans(boolean on) {
    return with(Abi.RUN_OPTION_WINDOWS, on ? Abi.WINDOWS_MEAN : Abi.WINDOWS_NONE);
  }

  /**
   * Sets how many tokens of a text a window repeats of the one before; by default half of a window's, at most 128.
   *
   * @param tokens the number
   * @return a changed copy
   */
  public RunOptions withStride(int tokens) {
    if (tokens < 0) {
      throw new IllegalArgumentException("tokens is " + tokens + ", expected 0 or more");
    }
    return with(Abi.RUN_OPTION_STRIDE, tokens);
  }

  /**
   * Sets whether halves of surrogate pairs in texts are read as replacement characters, U+FFFD, instead of refused.
   *
   * @param on whether they are
   * @return a changed copy
   */
  public RunOptions withRepair(boolean on) {
    return with(Abi.RUN_OPTION_FLAGS, on ? Abi.RUN_REPAIR_TEXT : 0);
  }

  /**
   * Sets whether texts are read as they are: neither stripped nor lower-cased as a sentence encoder's files say, and
   * without its default prompt.
   *
   * @param on whether they are
   * @return a changed copy
   */
  public RunOptions withPlainReading(boolean on) {
    return with(Abi.RUN_OPTION_READING, on ? Abi.READING_PLAIN : Abi.READING_MODEL);
  }

  /**
   * Puts one of the model's prompts before each text. If the model makes sparse or late vectors of queries and
   * documents differently, the prompt for queries or documents tells which of them the texts are.
   *
   * @param name of the prompt, such as "query"
   * @return a changed copy
   */
  public RunOptions withPrompt(String name) {
    return withPrompt(Abi.PROMPT_NAMED, Utf8.zeroTerminated(Objects.requireNonNull(name, "name"), "the prompt"));
  }

  /**
   * Puts a prompt before each text. It need not be in the model's files.
   *
   * @param text the prompt, such as "query: "
   * @return a changed copy
   */
  public RunOptions withPromptText(String text) {
    return withPrompt(Abi.PROMPT_TEXT, Utf8.zeroTerminated(Objects.requireNonNull(text, "text"), "the prompt"));
  }

  /**
   * Puts the model's prompt for queries before each text, if it has one, else its default one.
   *
   * @return a changed copy
   */
  public RunOptions withQueryPrompt() {
    return withPrompt(Abi.PROMPT_QUERY, null);
  }

  /**
   * Puts the model's prompt for documents before each text, named "document", "passage" or "corpus", if it has one, else its
   * default one.
   *
   * @return a changed copy
   */
  public RunOptions withDocumentPrompt() {
    return withPrompt(Abi.PROMPT_DOCUMENT, null);
  }

  /**
   * Puts no prompt before texts, not even the model's default one.
   *
   * @return a changed copy
   */
  public RunOptions withoutPrompt() {
    return withPrompt(Abi.PROMPT_NONE, null);
  }

  /**
   * Sets how embeddings are made of the vectors of the tokens.
   *
   * @param pooling as the model says, first, mean, max or mean divided by a square root
   * @return a changed copy
   */
  public RunOptions withPooling(Pooling pooling) {
    Changed changed = new Changed(this);
    changed.pooling = Objects.requireNonNull(pooling, "pooling");
    changed.numbers[Abi.RUN_OPTION_POOLING] = pooling.code;
    return new RunOptions(changed);
  }

  /**
   * Sets whether embeddings are divided by their Euclidean length, whatever the model says.
   *
   * @param on whether they are
   * @return a changed copy
   */
  public RunOptions withNormalization(boolean on) {
    return with(Abi.RUN_OPTION_NORMALIZE, on ? Abi.NORMALIZE_YES : Abi.NORMALIZE_NO);
  }

  /**
   * Sets how many weights a sparse vector has at most, the largest ones.
   *
   * @param weights the number; 0, the default, for what the model's files say; -1 for all
   * @return a changed copy
   */
  public RunOptions withMaxActive(int weights) {
    if (weights < Abi.MAX_ACTIVE_ALL) {
      throw new IllegalArgumentException("weights is " + weights + ", expected 1 or more, 0 for the model's number, -1 for all");
    }
    return with(Abi.RUN_OPTION_MAX_ACTIVE, weights);
  }

  /**
   * Sets a bound: only weights above it are in a sparse vector.
   *
   * @param weight 0, the default, or more
   * @return a changed copy
   */
  public RunOptions withMinWeight(float weight) {
    if (!(weight >= 0) || Float.isInfinite(weight)) {
      throw new IllegalArgumentException("weight is " + weight + ", expected 0 or more");
    }
    return with(Abi.RUN_OPTION_MIN_WEIGHT_BITS, Float.floatToRawIntBits(weight));
  }

  /**
   * Sets how many numbers an embedding has: that many of the first ones, scaled afterwards. This is for models that are
   * trained so that the first numbers alone are a less exact embedding.
   *
   * @param dimensions the number; 0 for all
   * @return a changed copy
   */
  public RunOptions withDimensions(int dimensions) {
    if (dimensions < 0) {
      throw new IllegalArgumentException("dimensions is " + dimensions + ", expected 0 or more");
    }
    return with(Abi.RUN_OPTION_DIMENSIONS, dimensions);
  }

  /**
   * Sets what the scores of classifiers and rerankers become.
   *
   * @param kind raw ones, probabilities, or what the model's files ask for
   * @return a changed copy
   */
  public RunOptions withScores(ScoreKind kind) {
    return with(Abi.RUN_OPTION_SCORES, Objects.requireNonNull(kind, "kind").code);
  }

  /**
   * Sets how many threads a call uses at most.
   *
   * @param threads the number; 0 for as many as the model has
   * @return a changed copy
   */
  public RunOptions withNumThreads(int threads) {
    if (threads < 0) {
      throw new IllegalArgumentException("threads is " + threads + ", expected 0 or more");
    }
    return with(Abi.RUN_OPTION_NUM_THREADS, threads);
  }

  /**
   * Lets calls on texts tell how many tokens each had, and whether it was cut.
   *
   * @param counts what receives those of one call at a time; null for nothing
   * @return a changed copy
   */
  public RunOptions withCounts(@Nullable TextCounts counts) {
    Changed changed = new Changed(this);
    changed.counts = counts;
    return new RunOptions(changed);
  }

  /**
   * Lets calls go on where a text of theirs cannot be run, and tell why. Such a text's numbers are zeros.
   *
   * @param statuses what receives those of one call at a time; null, the default, for calls that fail instead
   * @return a changed copy
   */
  public RunOptions withStatuses(@Nullable TextStatuses statuses) {
    Changed changed = new Changed(this);
    changed.statuses = statuses;
    return new RunOptions(changed);
  }

  @Override
  public RunOptions withCancellation(@Nullable Cancellation cancellation) {
    Changed changed = new Changed(this);
    changed.cancellation = cancellation;
    return new RunOptions(changed);
  }

  /**
   * Tells how far each call has come, in its own thread. Calls that are made of several, as of streams, tell of each; those
   * of a batcher tell nobody.
   *
   * @param listener the listener; null for none
   * @return a changed copy
   */
  public RunOptions withProgress(@Nullable RunProgress listener) {
    Changed changed = new Changed(this);
    changed.progress = listener;
    return new RunOptions(changed);
  }

  @Override
  public RunOptions withExecutor(Executor executor) {
    Changed changed = new Changed(this);
    changed.executor = Objects.requireNonNull(executor, "executor");
    return new RunOptions(changed);
  }

  /** Equal ones read texts alike and share their receivers, cancellation, listener and executor. */
  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof RunOptions)) {
      return false;
    }
    RunOptions options = (RunOptions) other;
    return readsLike(options)
        && counts == options.counts
        && statuses == options.statuses
        && cancellation == options.cancellation
        && progress == options.progress
        && executor == options.executor;
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Arrays.hashCode(numbers) + Long.hashCode(maxTokens)) + Arrays.hashCode(prompt);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("RunOptions[pooling ").append(pooling);
    int normalization = numbers[Abi.RUN_OPTION_NORMALIZE];
    if (normalization != Abi.NORMALIZE_MODEL) {
      text.append(normalization == Abi.NORMALIZE_YES ? ", normalized" : ", not normalized");
    }
    if (maxTokens != Abi.MAX_TOKENS_MODEL) {
      text.append(maxTokens == Abi.MAX_TOKENS_NEVER ? ", never cut" : ", at most " + maxTokens + " tokens");
    }
    if (numbers[Abi.RUN_OPTION_READING] == Abi.READING_PLAIN) {
      text.append(", read plainly");
    }
    if (prompt != null) {
      text.append(promptName() != null ? ", prompt named \"" : ", prompt \"").append(promptText()).append('"');
    } else if (numbers[Abi.RUN_OPTION_PROMPT_KIND] != Abi.PROMPT_MODEL) {
      int kind = numbers[Abi.RUN_OPTION_PROMPT_KIND];
      text.append(kind == Abi.PROMPT_NONE ? ", no prompt" : kind == Abi.PROMPT_QUERY ? ", queries" : ", documents");
    }
    if (numbers[Abi.RUN_OPTION_DIMENSIONS] != 0) {
      text.append(", ").append(numbers[Abi.RUN_OPTION_DIMENSIONS]).append(" dimensions");
    }
    if (numbers[Abi.RUN_OPTION_SCORES] != ScoreKind.RAW.code) {
      text.append(", scores ").append(numbers[Abi.RUN_OPTION_SCORES] == ScoreKind.MODEL.code ? "MODEL" : "PROBABILITIES");
    }
    if (numbers[Abi.RUN_OPTION_NUM_THREADS] != 0) {
      text.append(", at most ").append(numbers[Abi.RUN_OPTION_NUM_THREADS]).append(" threads");
    }
    if (numbers[Abi.RUN_OPTION_WINDOWS] != Abi.WINDOWS_NONE) {
      text.append(", means of windows");
    }
    if (numbers[Abi.RUN_OPTION_STRIDE] != Abi.STRIDE_DEFAULT) {
      text.append(", stride ").append(numbers[Abi.RUN_OPTION_STRIDE]);
    }
    int active = numbers[Abi.RUN_OPTION_MAX_ACTIVE];
    if (active != Abi.MAX_ACTIVE_MODEL) {
      text.append(active == Abi.MAX_ACTIVE_ALL ? ", all weights" : ", at most " + active + " weights");
    }
    if (numbers[Abi.RUN_OPTION_MIN_WEIGHT_BITS] != 0) {
      text.append(", weights above ").append(Float.intBitsToFloat(numbers[Abi.RUN_OPTION_MIN_WEIGHT_BITS]));
    }
    if (repairs()) {
      text.append(", repaired");
    }
    return text.append(']').toString();
  }
}
