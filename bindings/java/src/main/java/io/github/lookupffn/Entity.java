// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import org.jspecify.annotations.Nullable;

/** A name, a place or the like in a text. */
public final class Entity extends TextPart {
  private final String label;

  Entity(String label, float score, int begin, int end, String text) {
    super(score, begin, end, text);
    this.label = label;
  }

  /**
   * {@return what it is, such as "PER": the label of its first token without what is before the first dash, or all of
   * it with {@link Aggregation#NONE}}
   */
  public String label() {
    return label;
  }

  @Override
  public String toString() {
    return label + ": " + super.toString();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return super.equals(other) && label.equals(((Entity) other).label);
  }

  @Override
  public int hashCode() {
    return 31 * super.hashCode() + label.hashCode();
  }
}
