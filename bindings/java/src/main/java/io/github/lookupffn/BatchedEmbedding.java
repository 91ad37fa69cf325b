// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What an {@link EmbeddingBatcher} made of a text. */
public final class BatchedEmbedding {
  private final float[] vector;
  private final int tokens;
  private final long uncutTokens;

  BatchedEmbedding(float[] vector, int tokens, long uncutTokens) {
    this.vector = vector;
    this.tokens = tokens;
    this.uncutTokens = uncutTokens;
  }

  /** {@return the vector, the same to the bit as alone, not a copy} */
  public float[] vector() {
    return vector;
  }

  /** {@return how many tokens were run} */
  public int tokens() {
    return tokens;
  }

  /** {@return how many tokens the text would have had without cutting} */
  public long uncutTokens() {
    return uncutTokens;
  }

  /** {@return whether the text was too long, so that its end was not read} */
  public boolean isCut() {
    return uncutTokens > tokens;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof BatchedEmbedding)) {
      return false;
    }
    BatchedEmbedding embedding = (BatchedEmbedding) other;
    return tokens == embedding.tokens && uncutTokens == embedding.uncutTokens && Arrays.equals(vector, embedding.vector);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(vector) + tokens;
  }

  @Override
  public String toString() {
    return "BatchedEmbedding[" + vector.length + " floats, " + tokens + " tokens" + (isCut() ? ", cut]" : "]");
  }
}
