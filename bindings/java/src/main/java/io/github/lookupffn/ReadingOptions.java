// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Objects;

/** How texts are read: where they are cut, what is put before them, what becomes of what cannot be read. */
abstract class ReadingOptions extends CallOptions<RunOptions> {
  ReadingOptions() {}

  abstract RunOptions with(int place, int number);

  abstract RunOptions withPrompt(int kind, byte[] utf8);

  abstract RunOptions withTokens(long maxTokens);

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
   * Puts one of the model's prompts before each text. Where sparse or late vectors of queries are made otherwise than those of
   * documents, a prompt for queries or documents says which texts are.
   *
   * @param name of the prompt, such as "query"
   * @return a changed copy
   */
  public RunOptions withPrompt(String name) {
    return withPrompt(Abi.PROMPT_NAMED, Utf8.zeroTerminated(Objects.requireNonNull(name, "name"), "the prompt"));
  }

  /**
   * Puts a prompt before each text, of which the model's files need not know.
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
}
