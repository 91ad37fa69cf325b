// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.springai;

import io.github.lookupffn.BatchingOptions;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.Model;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link LookupFfnEmbeddingModel} embeds.
 *
 * @param modelName the name that responses tell and requests may ask for
 * @param queryPrompt what is put before queries, such as {@code "query: "}; null for what the model's files say
 * @param documentPrompt what is put before documents; null for what the model's files say
 * @param refuseLongTexts whether a text of more tokens than the model can run fails the call, and all others are read whole
 * @param batching whether the texts of concurrent callers are put together
 */
public record LookupFfnEmbeddingSettings(
    String modelName,
    @Nullable String queryPrompt,
    @Nullable String documentPrompt,
    boolean refuseLongTexts,
    boolean batching) {
  /**
   * The defaults: the model's own prompts, long texts are cut, no batches.
   *
   * @param modelName the name that responses tell
   * @return the settings
   */
  public static LookupFfnEmbeddingSettings of(String modelName) {
    return new LookupFfnEmbeddingSettings(modelName, null, null, false, false);
  }

  Embedder embedder(Model model) {
    return Embedder.builder(model)
        .name(modelName)
        .queryPrompt(queryPrompt)
        .documentPrompt(documentPrompt)
        .refuseLongTexts(refuseLongTexts)
        .batching(batching ? BatchingOptions.defaults() : null)
        .build();
  }
}
