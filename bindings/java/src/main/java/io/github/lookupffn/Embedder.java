// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * What makes vectors of queries and documents, as services and frameworks use it: a {@link ModelEmbedder} over a model, or a
 * {@link FakeEmbedder} in a service's own tests. Any number of threads may use one at once.
 */
public interface Embedder extends AutoCloseable {
  /**
   * Begins one over a model.
   *
   * @param model the model, which stays the caller's
   * @return a builder
   */
  static ModelEmbedder.Builder builder(Model model) {
    return new ModelEmbedder.Builder(model);
  }

  /**
   * Vectors of texts, later.
   *
   * @param texts any number of texts, not to be changed before the answer is there
   * @param purpose what they are
   * @param dimensions how many numbers of each vector, the first ones, scaled afterwards; 0 for {@link #dimensions}
   * @return their vectors; cancelling it ends the call
   * @throws IllegalStateException if this is closed
   * @throws QueueFullException if this is a single text and too many wait
   */
  CompletableFuture<EmbeddedTexts> embedAsync(List<String> texts, Purpose purpose, int dimensions);

  /** {@return how many numbers each vector has unless a call asks for fewer} */
  int dimensions();

  /**
   * Vectors of texts. An interrupt ends the call, with {@link java.util.concurrent.CancellationException}.
   *
   * @param texts any number of texts
   * @param purpose what they are
   * @param dimensions how many numbers of each vector, the first ones, scaled afterwards; 0 for {@link #dimensions}
   * @return their vectors
   * @throws IllegalArgumentException if a text is too long and is not to be cut
   * @throws QueueFullException if this is a single text and too many wait
   */
  default EmbeddedTexts embed(List<String> texts, Purpose purpose, int dimensions) {
    return LookupFfn.await(embedAsync(texts, purpose, dimensions));
  }

  /**
   * Vectors of texts, as {@link #embed(List, Purpose, int)} gives them, of all dimensions.
   *
   * @param texts any number of texts
   * @param purpose what they are
   * @return their vectors
   */
  default EmbeddedTexts embed(List<String> texts, Purpose purpose) {
    return embed(texts, purpose, 0);
  }

  /**
   * The vector of a text, as {@link #embed(List, Purpose, int)} gives it.
   *
   * @param text a text
   * @param purpose what it is
   * @return its vector
   */
  default float[] embed(String text, Purpose purpose) {
    return embed(List.of(Objects.requireNonNull(text, "text")), purpose).vectors().get(0);
  }

  /** Takes no more calls, and waits for those that are there. */
  @Override
  default void close() {
    // Most have nothing to close.
  }
}
