// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The vectors of texts, with what became of the texts on the way. */
public final class EmbeddingResult {
  private final float[][] vectors;
  private final TextCounts counts;
  private final TextStatuses statuses;

  EmbeddingResult(float[][] vectors, TextCounts counts, TextStatuses statuses) {
    this.vectors = vectors;
    this.counts = counts;
    this.statuses = statuses;
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

  /**
   * Whether each text was run. All were, unless {@link RunOptions#withStatuses} let bad ones pass.
   *
   * @return the statuses
   */
  public TextStatuses statuses() {
    return statuses;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof EmbeddingResult)) {
      return false;
    }
    EmbeddingResult result = (EmbeddingResult) other;
    return Arrays.deepEquals(vectors, result.vectors) && counts.equals(result.counts) && statuses.equals(result.statuses);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.deepHashCode(vectors) + counts.hashCode();
  }

  @Override
  public String toString() {
    return "EmbeddingResult[" + counts + ", " + statuses + "]";
  }
}
