// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Arrays;
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
    int[] numbers = options.numbers.clone();
    numbers[Abi.RUN_OPTION_WINDOWS] = Abi.WINDOWS_EACH;
    int wanted = Abi.WANT_EMBEDDINGS | Abi.WANT_SPANS;
    return run(texts, wanted, numbers, options, (result, memory) -> {
      int count = (int) Raw.resultSize(result, Abi.RESULT_SIZE_SEQUENCES);
      long size = Raw.resultSize(result, Abi.RESULT_SIZE_EMBEDDING);
      float[][] vectors = ModelCalls.rows(floats(result, Abi.RESULT_EMBEDDINGS, count * size), count);
      long[] first = longs(result, Abi.RESULT_TEXT_OFFSETS, memory.size + 1);
      long[] begins = longs(result, Abi.RESULT_TEXT_BEGINS, count);
      long[] ends = longs(result, Abi.RESULT_TEXT_ENDS, count);
      byte[][] each = memory.eachText();
      List<List<EmbeddedWindow>> all = new ArrayList<>();
      for (int i = 0; i < each.length; i++) {
        int from = (int) first[i];
        int to = (int) first[i + 1];
        int[] begin = Utf8.charsOf(each[i], Arrays.copyOfRange(begins, from, to), false);
        int[] end = Utf8.charsOf(each[i], Arrays.copyOfRange(ends, from, to), true);
        String text = texts.get(i) == null ? "" : texts.get(i);
        List<EmbeddedWindow> windows = new ArrayList<>();
        for (int k = 0; k < to - from; k++) {
          windows.add(new EmbeddedWindow(vectors[from + k], begin[k], end[k], text.substring(begin[k], end[k])));
        }
        all.add(List.copyOf(windows));
      }
      return List.copyOf(all);
    });
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
    return run(texts, Abi.WANT_INT8_EMBEDDINGS, options.numbers, options, (result, memory) -> {
      int size = (int) Raw.resultSize(result, Abi.RESULT_SIZE_EMBEDDING);
      byte[] values = bytes(result, Abi.RESULT_INT8_EMBEDDINGS, (long) memory.size * size);
      float[] scales = floats(result, Abi.RESULT_EMBEDDING_SCALES, memory.size);
      List<Int8Embedding> all = new ArrayList<>();
      for (int i = 0; i < memory.size; i++) {
        all.add(new Int8Embedding(Arrays.copyOfRange(values, i * size, (i + 1) * size), scales[i]));
      }
      return List.copyOf(all);
    });
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
    return run(texts, Abi.WANT_BIT_EMBEDDINGS, options.numbers, options, (result, memory) -> {
      int size = ((int) Raw.resultSize(result, Abi.RESULT_SIZE_EMBEDDING) + 7) / 8;
      byte[] values = bytes(result, Abi.RESULT_BIT_EMBEDDINGS, (long) memory.size * size);
      byte[][] all = new byte[memory.size][];
      for (int i = 0; i < all.length; i++) {
        all[i] = Arrays.copyOfRange(values, i * size, (i + 1) * size);
      }
      return all;
    });
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
   * The weights of the tokens that a text is about, as SPLADE's models give them.
   *
   * @param text a text
   * @return the tokens and their weights
   * @throws LookupFfnException if the model gives no such vectors
   */
  public SparseEmbedding embedSparse(String text) {
    return embedSparse(List.of(Objects.requireNonNull(text, "text")), RunOptions.defaults()).get(0);
  }

  /**
   * The weights of the tokens that texts are about, as SPLADE's models give them.
   *
   * @param texts any number of texts
   * @param options how: a {@linkplain Model#withPrompt(Purpose, RunOptions) purpose} chooses between the routes of queries and
   *     documents, {@link RunOptions#withMaxActive} and {@link RunOptions#withMinWeight} limit the weights
   * @return the tokens of each and their weights; none for a text that cannot be run
   * @throws LookupFfnException if the model gives no such vectors
   */
  public List<SparseEmbedding> embedSparse(List<String> texts, RunOptions options) {
    Objects.requireNonNull(texts, "texts");
    Objects.requireNonNull(options, "options");
    if (calls().info.sparseSize() == 0) {
      throw new UnsupportedModelException(
          "the model gives no sparse vectors, as those of SPLADE do; embed gives it what vectors it has");
    }
    return run(texts, Abi.WANT_SPARSE, options.numbers, options, (result, memory) -> {
      long[] offsets = longs(result, Abi.RESULT_SPARSE_OFFSETS, memory.size + 1);
      int[] ids = new int[ModelCalls.arraySize(offsets[memory.size])];
      Raw.resultInts(result, Abi.RESULT_SPARSE_IDS, ids);
      float[] weights = floats(result, Abi.RESULT_SPARSE_WEIGHTS, ids.length);
      List<SparseEmbedding> all = new ArrayList<>();
      for (int i = 0; i < memory.size; i++) {
        int from = (int) offsets[i];
        int to = (int) offsets[i + 1];
        all.add(new SparseEmbedding(Arrays.copyOfRange(ids, from, to), Arrays.copyOfRange(weights, from, to)));
      }
      return List.copyOf(all);
    });
  }

  /**
   * The weights of the tokens that texts are about, as SPLADE's models give them, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return the tokens of each and their weights; cancelling it ends the call
   */
  public CompletableFuture<List<SparseEmbedding>> embedSparseAsync(List<String> texts, RunOptions options) {
    return later(options, changed -> embedSparse(texts, changed));
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
    if (options.numbers[Abi.RUN_OPTION_WINDOWS] != Abi.WINDOWS_NONE) {
      throw new IllegalArgumentException("window means are of embeddings alone; use options without them");
    }
    int wanted = Abi.WANT_TOKEN_VECTORS | Abi.WANT_IDS | Abi.WANT_SPANS | Abi.WANT_UNCUT;
    return run(texts, wanted, options.numbers, options, (result, memory) -> {
      int count = (int) Raw.resultSize(result, Abi.RESULT_SIZE_TOKENS);
      long size = Raw.resultSize(result, Abi.RESULT_SIZE_TOKEN_VECTOR);
      long sequences = Raw.resultSize(result, Abi.RESULT_SIZE_SEQUENCES);
      if (longs(result, Abi.RESULT_VECTOR_OFFSETS, sequences + 1)[(int) sequences] != count) {
        throw new UnsupportedModelException(
            "the model gives no vectors of some tokens, for which it has no places; use embedLate");
      }
      float[][] vectors = ModelCalls.rows(floats(result, Abi.RESULT_TOKEN_VECTORS, count * size), count);
      byte[] ofTexts = bytes(result, Abi.RESULT_TOKEN_TEXTS, count);
      List<TokenVectors> all = new ArrayList<>();
      int from = 0;
      for (Tokens tokens : Tokens.of(result, memory)) {
        int to = from + tokens.size();
        all.add(new TokenVectors(
            tokens, Arrays.copyOfRange(ofTexts, from, to), Arrays.copyOfRange(vectors, from, to)));
        from = to;
      }
      return List.copyOf(all);
    });
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

  /**
   * The vectors of texts for late interaction, as ColBERT's models give them.
   *
   * @param texts any number of texts
   * @param options how: a {@linkplain Model#withPrompt(Purpose, RunOptions) purpose} says whether they are queries
   * @return their vectors; none of a text that cannot be run
   * @throws LookupFfnException if the model is not meant for late interaction
   */
  public LateVectors embedLate(List<String> texts, RunOptions options) {
    return late(texts, Abi.WANT_TOKEN_VECTORS, options, (result, count, size) ->
        new LateVectors.Numbers(floats(result, Abi.RESULT_TOKEN_VECTORS, count * size), null, null));
  }

  /**
   * The vectors of texts for late interaction, as bytes with a scale for each vector.
   *
   * @param texts any number of texts
   * @param options how
   * @return their vectors; none of a text that cannot be run
   * @throws LookupFfnException if the model is not meant for late interaction
   */
  public LateVectors embedLateInt8(List<String> texts, RunOptions options) {
    return late(texts, Abi.WANT_INT8_TOKEN_VECTORS, options, (result, count, size) -> new LateVectors.Numbers(
        null,
        bytes(result, Abi.RESULT_INT8_TOKEN_VECTORS, count * size),
        floats(result, Abi.RESULT_TOKEN_VECTOR_SCALES, count)));
  }

  /**
   * The vectors of texts for late interaction, computed by the options' executor.
   *
   * @param texts any number of texts
   * @param options how
   * @return their vectors; cancelling it ends the call
   */
  public CompletableFuture<LateVectors> embedLateAsync(List<String> texts, RunOptions options) {
    return later(options, changed -> embedLate(texts, changed));
  }

  private LateVectors late(List<String> texts, int wanted, RunOptions options, LateVectors.Reader reader) {
    Objects.requireNonNull(texts, "texts");
    Objects.requireNonNull(options, "options");
    ModelInfo info = calls().info;
    if (!info.isLate()) {
      throw new UnsupportedModelException(
          "the model is not meant for late interaction, as ColBERT's are; tokenVectors gives what its tokens have");
    }
    return run(texts, wanted, options.numbers, options, (result, memory) -> {
      int size = (int) Raw.resultSize(result, Abi.RESULT_SIZE_TOKEN_VECTOR);
      long[] offsets = longs(result, Abi.RESULT_VECTOR_OFFSETS, memory.size + 1);
      LateVectors.Numbers numbers = reader.read(result, offsets[memory.size], size);
      return new LateVectors(numbers, offsets, size, (int) info.numbers[Abi.MODEL_MAX_SIM_FLAGS]);
    });
  }

  /** Reads what native code keeps in a result, before that is freed. */
  private interface Reader<T> {
    T read(long result, CallMemory memory);
  }

  /** Runs all that is wanted, with options' numbers of which some may have been changed, and reads what there is. */
  private <T> T run(List<String> texts, int wanted, int[] numbers, RunOptions options, Reader<T> reader) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> run(texts, wanted, numbers, options, reader));
    }
    ModelCalls calls = calls();
    CallMemory memory = CallMemory.of(texts, options);
    try {
      long address = calls.handle.enter();
      long result = 0;
      ListenedCall.Run listener = ListenedCall.Run.of(options);
      Events.Call event = Recorder.call("vectors", memory.size);
      try {
        result = ModelCalls.newResult();
        Raw.modelRunResultArrays(
            address,
            memory.utf8,
            memory.ends,
            memory.size,
            numbers,
            options.maxTokens,
            options.prompt,
            wanted
                | (options.counts == null ? 0 : Abi.WANT_UNCUT)
                | (options.statuses == null ? 0 : Abi.WANT_STATUSES),
            result,
            ListenedCall.Run.flagOf(listener, options),
            listener);
        T read = reader.read(result, memory);
        Recorder.end(event, Raw.resultSize(result, Abi.RESULT_SIZE_TOKENS));
        if (options.counts != null) {
          count(result, memory.size, numbers[Abi.RUN_OPTION_WINDOWS] != Abi.WINDOWS_NONE, options.counts);
        }
        ModelCalls.tellStatuses(options, result, memory.size);
        return read;
      } finally {
        ModelCalls.freed(result);
        calls.leave();
        ListenedCall.Run.end(listener);
      }
    } finally {
      memory.release();
    }
  }

  private static void count(long result, int texts, boolean windows, TextCounts counts) {
    long[] offsets = longs(result, Abi.RESULT_OFFSETS, Raw.resultSize(result, Abi.RESULT_SIZE_SEQUENCES) + 1);
    long[] first = windows ? longs(result, Abi.RESULT_TEXT_OFFSETS, texts + 1) : null;
    long[] uncut = longs(result, Abi.RESULT_UNCUT, texts);
    long[] numbers = counts.room(texts);
    for (int i = 0; i <= texts; i++) {
      numbers[i] = offsets[windows ? (int) first[i] : i];
    }
    System.arraycopy(uncut, 0, numbers, texts + 1, texts);
    counts.filled(numbers, texts);
  }

  private static long[] longs(long result, int what, long size) {
    long[] values = new long[ModelCalls.arraySize(size)];
    Raw.resultLongs(result, what, values);
    return values;
  }

  private static float[] floats(long result, int what, long size) {
    float[] values = new float[ModelCalls.arraySize(size)];
    Raw.resultFloats(result, what, values);
    return values;
  }

  private static byte[] bytes(long result, int what, long size) {
    byte[] values = new byte[ModelCalls.arraySize(size)];
    Raw.resultBytes(result, what, values);
    return values;
  }
}
