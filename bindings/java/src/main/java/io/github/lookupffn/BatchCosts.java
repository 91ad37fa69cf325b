// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What texts cost in a {@link BatchPlan}, estimated from their bytes and those of the prompt before them. */
final class BatchCosts {
  private final ModelFacts facts;

  BatchCosts(ModelFacts facts) {
    this.facts = facts;
  }

  /** Names a text that cannot be read, as a call of the model does. */
  int[] of(List<String> texts, boolean single, RunOptions options) {
    int limit = limit(options);
    long before = Utf8.size(prompt(options), true);
    int[] costs = new int[texts.size()];
    for (int i = 0; i < costs.length; i++) {
      long bytes;
      try {
        bytes = Utf8.size(texts.get(i), options.repairs());
      } catch (IllegalArgumentException bad) {
        throw single ? bad : new IllegalArgumentException("texts[" + i + "]: " + bad.getMessage());
      }
      costs[i] = BatchPlan.costOf(before + bytes, limit);
    }
    return costs;
  }

  /** How many tokens of a text are read at most. */
  private int limit(RunOptions options) {
    if (options.numbers[Abi.RUN_OPTION_WINDOWS] != Abi.WINDOWS_NONE) {
      return Integer.MAX_VALUE; // read to its end
    }
    long most = facts.info.numbers[Abi.MODEL_MAX_TOKENS];
    if (options.maxTokens == Abi.MAX_TOKENS_MODEL) {
      most = Math.min(most, facts.info.numbers[Abi.MODEL_OWN_MAX_TOKENS]);
    } else if (options.maxTokens != Abi.MAX_TOKENS_NEVER) {
      most = Math.min(most, options.maxTokens);
    }
    return (int) Math.min(Integer.MAX_VALUE, most);
  }

  private String prompt(RunOptions options) {
    switch (options.numbers[Abi.RUN_OPTION_PROMPT_KIND]) {
      case Abi.PROMPT_TEXT:
        return options.promptText();
      case Abi.PROMPT_NAMED:
        return facts.prompts.getOrDefault(options.promptText(), "");
      case Abi.PROMPT_QUERY:
        return prompt(Purpose.QUERY);
      case Abi.PROMPT_DOCUMENT:
        return prompt(Purpose.DOCUMENT);
      case Abi.PROMPT_MODEL:
        return options.numbers[Abi.RUN_OPTION_READING] == Abi.READING_PLAIN ? "" : defaultPrompt();
      default:
        return "";
    }
  }

  private String prompt(Purpose purpose) {
    Map<String, String> prompts = facts.prompts;
    return purpose.names().stream().filter(prompts::containsKey).findFirst().map(prompts::get).orElseGet(this::defaultPrompt);
  }

  private String defaultPrompt() {
    int index = (int) facts.info.numbers[Abi.MODEL_DEFAULT_PROMPT];
    return index < 0 ? "" : new ArrayList<>(facts.prompts.values()).get(index);
  }
}
