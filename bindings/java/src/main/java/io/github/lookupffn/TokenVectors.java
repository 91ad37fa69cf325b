// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The tokens of a text as a model read it, special ones and a prompt's included, and a vector for each. */
public final class TokenVectors {
  private final Tokens tokens;
  private final byte[] texts;
  private final float[][] vectors;

  TokenVectors(Tokens tokens, byte[] texts, float[][] vectors) {
    this.tokens = tokens;
    this.texts = texts;
    this.vectors = vectors;
  }

  /** {@return how many tokens there are} */
  public int size() {
    return vectors.length;
  }

  /** {@return the tokens and where they lie in the text} */
  public Tokens tokens() {
    return tokens;
  }

  /**
   * Tells whether a token stands for a part of the text, and was not put there as a special one or by a prompt.
   *
   * @param token its place among the tokens
   * @return whether it does
   */
  public boolean isOfText(int token) {
    return texts[token] == 0;
  }

  /**
   * A token's vector.
   *
   * @param token its place among the tokens
   * @return the vector, not a copy
   */
  public float[] vector(int token) {
    return vectors[token];
  }

  /** {@return the vectors of all tokens, not copies} */
  public float[][] vectors() {
    return vectors;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof TokenVectors)) {
      return false;
    }
    TokenVectors of = (TokenVectors) other;
    return tokens.equals(of.tokens) && Arrays.equals(texts, of.texts) && Arrays.deepEquals(vectors, of.vectors);
  }

  @Override
  public int hashCode() {
    return 31 * tokens.hashCode() + Arrays.deepHashCode(vectors);
  }

  @Override
  public String toString() {
    return "TokenVectors[" + tokens + "]";
  }
}
