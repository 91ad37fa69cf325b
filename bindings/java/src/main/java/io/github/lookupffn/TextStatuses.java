// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which texts of a call could be run, and why the others could not. Hand it to a call with {@link RunOptions#withStatuses},
 * and look into it when the call has ended. It can serve one call after another, but only one at a time; a call that
 * fails, and one on ids, leaves it as it was.
 */
public final class TextStatuses {
  private int[] codes = {};
  // Null for those that were run.
  private String[] messages = {};

  /** Makes an empty one. */
  public TextStatuses() {}

  /** Of so many texts that were all run. */
  static TextStatuses ofGood(int texts) {
    TextStatuses statuses = new TextStatuses();
    statuses.codes = new int[texts];
    statuses.messages = new String[texts];
    return statuses;
  }

  /** Takes them out of a native result. */
  void read(long result, int texts) {
    int[] told = new int[texts];
    Raw.resultInts(result, Abi.OUT_STATUSES, told);
    String[] why = new String[texts];
    for (int i = 0; i < texts; i++) {
      why[i] = told[i] == Abi.OK ? null : Utf8.text(Raw.resultMessage(result, i));
    }
    codes = told;
    messages = why;
  }

  /** {@return how many texts the call had} */
  public int size() {
    return codes.length;
  }

  /**
   * Whether a text was run, or why not.
   *
   * @param text its place among the texts
   * @return the status
   */
  public TextStatus status(int text) {
    check(text);
    return TextStatus.of(codes[text]);
  }

  /**
   * Tells whether a text was run.
   *
   * @param text its place among the texts
   * @return whether it was
   */
  public boolean isOk(int text) {
    check(text);
    return codes[text] == Abi.OK;
  }

  /**
   * Why a text was not run, in a sentence.
   *
   * @param text its place among the texts
   * @return the sentence; "" for a text that was run
   */
  public String message(int text) {
    check(text);
    return messages[text] == null ? "" : messages[text];
  }

  /** {@return whether all texts were run} */
  public boolean allOk() {
    return numBad() == 0;
  }

  private int numBad() {
    int bad = 0;
    for (int code : codes) {
      bad += code == Abi.OK ? 0 : 1;
    }
    return bad;
  }

  private void check(int text) {
    if (text < 0 || text >= codes.length) {
      throw new IndexOutOfBoundsException("text " + text + " of " + codes.length);
    }
  }

  @Override
  public String toString() {
    return "TextStatuses[" + codes.length + " texts, " + numBad() + " bad]";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof TextStatuses)) {
      return false;
    }
    TextStatuses statuses = (TextStatuses) other;
    return Arrays.equals(codes, statuses.codes) && Arrays.equals(messages, statuses.messages);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(codes);
  }
}
