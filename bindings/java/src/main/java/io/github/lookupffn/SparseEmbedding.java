// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a text is about, as tokens of the vocabulary and their weights, those of the largest weights first. */
public final class SparseEmbedding {
  private final int[] ids;
  private final float[] weights;

  SparseEmbedding(int[] ids, float[] weights) {
    this.ids = ids;
    this.weights = weights;
  }

  /**
   * Of a vector that was stored.
   *
   * @param ids tokens, each once; the array is kept
   * @param weights the weight of each; the array is kept
   * @return the vector
   */
  public static SparseEmbedding of(int[] ids, float[] weights) {
    if (Objects.requireNonNull(ids, "ids").length != Objects.requireNonNull(weights, "weights").length) {
      throw new IllegalArgumentException("there are " + ids.length + " ids and " + weights.length + " weights");
    }
    return new SparseEmbedding(ids, weights);
  }

  /** {@return the tokens: their ids, not a copy} */
  public int[] ids() {
    return ids;
  }

  /** {@return the weight of each token, not a copy} */
  public float[] weights() {
    return weights;
  }

  /** {@return how many tokens have a weight} */
  public int size() {
    return ids.length;
  }

  /**
   * How well a document answers a query: the dot product of both.
   *
   * @param other of the same model
   * @return the sum of the products of the weights of tokens that both have, in the order of this one's tokens
   */
  public float dot(SparseEmbedding other) {
    Map<Integer, Float> others = new HashMap<>();
    for (int i = 0; i < other.ids.length; i++) {
      others.put(other.ids[i], other.weights[i]);
    }
    double sum = 0;
    for (int i = 0; i < ids.length; i++) {
      sum += (double) weights[i] * others.getOrDefault(ids[i], 0f);
    }
    return (float) sum;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof SparseEmbedding)) {
      return false;
    }
    SparseEmbedding embedding = (SparseEmbedding) other;
    return Arrays.equals(ids, embedding.ids) && Arrays.equals(weights, embedding.weights);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(ids) + Arrays.hashCode(weights);
  }

  @Override
  public String toString() {
    return "SparseEmbedding[" + ids.length + " tokens]";
  }
}
