// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The class scores of texts, with what became of the texts on the way. */
public final class ClassificationResult {
  private final float[][] scores;
  private final TextCounts counts;
  private final TextStatuses statuses;

  ClassificationResult(float[][] scores, TextCounts counts, TextStatuses statuses) {
    this.scores = scores;
    this.counts = counts;
    this.statuses = statuses;
  }

  /**
   * The scores of the classes for each text.
   *
   * @return the scores, not copies
   */
  public float[][] scores() {
    return scores;
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
    if (!(other instanceof ClassificationResult)) {
      return false;
    }
    ClassificationResult told = (ClassificationResult) other;
    return Arrays.deepEquals(scores, told.scores) && counts.equals(told.counts) && statuses.equals(told.statuses);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.deepHashCode(scores) + counts.hashCode();
  }

  @Override
  public String toString() {
    return "ClassificationResult[" + counts + ", " + statuses + "]";
  }
}
