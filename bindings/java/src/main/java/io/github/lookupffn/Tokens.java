// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** The tokens of a text and where they lie in it. */
public final class Tokens {
  private final int[] ids;
  private final int[] begins;
  private final int[] ends;

  Tokens(int[] ids, int[] begins, int[] ends) {
    this.ids = ids;
    this.begins = begins;
    this.ends = ends;
  }

  /**
   * How many tokens there are.
   *
   * @return the number
   */
  public int size() {
    return ids.length;
  }

  /**
   * The ids.
   *
   * @return a new array of them
   */
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
}
