// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Vectors without a model, for the tests of services. They have length 1, are always the same for the same text,
 * whatever its purpose, and stand nearly at right angles for different texts. So a search finds the document that
 * equals the query, and no document that merely means the same.
 */
public final class FakeEmbedder implements Embedder {
  private final int dimensions;

  /**
   * Makes one.
   *
   * @param dimensions how many numbers a vector has, from 1
   */
  public FakeEmbedder(int dimensions) {
    if (dimensions < 1) {
      throw new IllegalArgumentException("dimensions is " + dimensions + ", expected 1 or more");
    }
    this.dimensions = dimensions;
  }

  @Override
  public CompletableFuture<EmbeddedTexts> embedAsync(List<String> texts, Purpose purpose, int wanted) {
    Objects.requireNonNull(purpose, "purpose");
    if (wanted < 0 || wanted > dimensions) {
      throw new IllegalArgumentException("dimensions is " + wanted + ", expected 1 to " + dimensions + ", or 0 for all");
    }
    List<float[]> vectors = new ArrayList<>();
    for (String text : EmbeddingBatcher.copy(texts)) {
      vectors.add(vector(text, wanted == 0 ? dimensions : wanted));
    }
    return CompletableFuture.completedFuture(EmbeddedTexts.of(vectors));
  }

  private float[] vector(String text, int size) {
    long seed = 0;
    for (int i = 0; i < text.length(); i++) {
      seed = 0x9e3779b97f4a7c15L * (seed + text.charAt(i) + 1);
    }
    Random random = new Random(seed ^ seed >>> 32);
    float[] vector = new float[dimensions];
    for (int i = 0; i < dimensions; i++) {
      vector[i] = (float) random.nextGaussian();
    }
    float[] wanted = Arrays.copyOf(vector, size);
    double squares = 0;
    for (float number : wanted) {
      squares += (double) number * number;
    }
    for (int i = 0; i < size; i++) {
      wanted[i] = (float) (wanted[i] / Math.sqrt(squares));
    }
    return wanted;
  }

  @Override
  public int dimensions() {
    return dimensions;
  }
}
