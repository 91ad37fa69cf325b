// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How many tokens the texts of a call had, and whether some were cut. Hand it to a call with {@link
 * RunOptions#withCounts}, and look into it when the call has ended. It can serve one call after another, but only one at
 * a time; a call that fails, and one on ids, leaves it as it was.
 */
public final class TextCounts {
  private int size;
  // [size + 1] where each text's tokens begin, then [size] how many it would have without cutting.
  private long[] numbers = new long[1];

  /** Makes an empty one. */
  public TextCounts() {}

  /** Room for so many texts, to be filled before {@link #filled}. */
  long[] room(int texts) {
    int needed = Math.addExact(Math.multiplyExact(2, texts), 1);
    // Native code writes nothing before it has succeeded.
    return numbers.length < needed ? new long[needed] : numbers;
  }

  void filled(long[] withWhat, int texts) {
    numbers = withWhat;
    size = texts;
  }

  /** {@return how many texts the call had} */
  public int size() {
    return size;
  }

  /**
   * How many tokens of a text were run, special ones, the prompt's and those of a pair's other text counted.
   *
   * @param text its place among the texts
   * @return the number
   */
  public int tokens(int text) {
    check(text);
    return (int) (numbers[text + 1] - numbers[text]);
  }

  /**
   * How many tokens a text would have had without cutting.
   *
   * @param text its place among the texts
   * @return the number
   */
  public long uncutTokens(int text) {
    check(text);
    return numbers[size + 1 + text];
  }

  /**
   * Tells whether a text was longer than the model reads, or than {@link RunOptions#withMaxTokens} says, so that its end
   * was not read.
   *
   * @param text its place among the texts
   * @return whether it was
   */
  public boolean isCut(int text) {
    return uncutTokens(text) > tokens(text);
  }

  /** {@return whether any text was cut} */
  public boolean anyCut() {
    for (int text = 0; text < size; text++) {
      if (isCut(text)) {
        return true;
      }
    }
    return false;
  }

  /** {@return how many tokens of all texts were run} */
  public long totalTokens() {
    return numbers[size];
  }

  /** {@return how many texts were cut} */
  public int numCut() {
    int cut = 0;
    for (int text = 0; text < size; text++) {
      cut += isCut(text) ? 1 : 0;
    }
    return cut;
  }

  private void check(int text) {
    if (text < 0 || text >= size) {
      throw new IndexOutOfBoundsException("text " + text + " of " + size);
    }
  }

  @Override
  public String toString() {
    return "TextCounts[" + size + " texts, " + totalTokens() + " tokens" + (anyCut() ? ", some cut]" : "]");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof TextCounts)) {
      return false;
    }
    TextCounts counts = (TextCounts) other;
    return size == counts.size
        && Arrays.equals(numbers, 0, 2 * size + 1, counts.numbers, 0, 2 * size + 1);
  }

  @Override
  public int hashCode() {
    return 31 * size + Long.hashCode(totalTokens());
  }
}
