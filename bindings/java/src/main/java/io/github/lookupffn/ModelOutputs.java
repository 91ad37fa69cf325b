package io.github.lookupffn;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What a model computes, over ids and over texts. */
abstract class ModelOutputs {
  ModelOutputs() {}

  abstract ModelCalls calls();

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
    return encode(calls().tokenize(texts), options);
  }

  /**
   * The hidden states after the last layer norm, for a batch, computed by the options' executor.
   *
   * @param sequences any number of sequences of ids
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> encodeAsync(int[][] sequences, RunOptions options) {
    return ModelCalls.async(options, changed -> encode(sequences, changed));
  }

  /**
   * The hidden states after the last layer norm, for a batch, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return tokens times {@code info().hiddenSize()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> encodeAsync(List<String> texts, RunOptions options) {
    return ModelCalls.async(options, changed -> encode(texts, changed));
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
    return ModelCalls.async(options, changed -> classify(sequences, changed));
  }

  /**
   * The classifier's scores, before any softmax, for a batch, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return {@code info().numClasses()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> classifyAsync(List<String> texts, RunOptions options) {
    return ModelCalls.async(options, changed -> classify(texts, changed));
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
   * A vector for the whole sequence, for a batch, made as the model means it.
   *
   * @param texts any number of texts
   * @return {@code info().embeddingSize()} floats for each
   */
  public float[][] embed(List<String> texts) {
    return embed(texts, RunOptions.defaults());
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
    return ModelCalls.async(options, changed -> embed(sequences, changed));
  }

  /**
   * A vector for the whole sequence, for a batch, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return {@code info().embeddingSize()} floats for each; cancelling it ends the call
   */
  public CompletableFuture<float[][]> embedAsync(List<String> texts, RunOptions options) {
    return ModelCalls.async(options, changed -> embed(texts, changed));
  }

  /**
   * The language model head's logits at some places of a sequence.
   *
   * @param ids a sequence
   * @param positions places in it, in any order
   * @return {@code info().vocabSize()} floats for each position
   */
  public float[][] logits(int[] ids, int... positions) {
    long[] places = new long[positions.length];
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
}
