// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** What a model computes, over ids and over texts. */
abstract class ModelOutputs {
  ModelOutputs() {}

  abstract ModelCalls calls();

  static <T> CompletableFuture<T> later(RunOptions options, Function<RunOptions, T> call) {
    Objects.requireNonNull(options, "options");
    return Async.run(
        options.executor, options.cancellation, cancellation -> call.apply(options.withCancellation(cancellation)));
  }

  /**
   * The hidden states after the last layer norm, for a batch.
   *
   * @param sequences any number of sequences of ids
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats for each
   */
  public float[][] encode(int[][] sequences, RunOptions options) {
    return calls().perSequence(sequences, Abi.OUTPUT_HIDDEN, options);
  }

  /**
   * The hidden states after the last layer norm, for a batch.
   *
   * @param texts any number of texts
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats for each
   */
  public float[][] encode(List<String> texts, RunOptions options) {
    return calls().perText(texts, Abi.OUTPUT_HIDDEN, options);
  }

  /**
   * The hidden states after the last layer norm, for a batch, computed by the options' executor.
   *
   * @param sequences any number of sequences of ids
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> encodeAsync(int[][] sequences, RunOptions options) {
    return later(options, changed -> encode(sequences, changed));
  }

  /**
   * The hidden states after the last layer norm, for a batch, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> encodeAsync(List<String> texts, RunOptions options) {
    return later(options, changed -> encode(texts, changed));
  }

  /**
   * The classifier's scores, before any softmax, for a batch.
   *
   * @param sequences any number of sequences of ids
   * @param options how
   * @return {@code info().numClasses()} floats for each
   */
  public float[][] classify(int[][] sequences, RunOptions options) {
    return calls().perSequence(sequences, Abi.OUTPUT_CLASS_SCORES, options);
  }

  /**
   * The classifier's scores, before any softmax, for a batch.
   *
   * @param texts any number of texts
   * @param options how
   * @return {@code info().numClasses()} floats for each
   */
  public float[][] classify(List<String> texts, RunOptions options) {
    return calls().perText(texts, Abi.OUTPUT_CLASS_SCORES, options);
  }

  /**
   * The classifier's scores, before any softmax, for a batch, computed by the options' executor.
   *
   * @param sequences any number of sequences of ids
   * @param options how
   * @return {@code info().numClasses()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> classifyAsync(int[][] sequences, RunOptions options) {
    return later(options, changed -> classify(sequences, changed));
  }

  /**
   * The classifier's scores, before any softmax, for a batch, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return {@code info().numClasses()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> classifyAsync(List<String> texts, RunOptions options) {
    return later(options, changed -> classify(texts, changed));
  }

  /**
   * A vector for the whole sequence, for a batch.
   *
   * @param sequences any number of sequences of ids
   * @param options how
   * @return {@code info().embeddingSize()} floats for each
   */
  public float[][] embed(int[][] sequences, RunOptions options) {
    return calls().perSequence(sequences, Abi.OUTPUT_EMBEDDINGS, options);
  }

  /**
   * A vector for the whole sequence, for a batch.
   *
   * @param texts any number of texts
   * @param options how
   * @return {@code info().embeddingSize()} floats for each
   */
  public float[][] embed(List<String> texts, RunOptions options) {
    return calls().perText(texts, Abi.OUTPUT_EMBEDDINGS, options);
  }

  /**
   * A vector for the whole sequence, for a batch, computed by the options' executor.
   *
   * @param sequences any number of sequences of ids
   * @param options how
   * @return {@code info().embeddingSize()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> embedAsync(int[][] sequences, RunOptions options) {
    return later(options, changed -> embed(sequences, changed));
  }

  /**
   * A vector for the whole sequence, for a batch, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return {@code info().embeddingSize()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> embedAsync(List<String> texts, RunOptions options) {
    return later(options, changed -> embed(texts, changed));
  }

  /**
   * The language model head's logits at some places of a sequence.
   *
   * @param ids a sequence
   * @param positions places in it, in any order
   * @return {@code info().vocabSize()} floats for each position
   */
  public float[][] logits(int[] ids, int... positions) {
    long[] places = new long[Objects.requireNonNull(positions, "positions").length];
    for (int i = 0; i < places.length; i++) {
      places[i] = positions[i];
    }
    return logits(new int[][] {ids}, places, RunOptions.defaults());
  }

  /**
   * The language model head's logits at some places of a batch.
   *
   * @param sequences any number of sequences of ids
   * @param positions places in the sequences laid end to end, in any order
   * @param options how
   * @return {@code info().vocabSize()} floats for each position
   */
  public float[][] logits(int[][] sequences, long[] positions, RunOptions options) {
    return calls().perPosition(sequences, positions, options);
  }

  /**
   * The vectors of texts, with how many tokens each had and whether it was cut.
   *
   * @param texts any number of texts
   * @param options how; their own counts are filled, too
   * @return a vector and counts for each
   */
  public EmbeddingResult embedWithCounts(List<String> texts, RunOptions options) {
    Objects.requireNonNull(options, "options");
    TextCounts counts = options.counts == null ? new TextCounts() : options.counts;
    float[][] vectors = embed(texts, options.withCounts(counts));
    return new EmbeddingResult(vectors, counts, statusesOf(options, vectors.length));
  }

  /**
   * The class scores of texts, with how many tokens each had and whether it was cut.
   *
   * @param texts any number of texts
   * @param options how; their own counts are filled, too
   * @return scores and counts for each
   */
  public ClassificationResult classifyWithCounts(List<String> texts, RunOptions options) {
    Objects.requireNonNull(options, "options");
    TextCounts counts = options.counts == null ? new TextCounts() : options.counts;
    float[][] scores = classify(texts, options.withCounts(counts));
    return new ClassificationResult(scores, counts, statusesOf(options, scores.length));
  }

  private static TextStatuses statusesOf(RunOptions options, int texts) {
    return options.statuses == null ? TextStatuses.ofGood(texts) : options.statuses;
  }

  /**
   * How well each document answers a query, told by a reranker: higher is better.
   *
   * @param query the query
   * @param documents any number of texts; the longer of the two is cut first
   * @param options how
   * @return a score for each document
   */
  public float[] rerank(String query, List<String> documents, RunOptions options) {
    return calls().rerank(query, documents, options);
  }

  /**
   * How well each document answers a query, told by a reranker, computed by the options' executor.
   *
   * @param query the query
   * @param documents any number of texts; the longer of the two is cut first
   * @param options how
   * @return a score for each document; cancelling it ends the call
   */
  public CompletableFuture<float[]> rerankAsync(String query, List<String> documents, RunOptions options) {
    return later(options, changed -> rerank(query, documents, changed));
  }

  /**
   * The language model head's logits at some places of a batch, computed by the options' executor.
   *
   * @param sequences any number of sequences of ids
   * @param positions places in the sequences laid end to end, in any order
   * @param options how
   * @return {@code info().vocabSize()} floats for each position; cancelling it ends the call
   */
  public CompletableFuture<float[][]> logitsAsync(int[][] sequences, long[] positions, RunOptions options) {
    return later(options, changed -> logits(sequences, positions, changed));
  }
}
