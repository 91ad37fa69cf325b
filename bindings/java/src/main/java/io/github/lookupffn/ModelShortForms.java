// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The short forms of what models compute. */
abstract class ModelShortForms extends ModelOutputs {
  ModelShortForms() {}

  private static List<String> listOf(String text) {
    return List.of(Objects.requireNonNull(text, "text"));
  }

  private static int[][] arrayOf(int[] ids) {
    return new int[][] {Objects.requireNonNull(ids, "ids")};
  }

  /**
   * The hidden states after the last layer norm.
   *
   * @param ids a sequence
   * @return tokens times {@code info().hiddenSize()} floats
   */
  public float[] encode(int[] ids) {
    return encode(arrayOf(ids), RunOptions.defaults())[0];
  }

  /**
   * The hidden states after the last layer norm.
   *
   * @param text a text
   * @return tokens times {@code info().hiddenSize()} floats
   */
  public float[] encode(String text) {
    return encode(listOf(text), RunOptions.defaults())[0];
  }

  /**
   * The hidden states after the last layer norm.
   *
   * @param ids a sequence
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats
   */
  public float[] encode(int[] ids, RunOptions options) {
    return encode(arrayOf(ids), options)[0];
  }

  /**
   * The hidden states after the last layer norm.
   *
   * @param text a text
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats
   */
  public float[] encode(String text, RunOptions options) {
    return encode(listOf(text), options)[0];
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
    return classify(arrayOf(ids), RunOptions.defaults())[0];
  }

  /**
   * The classifier's scores, before any softmax.
   *
   * @param text a text
   * @return {@code info().numClasses()} floats
   */
  public float[] classify(String text) {
    return classify(listOf(text), RunOptions.defaults())[0];
  }

  /**
   * The classifier's scores.
   *
   * @param ids a sequence
   * @param options how
   * @return {@code info().numClasses()} floats
   */
  public float[] classify(int[] ids, RunOptions options) {
    return classify(arrayOf(ids), options)[0];
  }

  /**
   * The classifier's scores.
   *
   * @param text a text
   * @param options how
   * @return {@code info().numClasses()} floats
   */
  public float[] classify(String text, RunOptions options) {
    return classify(listOf(text), options)[0];
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
    return embed(arrayOf(ids), RunOptions.defaults())[0];
  }

  /**
   * A vector for the whole sequence, made as the model means it.
   *
   * @param text a text
   * @return {@code info().embeddingSize()} floats
   */
  public float[] embed(String text) {
    return embed(listOf(text), RunOptions.defaults())[0];
  }

  /**
   * A vector for the whole sequence.
   *
   * @param ids a sequence
   * @param options how
   * @return {@code info().embeddingSize()} floats
   */
  public float[] embed(int[] ids, RunOptions options) {
    return embed(arrayOf(ids), options)[0];
  }

  /**
   * A vector for the whole sequence.
   *
   * @param text a text
   * @param options how
   * @return {@code info().embeddingSize()} floats
   */
  public float[] embed(String text, RunOptions options) {
    return embed(listOf(text), options)[0];
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

  /**
   * The class scores of texts, with how many tokens each had and whether it was cut.
   *
   * @param texts any number of texts
   * @return scores and counts for each
   */
  public ClassificationResult classifyWithCounts(List<String> texts) {
    return classifyWithCounts(texts, RunOptions.defaults());
  }

  /**
   * The hidden states after the last layer norm, computed by the options' executor.
   *
   * @param text a text
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats; cancelling it ends the call
   */
  public CompletableFuture<float[]> encodeAsync(String text, RunOptions options) {
    return later(options, changed -> encode(text, changed));
  }

  /**
   * The classifier's scores, computed by the options' executor.
   *
   * @param text a text
   * @param options how
   * @return {@code info().numClasses()} floats; cancelling it ends the call
   */
  public CompletableFuture<float[]> classifyAsync(String text, RunOptions options) {
    return later(options, changed -> classify(text, changed));
  }

  /**
   * A vector for the whole text, computed by the options' executor.
   *
   * @param text a text
   * @param options how
   * @return {@code info().embeddingSize()} floats; cancelling it ends the call
   */
  public CompletableFuture<float[]> embedAsync(String text, RunOptions options) {
    return later(options, changed -> embed(text, changed));
  }

  /**
   * The vectors of a corpus, in its order, of which a batch at a time is in memory. Its texts are read when their vectors
   * are asked for, and each batch is computed by the options' executor: an interrupt ends the waiting for it and the batch
   * with a {@link java.util.concurrent.CancellationException}, and leaves the thread interrupted.
   *
   * @param texts the texts, which closing the result closes
   * @param batchSize how many go together
   * @param options how; their counts and statuses are those of the last batch
   * @return a vector for each text
   */
  public Stream<float[]> embed(Stream<String> texts, int batchSize, RunOptions options) {
    return CorpusStream.of(texts, batchSize, options, batch -> embedAsync(batch, options));
  }

  /**
   * The class scores of a corpus, in its order, as {@link #embed(Stream, int, RunOptions)} gives vectors.
   *
   * @param texts the texts, which closing the result closes
   * @param batchSize how many go together
   * @param options how; their counts and statuses are those of the last batch
   * @return scores for each text
   */
  public Stream<float[]> classify(Stream<String> texts, int batchSize, RunOptions options) {
    return CorpusStream.of(texts, batchSize, options, batch -> classifyAsync(batch, options));
  }
}
