// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import org.jspecify.annotations.Nullable;

/** A token that may stand for a mask. */
public final class MaskCandidate {
  private final int id;
  private final String text;
  private final float probability;

  MaskCandidate(int id, String text, float probability) {
    this.id = id;
    this.text = text;
    this.probability = probability;
  }

  /** {@return the token's id} */
  public int id() {
    return id;
  }

  /** {@return the token as text, with the blank before it if it has one} */
  public String text() {
    return text;
  }

  /** {@return how likely it is: a number from 0 to 1} */
  public float probability() {
    return probability;
  }

  @Override
  public String toString() {
    return text + " (" + probability + ")";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof MaskCandidate)) {
      return false;
    }
    MaskCandidate candidate = (MaskCandidate) other;
    return id == candidate.id
        && text.equals(candidate.text)
        && Float.compare(probability, candidate.probability) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * id + Float.hashCode(probability);
  }
}
