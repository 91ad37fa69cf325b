// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.springai;

import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import java.util.List;

/**
 * How a {@link LookupFfnEmbeddingModel} embeds.
 *
 * @param modelName the name that responses tell
 * @param queryPrompt what is put before queries, such as {@code "query: "}; null for the model's prompt named "query" if
 *     its files tell one, else its default prompt
 * @param documentPrompt what is put before documents; null for the model's prompt named "document" or "passage" if its
 *     files tell one, else its default prompt
 * @param refuseLongTexts whether a text that is longer than the model reads fails the call instead of being cut
 * @param batching whether single texts of concurrent callers are put together
 */
public record LookupFfnEmbeddingSettings(
    String modelName, String queryPrompt, String documentPrompt, boolean refuseLongTexts, boolean batching) {
  /**
   * The defaults: the model's own prompts, long texts are cut, no batches.
   *
   * @param modelName the name that responses tell
   * @return the settings
   */
  public static LookupFfnEmbeddingSettings of(String modelName) {
    return new LookupFfnEmbeddingSettings(modelName, null, null, false, false);
  }

  void checkLength(int place, int tokens, long uncut) {
    if (refuseLongTexts && uncut > tokens) {
      throw new IllegalArgumentException("text " + place + " has " + uncut + " tokens, the model reads at most " + tokens);
    }
  }

  RunOptions optionsFor(Model model, boolean query) {
    RunOptions options = RunOptions.defaults();
    String text = query ? queryPrompt : documentPrompt;
    if (text != null) {
      return options.withPromptText(text);
    }
    for (String name : query ? List.of("query") : List.of("document", "passage")) {
      if (model.prompts().containsKey(name)) {
        return options.withPrompt(name);
      }
    }
    return options;
  }
}
