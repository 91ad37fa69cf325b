package io.github.lookupffn;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The calls of one model into native code: arrays are put together here, and results taken apart. */
final class ModelCalls {
  private static final long[] NO_POSITIONS = {};

  final NativeHandle handle;
  final ModelInfo info;
  // Kept reachable for the length of each call, so that a forgotten model is not closed under it.
  private final Model model;

  ModelCalls(Model model, NativeHandle handle, long address) {
    this.model = model;
    this.handle = handle;
    long[] numbers = new long[Abi.MODEL_COUNT];
    Raw.modelInfo(address, numbers);
    info = new ModelInfo(numbers);
  }

  void leave() {
    handle.leave();
    Reference.reachabilityFence(model);
  }

  // The sequences are copied first: another thread may put other ones in their places.

  float[][] perSequence(int[][] given, int output, RunOptions options) {
    int[][] sequences = given.clone();
    float[][] results = new float[sequences.length][];
    for (int i = 0; i < results.length; i++) {
      results[i] = new float[sizeOf(output, sequences[i].length, options)];
    }
    run(sequences, output, NO_POSITIONS, options, results);
    return results;
  }

  float[][] perPosition(int[][] sequences, long[] positions, RunOptions options) {
    // Without the head, the call below says so.
    float[][] results = new float[positions.length][info.hasLmHead() ? info.vocabSize() : 0];
    run(sequences.clone(), Abi.OUTPUT_LOGITS, positions, options, results);
    return results;
  }

  private int sizeOf(int output, int tokens, RunOptions options) {
    switch (output) {
      case Abi.OUTPUT_HIDDEN:
        long floats = (long) tokens * info.hiddenSize();
        if (floats > Integer.MAX_VALUE - 8) {
          throw new IllegalArgumentException(tokens + " tokens are more than a Java array can hold the result of");
        }
        return (int) floats;
      case Abi.OUTPUT_CLASS_SCORES:
        return info.numClasses();
      default:
        return options.pooling == Pooling.MODEL ? info.embeddingSize() : info.hiddenSize();
    }
  }

  private void run(int[][] sequences, int output, long[] positions, RunOptions options, float[][] results) {
    long[] offsets = new long[sequences.length + 1];
    for (int i = 0; i < sequences.length; i++) {
      offsets[i + 1] = offsets[i] + sequences[i].length;
    }
    if (offsets[sequences.length] > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(offsets[sequences.length] + " tokens are too many for one call");
    }
    int[] ids = new int[(int) offsets[sequences.length]];
    for (int i = 0; i < sequences.length; i++) {
      System.arraycopy(sequences[i], 0, ids, (int) offsets[i], sequences[i].length);
    }
    long address = handle.enter();
    try {
      Raw.modelRunArrays(
          address,
          ids,
          offsets,
          output,
          positions,
          options.pooling.code,
          options.normalization,
          results,
          options.cancellation == null ? null : options.cancellation.flag);
    } finally {
      leave();
    }
  }

  /** One row for each text, as the model means its texts. */
  float[][] perText(List<String> given, int output, RunOptions options) {
    byte[][] texts = new byte[given.size()][];
    long[] ends = new long[texts.length];
    long total = 0;
    for (int i = 0; i < texts.length; i++) {
      texts[i] = Utf8.of(given.get(i));
      total += texts[i].length;
      ends[i] = total;
    }
    if (total > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(total + " bytes of text are too many for one call");
    }
    byte[] utf8 = new byte[(int) total];
    for (int i = 0; i < texts.length; i++) {
      System.arraycopy(texts[i], 0, utf8, (int) (ends[i] - texts[i].length), texts[i].length);
    }
    float[][] results = new float[texts.length][sizeOf(output, 0, options)];
    byte[] prompt = options.prompt == null ? null : Utf8.zeroTerminated(options.prompt);
    long address = handle.enter();
    try {
      Raw.modelRunTextArrays(
          address,
          utf8,
          ends,
          output,
          options.maxTokens,
          options.promptKind,
          prompt,
          options.pooling.code,
          options.normalization,
          results,
          options.cancellation == null ? null : options.cancellation.flag);
    } finally {
      leave();
    }
    return results;
  }

  /** With the special tokens, and cut to what the model means to read. */
  int[][] tokenize(List<String> texts) {
    int[][] sequences = new int[texts.size()][];
    int i = 0;
    for (String text : texts) {
      Object[] results = new Object[1];
      tokenize(Utf8.of(text), Abi.TOKENIZE_SPECIAL, info.ownMaxTokens(), results);
      sequences[i++] = (int[]) results[0];
    }
    return sequences;
  }

  void tokenize(byte[] utf8, int flags, long maxTokens, Object[] results) {
    long address = handle.enter();
    try {
      Raw.modelTokenizeBytes(address, utf8, flags, maxTokens, results);
    } finally {
      leave();
    }
  }

  String detokenize(int[] ids, int flags) {
    Object[] results = new Object[1];
    long address = handle.enter();
    try {
      Raw.modelDetokenizeIds(address, ids, flags, results);
    } finally {
      leave();
    }
    return Utf8.text((byte[]) results[0]);
  }

  List<List<MaskCandidate>> fillMask(String text, int topK) {
    if (topK < 1 || topK > info.vocabSize()) {
      throw new IllegalArgumentException("topK is " + topK + ", expected 1 to " + info.vocabSize());
    }
    Object[] results = new Object[2];
    byte[] utf8 = Utf8.of(text);
    long address = handle.enter();
    try {
      Raw.modelFillMaskBytes(address, utf8, topK, results);
    } finally {
      leave();
    }
    int[] ids = (int[]) results[0];
    float[] probabilities = (float[]) results[1];
    List<List<MaskCandidate>> masks = new ArrayList<>();
    for (int first = 0; first < ids.length; first += topK) {
      List<MaskCandidate> candidates = new ArrayList<>();
      for (int i = first; i < first + topK; i++) {
        candidates.add(new MaskCandidate(ids[i], detokenize(new int[] {ids[i]}, 0), probabilities[i]));
      }
      masks.add(List.copyOf(candidates));
    }
    return List.copyOf(masks);
  }

  /** Runs the call on the options' executor. It ends when its future is cancelled, or times out. */
  static <T> CompletableFuture<T> async(RunOptions options, Function<RunOptions, T> call) {
    CompletableFuture<T> future = new CompletableFuture<>();
    // Not the caller's own, which may serve other calls, too.
    Cancellation cancellation = new Cancellation();
    if (options.cancellation != null) {
      options.cancellation.addFollower(cancellation);
    }
    future.whenComplete((result, failure) -> {
      cancellation.cancel();
      if (options.cancellation != null) {
        options.cancellation.removeFollower(cancellation);
      }
    });
    options.executor.execute(() -> {
      if (future.isDone()) {
        return;
      }
      try {
        future.complete(call.apply(options.withCancellation(cancellation)));
      } catch (Throwable failure) {
        future.completeExceptionally(failure);
      }
    });
    return future;
  }
}
