// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;

/** The short forms of what models compute. */
abstract class ModelShortForms extends ModelOutputs {
  ModelShortForms() {}

  /**
   * The hidden states after the last layer norm.
   *
   * @param ids a sequence
   * @return tokens times {@code info().hiddenSize()} floats
   */
  public float[] encode(int[] ids) {
    return encode(new int[][] {ids}, RunOptions.defaults())[0];
  }

  /**
   * The hidden states after the last layer norm.
   *
   * @param text a text
   * @return tokens times {@code info().hiddenSize()} floats
   */
  public float[] encode(String text) {
    return encode(List.of(text), RunOptions.defaults())[0];
  }

  /**
   * The hidden states after the last layer norm.
   *
   * @param ids a sequence
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats
   */
  public float[] encode(int[] ids, RunOptions options) {
    return encode(new int[][] {ids}, options)[0];
  }

  /**
   * The hidden states after the last layer norm.
   *
   * @param text a text
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats
   */
  public float[] encode(String text, RunOptions options) {
    return encode(List.of(text), options)[0];
  }

  /**
   * The hidden states after the last layer norm, for a batch.
   *
   * @param sequences any number of sequences of ids
   * @return tokens times {@code info().hiddenSize()} floats for each
   */
  public float[][] encode(int[][] sequences) {
    return encode(sequences, RunOptions.defaults());
  }

  /**
   * The hidden states after the last layer norm, for a batch.
   *
   * @param texts any number of texts
   * @return tokens times {@code info().hiddenSize()} floats for each
   */
  public float[][] encode(List<String> texts) {
    return encode(texts, RunOptions.defaults());
  }

  /**
   * The classifier's scores, before any softmax.
   *
   * @param ids a sequence
   * @return {@code info().numClasses()} floats
   */
  public float[] classify(int[] ids) {
    return classify(new int[][] {ids}, RunOptions.defaults())[0];
  }

  /**
   * The classifier's scores, before any softmax.
   *
   * @param text a text
   * @return {@code info().numClasses()} floats
   */
  public float[] classify(String text) {
    return classify(List.of(text), RunOptions.defaults())[0];
  }

  /**
   * The classifier's scores.
   *
   * @param ids a sequence
   * @param options how
   * @return {@code info().numClasses()} floats
   */
  public float[] classify(int[] ids, RunOptions options) {
    return classify(new int[][] {ids}, options)[0];
  }

  /**
   * The classifier's scores.
   *
   * @param text a text
   * @param options how
   * @return {@code info().numClasses()} floats
   */
  public float[] classify(String text, RunOptions options) {
    return classify(List.of(text), options)[0];
  }

  /**
   * The classifier's scores, for a batch.
   *
   * @param sequences any number of sequences of ids
   * @return {@code info().numClasses()} floats for each
   */
  public float[][] classify(int[][] sequences) {
    return classify(sequences, RunOptions.defaults());
  }

  /**
   * The classifier's scores, for a batch.
   *
   * @param texts any number of texts
   * @return {@code info().numClasses()} floats for each
   */
  public float[][] classify(List<String> texts) {
    return classify(texts, RunOptions.defaults());
  }

  /**
   * A vector for the whole sequence, made as the model means it.
   *
   * @param ids a sequence
   * @return {@code info().embeddingSize()} floats
   */
  public float[] embed(int[] ids) {
    return embed(new int[][] {ids}, RunOptions.defaults())[0];
  }

  /**
   * A vector for the whole sequence, made as the model means it.
   *
   * @param text a text
   * @return {@code info().embeddingSize()} floats
   */
  public float[] embed(String text) {
    return embed(List.of(text), RunOptions.defaults())[0];
  }

  /**
   * A vector for the whole sequence.
   *
   * @param ids a sequence
   * @param options how
   * @return {@code info().embeddingSize()} floats
   */
  public float[] embed(int[] ids, RunOptions options) {
    return embed(new int[][] {ids}, options)[0];
  }

  /**
   * A vector for the whole sequence.
   *
   * @param text a text
   * @param options how
   * @return {@code info().embeddingSize()} floats
   */
  public float[] embed(String text, RunOptions options) {
    return embed(List.of(text), options)[0];
  }

  /**
   * A vector for the whole sequence, for a batch.
   *
   * @param sequences any number of sequences of ids
   * @return {@code info().embeddingSize()} floats for each
   */
  public float[][] embed(int[][] sequences) {
    return embed(sequences, RunOptions.defaults());
  }

  /**
   * A vector for the whole sequence, for a batch.
   *
   * @param texts any number of texts
   * @return {@code info().embeddingSize()} floats for each
   */
  public float[][] embed(List<String> texts) {
    return embed(texts, RunOptions.defaults());
  }

  /**
   * The vectors of texts, with how many tokens each had and whether it was cut.
   *
   * @param texts any number of texts
   * @return a vector and counts for each
   */
  public EmbeddingResult embedWithCounts(List<String> texts) {
    return embedWithCounts(texts, RunOptions.defaults());
  }

  /**
   * How well each document answers a query, told by a reranker: higher is better.
   *
   * @param query the query
   * @param documents any number of texts; the longer of the two is cut first
   * @return a score for each document
   */
  public float[] rerank(String query, List<String> documents) {
    return rerank(query, documents, RunOptions.defaults());
  }
}
