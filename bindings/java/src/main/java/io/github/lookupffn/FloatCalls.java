// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Objects;

/** Calls whose results are rows of floats: hidden states, class scores, embeddings, logits. */
final class FloatCalls {
  private static final long[] NO_POSITIONS = {};

  private FloatCalls() {}

  /** Puts the output into new arrays, one for each text or sequence. Gives the memory back. */
  static float[][] rows(NativeModel model, CallMemory memory, int output, RunOptions options) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> rows(model, memory, output, options));
    }
    try {
      long address = model.enter();
      long result = 0;
      try {
        result = resultFor(memory, options);
        long[] begins = beginsOf(model, address, memory, output, options, result);
        float[] values = new float[sizeOf(model, memory.size, begins, output, options)];
        run(address, memory, output, options, values, null, 0, values.length, result);
        return split(model, values, memory.size, begins, output);
      } finally {
        NativeResult.free(result);
        model.leave();
      }
    } finally {
      memory.release();
    }
  }

  /**
   * Puts it into the buffer at its position, or the array at `at`. Returns how many floats, and gives the memory back.
   */
  static int into(
      NativeModel model, CallMemory memory, int output, RunOptions options, float[] array, int at, FloatBuffer buffer) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> into(model, memory, output, options, array, at, buffer));
    }
    try {
      long address = model.enter();
      long result = 0;
      try {
        result = resultFor(memory, options);
        long[] begins = beginsOf(model, address, memory, output, options, result);
        int needed = sizeOf(model, memory.size, begins, output, options);
        run(address, memory, output, options, array, buffer, placeOf(array, at, buffer, needed), needed, result);
        return needed;
      } finally {
        NativeResult.free(result);
        model.leave();
      }
    } finally {
      memory.release();
    }
  }

  static float[][] logits(NativeModel model, int[][] sequences, long[] positions, RunOptions options) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> logits(model, sequences, positions, options));
    }
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(positions, "positions");
    CallMemory memory = CallMemory.of(sequences);
    try {
      // If there is no such head, the call below reports it.
      int size = model.info().hasLmHead() ? model.info().vocabSize() : 0;
      float[] values = new float[NativeResult.arraySize((long) positions.length * size)];
      long address = model.enter();
      try {
        runIds(address, memory, Abi.OUT_LOGITS, positions, options, values, null, 0, values.length);
      } finally {
        model.leave();
      }
      return NativeResult.rows(values, positions.length);
    } finally {
      memory.release();
    }
  }

  /** Only reads texts, and counts their tokens. */
  static void count(long address, CallMemory memory, RunOptions options) {
    runTexts(address, memory, Abi.OUT_EMBEDDINGS, options, null, null, 0, 0, memory.counts, 0);
  }

  private static int placeOf(float[] array, int at, FloatBuffer buffer, int needed) {
    if (buffer == null) {
      Objects.requireNonNull(array, "output");
      Checks.array("output", array.length, at, needed);
      return at;
    }
    Checks.buffer("output", buffer, needed);
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("output is read-only");
    }
    return buffer.position();
  }

  /** How many floats the output of a call has. */
  private static int sizeOf(NativeModel model, int size, long[] begins, int output, RunOptions options) {
    ModelInfo info = model.info();
    switch (output) {
      case Abi.OUT_HIDDEN:
        return NativeResult.arraySize(begins[size] * info.hiddenSize());
      case Abi.OUT_CLASS_SCORES:
        return NativeResult.arraySize((long) size * info.numClasses());
      default:
        int whole = options.pooling == Pooling.MODEL ? info.embeddingSize() : info.hiddenSize();
        int dimensions = options.numbers[Abi.RUN_OPTION_DIMENSIONS];
        return NativeResult.arraySize((long) size * (dimensions > 0 ? dimensions : whole));
    }
  }

  private static float[][] split(NativeModel model, float[] values, int size, long[] begins, int output) {
    if (output != Abi.OUT_HIDDEN) {
      return NativeResult.rows(values, size);
    }
    if (size == 1) {
      return new float[][] {values};
    }
    int each = model.info().hiddenSize();
    float[][] results = new float[size][];
    for (int i = 0; i < size; i++) {
      results[i] = Arrays.copyOfRange(values, (int) (begins[i] * each), (int) (begins[i + 1] * each));
    }
    return results;
  }

  /** A result that receives the statuses of texts, to be freed; 0 if a bad text fails the call. */
  private static long resultFor(CallMemory memory, RunOptions options) {
    return memory.ofIds || options.statuses == null ? 0 : NativeResult.create();
  }

  /** Where each one's hidden states begin; null for other outputs of texts. The caller's counts stay as they are. */
  private static long[] beginsOf(
      NativeModel model, long address, CallMemory memory, int output, RunOptions options, long result) {
    if (memory.ofIds) {
      return memory.offsets;
    }
    if (output != Abi.OUT_EMBEDDINGS && options.numbers[Abi.RUN_OPTION_WINDOWS] != Abi.WINDOWS_NONE) {
      throw new IllegalArgumentException("window means are of embeddings alone; use options without them");
    }
    if (output != Abi.OUT_HIDDEN) {
      return null;
    }
    runTexts(address, memory, output, options, null, null, 0, 0, memory.counts, result);
    return memory.counts.room(memory.size);
  }

  private static void run(
      long address,
      CallMemory memory,
      int output,
      RunOptions options,
      float[] array,
      FloatBuffer buffer,
      int at,
      int capacity,
      long result) {
    if (memory.ofIds) {
      runIds(address, memory, output, NO_POSITIONS, options, array, buffer, at, capacity);
      return;
    }
    TextCounts counts = options.counts == null ? memory.counts : options.counts;
    runTexts(address, memory, output, options, array, buffer, at, capacity, counts, result);
    NativeResult.tellStatuses(options, result, memory.size);
  }

  private static void runIds(
      long address,
      CallMemory memory,
      int output,
      long[] positions,
      RunOptions options,
      float[] array,
      FloatBuffer buffer,
      int at,
      int capacity) {
    ListenedCall.Run listener = ListenedCall.Run.of(options);
    Events.Call event = Recorder.call(nameOf(output), memory.size);
    try {
      Raw.modelRunArrays(
          address,
          memory.ids,
          memory.offsets,
          memory.size,
          output,
          positions,
          positions.length,
          options.numbers,
          array,
          buffer,
          at,
          capacity,
          ListenedCall.Run.flagOf(listener, options),
          listener);
      Recorder.end(event, memory.offsets[memory.size]);
    } finally {
      ListenedCall.Run.end(listener);
    }
  }

  /** Without array and buffer this only counts. */
  private static void runTexts(
      long address,
      CallMemory memory,
      int output,
      RunOptions options,
      float[] array,
      FloatBuffer buffer,
      int at,
      int capacity,
      TextCounts counts,
      long result) {
    long[] numbers = counts.room(memory.size);
    boolean onlyCounts = array == null && buffer == null;
    ListenedCall.Run listener = onlyCounts ? null : ListenedCall.Run.of(options);
    Events.Call event = onlyCounts ? null : Recorder.call(nameOf(output), memory.size);
    try {
      Raw.modelRunTextArrays(
          address,
          memory.utf8,
          memory.ends,
          memory.size,
          memory.query,
          output,
          options.numbers,
          options.maxTokens,
          options.prompt,
          array,
          buffer,
          at,
          capacity,
          numbers,
          result,
          ListenedCall.Run.flagOf(listener, options),
          listener);
    } finally {
      ListenedCall.Run.end(listener);
    }
    counts.filled(numbers, memory.size);
    Recorder.end(event, numbers[memory.size]);
  }

  private static String nameOf(int output) {
    switch (output) {
      case Abi.OUT_HIDDEN:
        return "hidden states";
      case Abi.OUT_LOGITS:
        return "logits";
      case Abi.OUT_CLASS_SCORES:
        return "class scores";
      default:
        return "embeddings";
    }
  }
}
