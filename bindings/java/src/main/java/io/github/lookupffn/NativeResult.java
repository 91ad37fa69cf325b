// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;

/** The results of a call that native code keeps until they are read. */
final class NativeResult {
  private NativeResult() {}

  /** Reads a result before it is freed. */
  interface Reader<T> {
    T read(long result, Input input, CallMemory memory);
  }

  static long create() {
    long[] out = new long[1];
    Raw.resultCreate(out);
    return out[0];
  }

  static void free(long result) {
    if (result != 0) {
      Raw.resultFree(result);
    }
  }

  /** Runs texts and makes all wanted outputs. {@code numbers} are those of the options, some perhaps changed. */
  static <T> T of(NativeModel model, Input input, int wanted, int[] numbers, RunOptions options, Reader<T> reader) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> of(model, input, wanted, numbers, options, reader));
    }
    if (input.ids != null || input.query != null) {
      throw new IllegalArgumentException(
          "this output is of texts, not of " + (input.ids != null ? "ids" : "pairs")
              + "; those have hidden states, class scores and embeddings");
    }
    CallMemory memory = CallMemory.of(input, options);
    try {
      long address = model.enter();
      long result = 0;
      ListenedCall.Run listener = ListenedCall.Run.of(options);
      Events.Call event = Recorder.call("vectors", memory.size);
      try {
        result = create();
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
        T read = reader.read(result, input, memory);
        Recorder.end(event, Raw.resultSize(result, Abi.RESULT_SIZE_TOKENS));
        if (options.counts != null) {
          count(result, memory.size, numbers[Abi.RUN_OPTION_WINDOWS] != Abi.WINDOWS_NONE, options.counts);
        }
        tellStatuses(options, result, memory.size);
        return read;
      } finally {
        free(result);
        model.leave();
        ListenedCall.Run.end(listener);
      }
    } finally {
      memory.release();
    }
  }

  private static void count(long result, int texts, boolean windows, TextCounts counts) {
    long[] offsets = longs(result, Abi.OUT_TOKEN_OFFSETS, Raw.resultSize(result, Abi.RESULT_SIZE_SEQUENCES) + 1);
    long[] first = windows ? longs(result, Abi.OUT_WINDOW_OFFSETS, texts + 1) : null;
    long[] uncut = longs(result, Abi.OUT_UNCUT_LENGTHS, texts);
    long[] numbers = counts.room(texts);
    for (int i = 0; i <= texts; i++) {
      numbers[i] = offsets[windows ? (int) first[i] : i];
    }
    System.arraycopy(uncut, 0, numbers, texts + 1, texts);
    counts.filled(numbers, texts);
  }

  static void tellStatuses(RunOptions options, long result, int texts) {
    if (options.statuses != null) {
      options.statuses.read(result, texts);
    }
  }

  static long[] longs(long result, int what, long size) {
    long[] values = new long[arraySize(size)];
    Raw.resultLongs(result, what, values);
    return values;
  }

  static int[] ints(long result, int what, long size) {
    int[] values = new int[arraySize(size)];
    Raw.resultInts(result, what, values);
    return values;
  }

  static float[] floats(long result, int what, long size) {
    float[] values = new float[arraySize(size)];
    Raw.resultFloats(result, what, values);
    return values;
  }

  static byte[] bytes(long result, int what, long size) {
    byte[] values = new byte[arraySize(size)];
    Raw.resultBytes(result, what, values);
    return values;
  }

  static int arraySize(long elements) {
    if (elements > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException("the result has " + elements + " elements, too many for a Java array");
    }
    return (int) elements;
  }

  static float[][] rows(float[] values, int count) {
    if (count == 1) {
      return new float[][] {values};
    }
    float[][] rows = new float[count][];
    for (int i = 0; i < count; i++) {
      int size = values.length / count;
      rows[i] = Arrays.copyOfRange(values, i * size, (i + 1) * size);
    }
    return rows;
  }
}
