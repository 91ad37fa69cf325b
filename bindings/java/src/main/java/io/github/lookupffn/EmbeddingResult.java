// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** The vectors of texts, with what became of the texts on the way. */
public final class EmbeddingResult {
  private final float[][] vectors;
  private final TextCounts counts;

  EmbeddingResult(float[][] vectors, TextCounts counts) {
    this.vectors = vectors;
    this.counts = counts;
  }

  /**
   * A vector for each text.
   *
   * @return the vectors, not copies
   */
  public float[][] vectors() {
    return vectors;
  }

  /**
   * How many tokens each text had, and whether it was cut.
   *
   * @return the counts
   */
  public TextCounts counts() {
    return counts;
  }
}
