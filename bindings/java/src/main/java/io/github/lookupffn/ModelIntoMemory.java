// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.FloatBuffer;
import java.util.List;

/** What models compute, put into the caller's memory. */
abstract class ModelIntoMemory extends ModelShortForms {
  ModelIntoMemory() {}

  /**
   * The hidden states after the last layer norm, put into a buffer, without a copy.
   *
   * @param ids a sequence
   * @param output direct, in native byte order; receives tokens times {@code info().hiddenSize()} floats from its
   *     position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int encodeInto(int[] ids, FloatBuffer output, RunOptions options) {
    return calls().idsInto(CallMemory.of(ids), Abi.OUTPUT_HIDDEN, options, null, 0, output);
  }

  /**
   * The hidden states after the last layer norm, put into an array that is there.
   *
   * @param ids a sequence
   * @param output receives tokens times {@code info().hiddenSize()} floats
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int encodeInto(int[] ids, float[] output, int offset, RunOptions options) {
    return calls().idsInto(CallMemory.of(ids), Abi.OUTPUT_HIDDEN, options, output, offset, null);
  }

  /**
   * The hidden states after the last layer norm, put into a buffer, without a copy.
   *
   * @param sequences any number of sequences of ids
   * @param output direct, in native byte order; receives tokens times {@code info().hiddenSize()} floats for each
   *     from its position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int encodeInto(int[][] sequences, FloatBuffer output, RunOptions options) {
    return calls().idsInto(CallMemory.of(sequences), Abi.OUTPUT_HIDDEN, options, null, 0, output);
  }

  /**
   * The hidden states after the last layer norm, put into an array that is there.
   *
   * @param sequences any number of sequences of ids
   * @param output receives tokens times {@code info().hiddenSize()} floats for each
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int encodeInto(int[][] sequences, float[] output, int offset, RunOptions options) {
    return calls().idsInto(CallMemory.of(sequences), Abi.OUTPUT_HIDDEN, options, output, offset, null);
  }

  /**
   * The hidden states after the last layer norm, put into a buffer, without a copy.
   *
   * @param text a text
   * @param output direct, in native byte order; receives tokens times {@code info().hiddenSize()} floats from its
   *     position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int encodeInto(String text, FloatBuffer output, RunOptions options) {
    return calls().textsInto(CallMemory.of(text, options), Abi.OUTPUT_HIDDEN, options, null, 0, output);
  }

  /**
   * The hidden states after the last layer norm, put into an array that is there.
   *
   * @param text a text
   * @param output receives tokens times {@code info().hiddenSize()} floats
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int encodeInto(String text, float[] output, int offset, RunOptions options) {
    return calls().textsInto(CallMemory.of(text, options), Abi.OUTPUT_HIDDEN, options, output, offset, null);
  }

  /**
   * The hidden states after the last layer norm, put into a buffer, without a copy.
   *
   * @param texts any number of texts
   * @param output direct, in native byte order; receives tokens times {@code info().hiddenSize()} floats for each
   *     from its position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int encodeInto(List<String> texts, FloatBuffer output, RunOptions options) {
    return calls().textsInto(CallMemory.of(texts, options), Abi.OUTPUT_HIDDEN, options, null, 0, output);
  }

  /**
   * The hidden states after the last layer norm, put into an array that is there.
   *
   * @param texts any number of texts
   * @param output receives tokens times {@code info().hiddenSize()} floats for each
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int encodeInto(List<String> texts, float[] output, int offset, RunOptions options) {
    return calls().textsInto(CallMemory.of(texts, options), Abi.OUTPUT_HIDDEN, options, output, offset, null);
  }

  /**
   * The classifier's scores, put into a buffer, without a copy.
   *
   * @param ids a sequence
   * @param output direct, in native byte order; receives {@code info().numClasses()} floats from its position on,
   *     which stays
   * @param options how
   * @return how many floats that were
   */
  public int classifyInto(int[] ids, FloatBuffer output, RunOptions options) {
    return calls().idsInto(CallMemory.of(ids), Abi.OUTPUT_CLASS_SCORES, options, null, 0, output);
  }

  /**
   * The classifier's scores, put into an array that is there.
   *
   * @param ids a sequence
   * @param output receives {@code info().numClasses()} floats
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int classifyInto(int[] ids, float[] output, int offset, RunOptions options) {
    return calls().idsInto(CallMemory.of(ids), Abi.OUTPUT_CLASS_SCORES, options, output, offset, null);
  }

  /**
   * The classifier's scores, put into a buffer, without a copy.
   *
   * @param sequences any number of sequences of ids
   * @param output direct, in native byte order; receives {@code info().numClasses()} floats for each from its
   *     position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int classifyInto(int[][] sequences, FloatBuffer output, RunOptions options) {
    return calls().idsInto(CallMemory.of(sequences), Abi.OUTPUT_CLASS_SCORES, options, null, 0, output);
  }

  /**
   * The classifier's scores, put into an array that is there.
   *
   * @param sequences any number of sequences of ids
   * @param output receives {@code info().numClasses()} floats for each
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int classifyInto(int[][] sequences, float[] output, int offset, RunOptions options) {
    return calls().idsInto(CallMemory.of(sequences), Abi.OUTPUT_CLASS_SCORES, options, output, offset, null);
  }

  /**
   * The classifier's scores, put into a buffer, without a copy.
   *
   * @param text a text
   * @param output direct, in native byte order; receives {@code info().numClasses()} floats from its position on,
   *     which stays
   * @param options how
   * @return how many floats that were
   */
  public int classifyInto(String text, FloatBuffer output, RunOptions options) {
    return calls().textsInto(CallMemory.of(text, options), Abi.OUTPUT_CLASS_SCORES, options, null, 0, output);
  }

  /**
   * The classifier's scores, put into an array that is there.
   *
   * @param text a text
   * @param output receives {@code info().numClasses()} floats
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int classifyInto(String text, float[] output, int offset, RunOptions options) {
    return calls().textsInto(CallMemory.of(text, options), Abi.OUTPUT_CLASS_SCORES, options, output, offset, null);
  }

  /**
   * The classifier's scores, put into a buffer, without a copy.
   *
   * @param texts any number of texts
   * @param output direct, in native byte order; receives {@code info().numClasses()} floats for each from its
   *     position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int classifyInto(List<String> texts, FloatBuffer output, RunOptions options) {
    return calls().textsInto(CallMemory.of(texts, options), Abi.OUTPUT_CLASS_SCORES, options, null, 0, output);
  }

  /**
   * The classifier's scores, put into an array that is there.
   *
   * @param texts any number of texts
   * @param output receives {@code info().numClasses()} floats for each
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int classifyInto(List<String> texts, float[] output, int offset, RunOptions options) {
    return calls().textsInto(CallMemory.of(texts, options), Abi.OUTPUT_CLASS_SCORES, options, output, offset, null);
  }

  /**
   * Vectors for whole sequences, put into a buffer, without a copy.
   *
   * @param ids a sequence
   * @param output direct, in native byte order; receives {@code info().embeddingSize()} floats from its position on,
   *     which stays
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(int[] ids, FloatBuffer output, RunOptions options) {
    return calls().idsInto(CallMemory.of(ids), Abi.OUTPUT_EMBEDDINGS, options, null, 0, output);
  }

  /**
   * Vectors for whole sequences, put into an array that is there.
   *
   * @param ids a sequence
   * @param output receives {@code info().embeddingSize()} floats
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(int[] ids, float[] output, int offset, RunOptions options) {
    return calls().idsInto(CallMemory.of(ids), Abi.OUTPUT_EMBEDDINGS, options, output, offset, null);
  }

  /**
   * Vectors for whole sequences, put into a buffer, without a copy.
   *
   * @param sequences any number of sequences of ids
   * @param output direct, in native byte order; receives {@code info().embeddingSize()} floats for each from its
   *     position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(int[][] sequences, FloatBuffer output, RunOptions options) {
    return calls().idsInto(CallMemory.of(sequences), Abi.OUTPUT_EMBEDDINGS, options, null, 0, output);
  }

  /**
   * Vectors for whole sequences, put into an array that is there.
   *
   * @param sequences any number of sequences of ids
   * @param output receives {@code info().embeddingSize()} floats for each
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(int[][] sequences, float[] output, int offset, RunOptions options) {
    return calls().idsInto(CallMemory.of(sequences), Abi.OUTPUT_EMBEDDINGS, options, output, offset, null);
  }

  /**
   * Vectors for whole sequences, put into a buffer, without a copy.
   *
   * @param text a text
   * @param output direct, in native byte order; receives {@code info().embeddingSize()} floats from its position on,
   *     which stays
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(String text, FloatBuffer output, RunOptions options) {
    return calls().textsInto(CallMemory.of(text, options), Abi.OUTPUT_EMBEDDINGS, options, null, 0, output);
  }

  /**
   * Vectors for whole sequences, put into an array that is there.
   *
   * @param text a text
   * @param output receives {@code info().embeddingSize()} floats
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(String text, float[] output, int offset, RunOptions options) {
    return calls().textsInto(CallMemory.of(text, options), Abi.OUTPUT_EMBEDDINGS, options, output, offset, null);
  }

  /**
   * Vectors for whole sequences, put into a buffer, without a copy.
   *
   * @param texts any number of texts
   * @param output direct, in native byte order; receives {@code info().embeddingSize()} floats for each from its
   *     position on, which stays
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(List<String> texts, FloatBuffer output, RunOptions options) {
    return calls().textsInto(CallMemory.of(texts, options), Abi.OUTPUT_EMBEDDINGS, options, null, 0, output);
  }

  /**
   * Vectors for whole sequences, put into an array that is there.
   *
   * @param texts any number of texts
   * @param output receives {@code info().embeddingSize()} floats for each
   * @param offset where in it to begin
   * @param options how
   * @return how many floats that were
   */
  public int embedInto(List<String> texts, float[] output, int offset, RunOptions options) {
    return calls().textsInto(CallMemory.of(texts, options), Abi.OUTPUT_EMBEDDINGS, options, output, offset, null);
  }
}
