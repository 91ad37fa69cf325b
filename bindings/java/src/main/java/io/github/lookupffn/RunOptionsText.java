// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;

/** What run options say, to be read by people. */
final class RunOptionsText {
  private RunOptionsText() {}

  static String of(RunOptions options) {
    int[] numbers = options.numbers;
    long maxTokens = options.maxTokens;
    byte[] prompt = options.prompt;
    StringBuilder text = new StringBuilder("RunOptions[pooling ").append(options.pooling);
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
      boolean named = numbers[Abi.RUN_OPTION_PROMPT_KIND] == Abi.PROMPT_NAMED;
      String content = Utf8.text(Arrays.copyOf(prompt, prompt.length - 1));
      text.append(named ? ", prompt named \"" : ", prompt \"").append(content).append('"');
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
    if (options.repairs()) {
      text.append(", repaired");
    }
    return text.append(']').toString();
  }
}
