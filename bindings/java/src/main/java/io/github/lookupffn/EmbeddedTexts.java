// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;

/** What an {@link Embedder} made of a call's texts. */
public final class EmbeddedTexts {
  private final List<float[]> vectors;
  private final List<Integer> cut;
  private final long tokens;

  EmbeddedTexts(List<float[]> vectors, List<Integer> cut, long tokens) {
    this.vectors = List.copyOf(vectors);
    this.cut = List.copyOf(cut);
    this.tokens = tokens;
  }

  /**
   * The answer of a program's own embedder, which cuts no texts and counts no tokens.
   *
   * @param vectors a vector for each text, in their order
   * @return the answer
   */
  public static EmbeddedTexts of(List<float[]> vectors) {
    return new EmbeddedTexts(vectors, List.of(), 0);
  }

  /** {@return a vector for each text, in their order, not copies} */
  public List<float[]> vectors() {
    return vectors;
  }

  /**
   * {@return the places of those texts that were too long, so that their ends were not read: places from 0, ascending}
   */
  public List<Integer> cut() {
    return cut;
  }

  /** {@return how many tokens were run} */
  public long tokens() {
    return tokens;
  }

  @Override
  public String toString() {
    return "EmbeddedTexts[" + vectors.size() + " texts, " + tokens + " tokens, " + cut.size() + " cut]";
  }
}
