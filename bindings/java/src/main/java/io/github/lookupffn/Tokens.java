// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The tokens of a text and where they lie in it. */
public final class Tokens {
  private final int[] ids;
  private final int[] begins;
  private final int[] ends;
  private final long uncut;

  Tokens(int[] ids, int[] begins, int[] ends, long uncut) {
    this.ids = ids;
    this.uncut = uncut;
    this.begins = begins;
    this.ends = ends;
  }

  /**
   * Fills results: ids, begins and ends in bytes, types, which are all the same, and how many tokens there are uncut.
   */
  interface Call {
    void run(byte[] utf8, Object[] results);
  }

  static Tokens of(String text, boolean repaired, Call call) {
    byte[] utf8 = Utf8.of(Objects.requireNonNull(text, "text"), "the text", repaired);
    Object[] results = new Object[5];
    call.run(utf8, results);
    int[] begins = Utf8.charsOf(utf8, (long[]) results[1], false);
    int[] ends = Utf8.charsOf(utf8, (long[]) results[2], true);
    return new Tokens((int[]) results[0], begins, ends, ((long[]) results[4])[0]);
  }

  /** Of each text, from a native result that has spans. */
  static List<Tokens> of(long result, CallMemory memory) {
    long[] offsets = new long[memory.size + 1];
    long[] uncut = new long[memory.size];
    Raw.resultLongs(result, Abi.OUT_TOKEN_OFFSETS, offsets);
    Raw.resultLongs(result, Abi.OUT_UNCUT_LENGTHS, uncut);
    int count = NativeResult.arraySize(offsets[memory.size]);
    int[] ids = new int[count];
    long[] begins = new long[count];
    long[] ends = new long[count];
    Raw.resultInts(result, Abi.OUT_TOKEN_IDS, ids);
    Raw.resultLongs(result, Abi.OUT_TOKEN_BEGINS, begins);
    Raw.resultLongs(result, Abi.OUT_TOKEN_ENDS, ends);
    byte[][] texts = memory.eachText();
    List<Tokens> all = new ArrayList<>(texts.length);
    for (int i = 0; i < texts.length; i++) {
      int from = (int) offsets[i];
      int to = (int) offsets[i + 1];
      all.add(new Tokens(
          Arrays.copyOfRange(ids, from, to),
          Utf8.charsOf(texts[i], Arrays.copyOfRange(begins, from, to), false),
          Utf8.charsOf(texts[i], Arrays.copyOfRange(ends, from, to), true),
          uncut[i]));
    }
    return all;
  }

  /** {@return how many tokens there are} */
  public int size() {
    return ids.length;
  }

  /** {@return the ids, in a new array} */
  public int[] ids() {
    return ids.clone();
  }

  /**
   * The id of a token.
   *
   * @param token its place among the tokens
   * @return the id
   */
  public int id(int token) {
    return ids[token];
  }

  /**
   * Where a token begins. A token that begins inside of a character begins here with the whole of it.
   *
   * @param token its place among the tokens
   * @return the index in the string
   */
  public int begin(int token) {
    return begins[token];
  }

  /**
   * Where a token ends. A token that ends inside of a character ends here with the whole of it.
   *
   * @param token its place among the tokens
   * @return the index in the string behind its last char
   */
  public int end(int token) {
    return ends[token];
  }

  /** {@return how many tokens there would be without cutting} */
  public long uncutSize() {
    return uncut;
  }

  /** {@return whether tokens were left out because there were too many} */
  public boolean isCut() {
    return uncut > ids.length;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof Tokens)) {
      return false;
    }
    Tokens tokens = (Tokens) other;
    return Arrays.equals(ids, tokens.ids)
        && Arrays.equals(begins, tokens.begins)
        && Arrays.equals(ends, tokens.ends)
        && uncut == tokens.uncut;
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(ids) + Arrays.hashCode(begins);
  }

  @Override
  public String toString() {
    return "Tokens" + Arrays.toString(ids) + (isCut() ? ", cut" : "");
  }
}
