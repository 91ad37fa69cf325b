// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import org.jspecify.annotations.Nullable;

/** A label, and how probable it is that it fits a text. */
public final class ScoredLabel {
  private final String label;
  private final float score;

  ScoredLabel(String label, float score) {
    this.label = label;
    this.score = score;
  }

  /** {@return the label as it was given} */
  public String label() {
    return label;
  }

  /** {@return how probable it is that it fits: a number from 0 to 1} */
  public float score() {
    return score;
  }

  @Override
  public String toString() {
    return label + " (" + score + ")";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof ScoredLabel)) {
      return false;
    }
    ScoredLabel scored = (ScoredLabel) other;
    return label.equals(scored.label) && Float.compare(score, scored.score) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * label.hashCode() + Float.hashCode(score);
  }
}
