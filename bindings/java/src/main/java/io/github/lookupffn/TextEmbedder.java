// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What makes vectors of texts, as {@link Model} does: for programs whose tests put something else in its place. */
public interface TextEmbedder {
  /**
   * A vector for the whole text.
   *
   * @param text a text
   * @return its vector
   */
  float[] embed(String text);

  /**
   * A vector for each text.
   *
   * @param texts any number of texts
   * @return a vector for each
   */
  default float[][] embed(List<String> texts) {
    return embed(texts, RunOptions.defaults());
  }

  /**
   * A vector for each text.
   *
   * @param texts any number of texts
   * @param options how
   * @return a vector for each
   */
  float[][] embed(List<String> texts, RunOptions options);

  /**
   * A vector for each text, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return a vector for each; cancelling it ends the call
   */
  CompletableFuture<float[][]> embedAsync(List<String> texts, RunOptions options);
}
