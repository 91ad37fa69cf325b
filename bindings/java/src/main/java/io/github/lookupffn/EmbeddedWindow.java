// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A part of a text that a model read at once, and its vector. */
public final class EmbeddedWindow {
  private final float[] vector;
  private final int begin;
  private final int end;
  private final String text;

  EmbeddedWindow(float[] vector, int begin, int end, String text) {
    this.vector = vector;
    this.begin = begin;
    this.end = end;
    this.text = text;
  }

  /** {@return the vector of this part, not a copy} */
  public float[] vector() {
    return vector;
  }

  /** {@return where the part begins: the index in the string} */
  public int begin() {
    return begin;
  }

  /** {@return where the part ends: the index in the string behind its last char} */
  public int end() {
    return end;
  }

  /** {@return the part itself} */
  public String text() {
    return text;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof EmbeddedWindow)) {
      return false;
    }
    EmbeddedWindow window = (EmbeddedWindow) other;
    return begin == window.begin
        && end == window.end
        && text.equals(window.text)
        && Arrays.equals(vector, window.vector);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * begin + end) + Arrays.hashCode(vector);
  }

  @Override
  public String toString() {
    return "EmbeddedWindow[" + begin + " to " + end + ", " + vector.length + " numbers]";
  }
}
