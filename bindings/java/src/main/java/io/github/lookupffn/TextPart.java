// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A part of a text, and how probable it is that it was the one looked for. */
public abstract class TextPart {
  private final float score;
  private final int begin;
  private final int end;
  private final String text;

  TextPart(float score, int begin, int end, String text) {
    this.score = score;
    this.begin = begin;
    this.end = end;
    this.text = text;
  }

  /** Makes one. */
  interface Maker<T> {
    T make(int place, int begin, int end, String text);
  }

  /** Of places in bytes. */
  static <T extends TextPart> List<T> of(String text, byte[] utf8, long[] begins, long[] ends, Maker<T> maker) {
    int[] from = Utf8.charsOf(utf8, begins, false);
    int[] to = Utf8.charsOf(utf8, ends, true);
    List<T> parts = new ArrayList<>();
    for (int i = 0; i < from.length; i++) {
      parts.add(maker.make(i, from[i], to[i], text.substring(from[i], to[i])));
    }
    return List.copyOf(parts);
  }

  /** {@return how probable it is: a number from 0 to 1} */
  public float score() {
    return score;
  }

  /** {@return where it begins: the index in the string} */
  public int begin() {
    return begin;
  }

  /** {@return where it ends: the index in the string behind its last char} */
  public int end() {
    return end;
  }

  /** {@return the part itself} */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return text + " (" + score + ")";
  }

  /** Equal ones are of the same kind, lie in the same place of equal texts and have the same score. */
  @Override
  public boolean equals(@Nullable Object other) {
    if (other == null || other.getClass() != getClass()) {
      return false;
    }
    TextPart part = (TextPart) other;
    return begin == part.begin
        && end == part.end
        && text.equals(part.text)
        && Float.compare(score, part.score) == 0;
  }

  @Override
  public int hashCode() {
    return Objects.hash(begin, end, text, score);
  }
}
