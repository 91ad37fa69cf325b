// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What {@link Model#run} may give, one entry for each text or sequence of its input, in their order. Outputs of floats
 * may be written to the caller's memory, too, by {@link Model#runInto(Input, Output, float[], int, RunOptions)}.
 *
 * @param <T> what all entries come in
 */
public final class Output<T> {
  /** The hidden states after the last layer norm: tokens times {@link ModelInfo#hiddenSize} floats. */
  public static final Output<float[][]> HIDDEN = floats("HIDDEN", Abi.OUT_HIDDEN);

  /** The classifier's scores, raw unless {@link RunOptions#withScores} says otherwise: {@link ModelInfo#numClasses} floats. */
  public static final Output<float[][]> CLASS_SCORES = floats("CLASS_SCORES", Abi.OUT_CLASS_SCORES);

  /** A vector for the whole, made as the model means it: {@link ModelInfo#embeddingSize} floats. */
  public static final Output<float[][]> EMBEDDINGS = floats("EMBEDDINGS", Abi.OUT_EMBEDDINGS);

  /** Vectors as bytes with a scale. */
  public static final Output<List<Int8Embedding>> INT8_EMBEDDINGS =
      ofTexts("INT8_EMBEDDINGS", Abi.WANT_INT8_EMBEDDINGS, Output::int8Embeddings);

  /** Vectors as bits: 1 for each number above 0, the first one the highest bit of the first byte. */
  public static final Output<byte[][]> BIT_EMBEDDINGS =
      ofTexts("BIT_EMBEDDINGS", Abi.WANT_BIT_EMBEDDINGS, Output::bitEmbeddings);

  /** The vectors of a text's parts, each of as many tokens as the model or the options read at once. */
  public static final Output<List<List<EmbeddedWindow>>> WINDOWS = new Output<>("WINDOWS", -1, (model, input, options) -> {
    int[] numbers = options.numbers.clone();
    numbers[Abi.RUN_OPTION_WINDOWS] = Abi.WINDOWS_EACH;
    return NativeResult.of(model, input, Abi.WANT_EMBEDDINGS | Abi.WANT_SPANS, numbers, options, Output::windows);
  });

  /**
   * The weights of the tokens that a text is about, as SPLADE's models give them. A {@linkplain Model#withPrompt(Purpose,
   * RunOptions) purpose} chooses between the routes of queries and documents; {@link RunOptions#withMaxActive} and {@link
   * RunOptions#withMinWeight} limit the weights.
   */
  public static final Output<List<SparseEmbedding>> SPARSE = new Output<>("SPARSE", -1, (model, input, options) -> {
    if (model.info().sparseSize() == 0) {
      throw new UnsupportedModelException(
          "the model gives no sparse vectors, as those of SPLADE do; embed gives it what vectors it has");
    }
    RunOptions routed = Purpose.routed(model.facts, options);
    return NativeResult.of(model, input, Abi.WANT_SPARSE, routed.numbers, routed, Output::sparse);
  });

  /** A vector for each token, with its place in the text. */
  public static final Output<List<TokenVectors>> TOKEN_VECTORS =
      new Output<>("TOKEN_VECTORS", -1, (model, input, options) -> {
        if (options.numbers[Abi.RUN_OPTION_WINDOWS] != Abi.WINDOWS_NONE) {
          throw new IllegalArgumentException("window means are of embeddings alone; use options without them");
        }
        int wanted = Abi.WANT_TOKEN_VECTORS | Abi.WANT_IDS | Abi.WANT_SPANS | Abi.WANT_UNCUT;
        RunOptions routed = model.info().isLate() ? Purpose.routed(model.facts, options) : options;
        return NativeResult.of(model, input, wanted, routed.numbers, routed, Output::tokenVectors);
      });

  /**
   * Vectors for late interaction, as ColBERT's models give them. A {@linkplain Model#withPrompt(Purpose, RunOptions) purpose}
   * says whether texts are queries.
   */
  public static final Output<LateVectors> LATE = late("LATE", Abi.WANT_TOKEN_VECTORS, (result, count, size) ->
      new LateVectors.Numbers(NativeResult.floats(result, Abi.OUT_TOKEN_VECTORS, count * size), null, null));

  /** Vectors for late interaction, as bytes with a scale for each vector. */
  public static final Output<LateVectors> INT8_LATE =
      late("INT8_LATE", Abi.WANT_INT8_TOKEN_VECTORS, (result, count, size) -> new LateVectors.Numbers(
          null,
          NativeResult.bytes(result, Abi.OUT_INT8_TOKEN_VECTORS, count * size),
          NativeResult.floats(result, Abi.OUT_TOKEN_VECTOR_SCALES, count)));

  /** Makes a call for an output. */
  interface Maker<T> {
    T make(NativeModel model, Input input, RunOptions options);
  }

  final Maker<T> maker;
  // The output that native code writes to the caller's memory; -1 for outputs that it keeps in a result.
  final int floats;
  private final String name;

  private Output(String name, int floats, Maker<T> maker) {
    this.name = name;
    this.floats = floats;
    this.maker = maker;
  }

  private static Output<float[][]> floats(String name, int output) {
    return new Output<>(name, output, (model, input, options) ->
        FloatCalls.rows(model, CallMemory.of(input, options), output, options));
  }

  private static <T> Output<T> ofTexts(String name, int wanted, NativeResult.Reader<T> reader) {
    return new Output<>(name, -1, (model, input, options) ->
        NativeResult.of(model, input, wanted, options.numbers, options, reader));
  }

  private static Output<LateVectors> late(String name, int wanted, LateVectors.Reader reader) {
    return new Output<>(name, -1, (model, input, options) -> {
      if (!model.info().isLate()) {
        throw new UnsupportedModelException(
            "the model is not meant for late interaction, as ColBERT's are; tokenVectors gives what its tokens have");
      }
      RunOptions routed = Purpose.routed(model.facts, options);
      return NativeResult.of(model, input, wanted, routed.numbers, routed, (result, texts, memory) -> {
        int size = (int) Raw.resultSize(result, Abi.RESULT_SIZE_TOKEN_VECTOR);
        long[] offsets = NativeResult.longs(result, Abi.OUT_VECTOR_OFFSETS, memory.size + 1);
        LateVectors.Numbers numbers = reader.read(result, offsets[memory.size], size);
        return new LateVectors(numbers, offsets, size, (int) model.info().numbers[Abi.MODEL_MAX_SIM_FLAGS]);
      });
    });
  }

  private static List<Int8Embedding> int8Embeddings(long result, Input input, CallMemory memory) {
    int size = (int) Raw.resultSize(result, Abi.RESULT_SIZE_EMBEDDING);
    byte[] values = NativeResult.bytes(result, Abi.OUT_INT8_EMBEDDINGS, (long) memory.size * size);
    float[] scales = NativeResult.floats(result, Abi.OUT_EMBEDDING_SCALES, memory.size);
    List<Int8Embedding> all = new ArrayList<>(memory.size);
    for (int i = 0; i < memory.size; i++) {
      all.add(new Int8Embedding(Arrays.copyOfRange(values, i * size, (i + 1) * size), scales[i]));
    }
    return List.copyOf(all);
  }

  private static byte[][] bitEmbeddings(long result, Input input, CallMemory memory) {
    int size = ((int) Raw.resultSize(result, Abi.RESULT_SIZE_EMBEDDING) + 7) / 8;
    byte[] values = NativeResult.bytes(result, Abi.OUT_BIT_EMBEDDINGS, (long) memory.size * size);
    byte[][] all = new byte[memory.size][];
    for (int i = 0; i < all.length; i++) {
      all[i] = Arrays.copyOfRange(values, i * size, (i + 1) * size);
    }
    return all;
  }

  private static List<List<EmbeddedWindow>> windows(long result, Input input, CallMemory memory) {
    int count = (int) Raw.resultSize(result, Abi.RESULT_SIZE_SEQUENCES);
    long size = Raw.resultSize(result, Abi.RESULT_SIZE_EMBEDDING);
    float[][] vectors = NativeResult.rows(NativeResult.floats(result, Abi.OUT_EMBEDDINGS, count * size), count);
    long[] first = NativeResult.longs(result, Abi.OUT_WINDOW_OFFSETS, memory.size + 1);
    long[] begins = NativeResult.longs(result, Abi.OUT_TEXT_BEGINS, count);
    long[] ends = NativeResult.longs(result, Abi.OUT_TEXT_ENDS, count);
    byte[][] each = memory.eachText();
    List<List<EmbeddedWindow>> all = new ArrayList<>(memory.size);
    for (int i = 0; i < each.length; i++) {
      int from = (int) first[i];
      int to = (int) first[i + 1];
      int[] begin = Utf8.charsOf(each[i], Arrays.copyOfRange(begins, from, to), false);
      int[] end = Utf8.charsOf(each[i], Arrays.copyOfRange(ends, from, to), true);
      String text = input.text(i);
      List<EmbeddedWindow> windows = new ArrayList<>();
      for (int k = 0; k < to - from; k++) {
        windows.add(new EmbeddedWindow(vectors[from + k], begin[k], end[k], text.substring(begin[k], end[k])));
      }
      all.add(List.copyOf(windows));
    }
    return List.copyOf(all);
  }

  private static List<SparseEmbedding> sparse(long result, Input input, CallMemory memory) {
    long[] offsets = NativeResult.longs(result, Abi.OUT_SPARSE_OFFSETS, memory.size + 1);
    int[] ids = NativeResult.ints(result, Abi.OUT_SPARSE_IDS, offsets[memory.size]);
    float[] weights = NativeResult.floats(result, Abi.OUT_SPARSE_WEIGHTS, ids.length);
    List<SparseEmbedding> all = new ArrayList<>(memory.size);
    for (int i = 0; i < memory.size; i++) {
      int from = (int) offsets[i];
      int to = (int) offsets[i + 1];
      all.add(new SparseEmbedding(Arrays.copyOfRange(ids, from, to), Arrays.copyOfRange(weights, from, to)));
    }
    return List.copyOf(all);
  }

  private static List<TokenVectors> tokenVectors(long result, Input input, CallMemory memory) {
    int count = (int) Raw.resultSize(result, Abi.RESULT_SIZE_TOKENS);
    long size = Raw.resultSize(result, Abi.RESULT_SIZE_TOKEN_VECTOR);
    int sequences = (int) Raw.resultSize(result, Abi.RESULT_SIZE_SEQUENCES);
    if (NativeResult.longs(result, Abi.OUT_VECTOR_OFFSETS, sequences + 1)[sequences] != count) {
      throw new UnsupportedModelException(
          "the model gives no vectors of some tokens, for which it has no places; use embedLate");
    }
    float[][] vectors = NativeResult.rows(NativeResult.floats(result, Abi.OUT_TOKEN_VECTORS, count * size), count);
    byte[] ofTexts = NativeResult.bytes(result, Abi.OUT_TOKEN_SOURCES, count);
    List<TokenVectors> all = new ArrayList<>(memory.size);
    int from = 0;
    for (Tokens tokens : Tokens.of(result, memory)) {
      int to = from + tokens.size();
      all.add(new TokenVectors(tokens, Arrays.copyOfRange(ofTexts, from, to), Arrays.copyOfRange(vectors, from, to)));
      from = to;
    }
    return List.copyOf(all);
  }

  @Override
  public String toString() {
    return "Output." + name;
  }
}
