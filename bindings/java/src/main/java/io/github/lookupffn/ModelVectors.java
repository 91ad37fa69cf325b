// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Other vectors of texts than one of floats for each. */
abstract class ModelVectors extends ModelTaskBatches {
  ModelVectors() {}

  /**
   * The vectors of the parts of a text, each of as many tokens as the model reads at once.
   *
   * @param text a text
   * @return its parts, in their order
   */
  public List<EmbeddedWindow> embedWindows(String text) {
    return embedWindows(List.of(Objects.requireNonNull(text, "text")), RunOptions.defaults()).get(0);
  }

  /**
   * The vectors of the parts of texts, each of as many tokens as the model or the options read at once.
   *
   * @param texts any number of texts
   * @param options how
   * @return the parts of each, in their order
   */
  public List<List<EmbeddedWindow>> embedWindows(List<String> texts, RunOptions options) {
    Objects.requireNonNull(options, "options");
    return new ModelResults(calls()).windows(texts, options);
  }

  /**
   * The vectors of the parts of texts, each of as many tokens as the model or the options read at once,
   * computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return the parts of each, in their order; cancelling it ends the call
   */
  public CompletableFuture<List<List<EmbeddedWindow>>> embedWindowsAsync(List<String> texts, RunOptions options) {
    return later(options, changed -> embedWindows(texts, changed));
  }

  /**
   * A vector for the whole text, as bytes with a scale.
   *
   * @param text a text
   * @return the vector
   */
  public Int8Embedding embedInt8(String text) {
    return embedInt8(List.of(Objects.requireNonNull(text, "text")), RunOptions.defaults()).get(0);
  }

  /**
   * A vector for each text, as bytes with a scale.
   *
   * @param texts any number of texts
   * @param options how
   * @return a vector for each
   */
  public List<Int8Embedding> embedInt8(List<String> texts, RunOptions options) {
    Objects.requireNonNull(options, "options");
    return new ModelResults(calls()).int8(texts, options);
  }

  /**
   * A vector for each text, as bytes with a scale, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return a vector for each; cancelling it ends the call
   */
  public CompletableFuture<List<Int8Embedding>> embedInt8Async(List<String> texts, RunOptions options) {
    return later(options, changed -> embedInt8(texts, changed));
  }

  /**
   * A vector for the whole text, as bits: 1 for each number above 0, the first one the highest bit of the first byte.
   *
   * @param text a text
   * @return the bits
   */
  public byte[] embedBits(String text) {
    return embedBits(List.of(Objects.requireNonNull(text, "text")), RunOptions.defaults())[0];
  }

  /**
   * A vector for each text, as bits: 1 for each number above 0, the first one the highest bit of the first byte.
   *
   * @param texts any number of texts
   * @param options how
   * @return the bits of each
   */
  public byte[][] embedBits(List<String> texts, RunOptions options) {
    Objects.requireNonNull(options, "options");
    return new ModelResults(calls()).bits(texts, options);
  }

  /**
   * A vector for each text, as bits: 1 for each number above 0, the first one the highest bit of the first
   * byte, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return the bits of each; cancelling it ends the call
   */
  public CompletableFuture<byte[][]> embedBitsAsync(List<String> texts, RunOptions options) {
    return later(options, changed -> embedBits(texts, changed));
  }

  /**
   * A vector for each token of a text, as late interaction compares them.
   *
   * @param text a text
   * @return the tokens and their vectors
   */
  public TokenVectors tokenVectors(String text) {
    return tokenVectors(List.of(Objects.requireNonNull(text, "text")), RunOptions.defaults()).get(0);
  }

  /**
   * A vector for each token of texts, as late interaction compares them.
   *
   * @param texts any number of texts
   * @param options how
   * @return the tokens of each and their vectors
   */
  public List<TokenVectors> tokenVectors(List<String> texts, RunOptions options) {
    Objects.requireNonNull(options, "options");
    return new ModelResults(calls()).tokenVectors(texts, options);
  }

  /**
   * A vector for each token of texts, as late interaction compares them, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return the tokens of each and their vectors; cancelling it ends the call
   */
  public CompletableFuture<List<TokenVectors>> tokenVectorsAsync(List<String> texts, RunOptions options) {
    return later(options, changed -> tokenVectors(texts, changed));
  }
}
