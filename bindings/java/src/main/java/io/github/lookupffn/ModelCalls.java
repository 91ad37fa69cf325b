// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Reference;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** The calls of one model into native code: what they take is put together here, and results taken apart. */
final class ModelCalls extends ModelFacts {
  private static final long[] NO_POSITIONS = {};

  final NativeHandle handle;
  // Kept reachable for the length of each call, so that a forgotten model is not closed under it.
  private final Model model;

  ModelCalls(Model model, NativeHandle handle, long address) {
    super(address);
    this.model = model;
    this.handle = handle;
  }

  void leave() {
    handle.leave();
    Reference.reachabilityFence(model);
  }

  /** A text of the model's, which TEXT_ value says. */
  String text(int what, int index) {
    long address = handle.enter();
    try {
      return Utf8.text(Raw.modelText(address, what, index));
    } finally {
      leave();
    }
  }

  // Results in new arrays.

  float[][] perSequence(int[][] sequences, int output, RunOptions options) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> perSequence(sequences, output, options));
    }
    Objects.requireNonNull(options, "options");
    CallMemory memory = CallMemory.of(sequences);
    try {
      float[] values = new float[sizeOf(memory.size, memory.offsets, output, options)];
      runIds(memory, output, NO_POSITIONS, options, values, null, 0, values.length);
      return split(values, memory.size, memory.offsets, output);
    } finally {
      memory.release();
    }
  }

  float[][] perPosition(int[][] sequences, long[] positions, RunOptions options) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> perPosition(sequences, positions, options));
    }
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(positions, "positions");
    CallMemory memory = CallMemory.of(sequences);
    try {
      // Without the head, the call below says so.
      int size = info.hasLmHead() ? info.vocabSize() : 0;
      float[] values = new float[arraySize((long) positions.length * size)];
      runIds(memory, Abi.OUTPUT_LOGITS, positions, options, values, null, 0, values.length);
      return rows(values, positions.length);
    } finally {
      memory.release();
    }
  }

  float[][] perText(List<String> texts, int output, RunOptions options) {
    return perText(texts, null, output, options);
  }

  private float[][] perText(List<String> texts, byte[] query, int output, RunOptions options) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> perText(texts, query, output, options));
    }
    Objects.requireNonNull(options, "options");
    String name = query == null ? "texts" : "documents";
    CallMemory memory = CallMemory.of(texts, name, options.statuses != null && query == null, options.repairs());
    try {
      long address = handle.enter();
      long result = 0;
      try {
        result = resultFor(options);
        long[] begins = beginsOf(address, memory, query, output, options, result);
        float[] values = new float[sizeOf(memory.size, begins, output, options)];
        TextCounts counts = countsFor(memory, options);
        runTexts(address, memory, query, output, options, values, null, 0, values.length, counts, result);
        tellStatuses(options, result, memory.size);
        return split(values, memory.size, begins, output);
      } finally {
        freed(result);
        leave();
      }
    } finally {
      memory.release();
    }
  }

  float[] rerank(String query, List<String> documents, RunOptions options) {
    Objects.requireNonNull(query, "query");
    Objects.requireNonNull(documents, "documents");
    Objects.requireNonNull(options, "options");
    if (info.isLate()) {
      return rerankLate(Utf8.of(query, "the query"), documents, options);
    }
    if (info.numClasses() != 1) {
      throw new IllegalArgumentException("this model has " + info.numClasses() + " classes, a reranker has one");
    }
    float[][] scores = perText(documents, Utf8.of(query, "the query"), Abi.OUTPUT_CLASS_SCORES, options);
    float[] flat = new float[scores.length];
    for (int i = 0; i < flat.length; i++) {
      flat[i] = scores[i][0];
    }
    return flat;
  }

  private float[] rerankLate(byte[] query, List<String> documents, RunOptions options) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> rerankLate(query, documents, options));
    }
    CallMemory memory = CallMemory.of(documents, "documents", false, options.repairs());
    try {
      float[] scores = new float[memory.size];
      long address = handle.enter();
      Events.Call event = Recorder.call("late interaction", memory.size);
      try {
        Raw.modelRerankArrays(
            address,
            query,
            memory.utf8,
            memory.ends,
            memory.size,
            options.maxTokens,
            Abi.SCORES_RAW,
            options.numbers[Abi.RUN_OPTION_NUM_THREADS],
            options.numbers[Abi.RUN_OPTION_FLAGS],
            scores,
            Cancellation.flagOf(options.cancellation));
        Recorder.end(event, 0);
      } finally {
        leave();
      }
      return scores;
    } finally {
      memory.release();
    }
  }

  // Results in the caller's memory: in the buffer from its position on, or in the array from `at` on.

  int idsInto(CallMemory memory, int output, RunOptions options, float[] array, int at, FloatBuffer buffer) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> idsInto(memory, output, options, array, at, buffer));
    }
    Objects.requireNonNull(options, "options");
    try {
      int needed = sizeOf(memory.size, memory.offsets, output, options);
      int from = placeOf(array, at, buffer, needed);
      runIds(memory, output, NO_POSITIONS, options, array, buffer, from, needed);
      return needed;
    } finally {
      memory.release();
    }
  }

  int textsInto(CallMemory memory, int output, RunOptions options, float[] array, int at, FloatBuffer buffer) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> textsInto(memory, output, options, array, at, buffer));
    }
    Objects.requireNonNull(options, "options");
    try {
      long address = handle.enter();
      long result = 0;
      try {
        result = resultFor(options);
        long[] begins = beginsOf(address, memory, null, output, options, result);
        int needed = sizeOf(memory.size, begins, output, options);
        int from = placeOf(array, at, buffer, needed);
        TextCounts counts = countsFor(memory, options);
        runTexts(address, memory, null, output, options, array, buffer, from, needed, counts, result);
        tellStatuses(options, result, memory.size);
        return needed;
      } finally {
        freed(result);
        leave();
      }
    } finally {
      memory.release();
    }
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
  private int sizeOf(int size, long[] offsets, int output, RunOptions options) {
    switch (output) {
      case Abi.OUTPUT_HIDDEN:
        return arraySize(offsets[size] * info.hiddenSize());
      case Abi.OUTPUT_CLASS_SCORES:
        return arraySize((long) size * info.numClasses());
      default:
        int whole = options.pooling == Pooling.MODEL ? info.embeddingSize() : info.hiddenSize();
        int dimensions = options.numbers[Abi.RUN_OPTION_DIMENSIONS];
        int each = dimensions > 0 ? dimensions : whole;
        return arraySize((long) size * each);
    }
  }

  static int arraySize(long floats) {
    if (floats > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException("the result has " + floats + " floats, too many for a Java array");
    }
    return (int) floats;
  }

  private float[][] split(float[] values, int size, long[] offsets, int output) {
    if (output != Abi.OUTPUT_HIDDEN) {
      return rows(values, size);
    }
    if (size == 1) {
      return new float[][] {values};
    }
    float[][] results = new float[size][];
    for (int i = 0; i < size; i++) {
      int from = (int) (offsets[i] * info.hiddenSize());
      results[i] = Arrays.copyOfRange(values, from, (int) (offsets[i + 1] * info.hiddenSize()));
    }
    return results;
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

  /** What tells of bad texts, to be freed; 0 where a bad text is the call's failure. */
  static long resultFor(RunOptions options) {
    return options.statuses == null ? 0 : newResult();
  }

  static long newResult() {
    long[] out = new long[1];
    Raw.resultCreate(out);
    return out[0];
  }

  static void freed(long result) {
    if (result != 0) {
      Raw.resultFree(result);
    }
  }

  static void tellStatuses(RunOptions options, long result, int texts) {
    if (options.statuses != null) {
      options.statuses.read(result, texts);
    }
  }

  private void runIds(
      CallMemory memory,
      int output,
      long[] positions,
      RunOptions options,
      float[] array,
      FloatBuffer buffer,
      int at,
      int capacity) {
    long address = handle.enter();
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
      leave();
      ListenedCall.Run.end(listener);
    }
  }

  private static TextCounts countsFor(CallMemory memory, RunOptions options) {
    return options.counts == null ? memory.counts : options.counts;
  }

  /** Where each text's hidden states begin; null for other outputs. The caller's counts stay as they are. */
  private long[] beginsOf(
      long address, CallMemory memory, byte[] query, int output, RunOptions options, long result) {
    if (output != Abi.OUTPUT_EMBEDDINGS && options.numbers[Abi.RUN_OPTION_WINDOWS] != Abi.WINDOWS_NONE) {
      throw new IllegalArgumentException("window means are of embeddings alone; use options without them");
    }
    if (output != Abi.OUTPUT_HIDDEN) {
      return null;
    }
    runTexts(address, memory, query, output, options, null, null, 0, 0, memory.counts, result);
    return memory.counts.room(memory.size);
  }

  /** In a handle that was entered. Without array and buffer this only counts. */
  private void runTexts(
      long address,
      CallMemory memory,
      byte[] query,
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
          query,
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
      case Abi.OUTPUT_HIDDEN:
        return "hidden states";
      case Abi.OUTPUT_LOGITS:
        return "logits";
      case Abi.OUTPUT_CLASS_SCORES:
        return "class scores";
      default:
        return "embeddings";
    }
  }

  /**
   * Refuses texts that would be cut, before any layer runs. Of a text that is far too long no more is read than it takes to
   * know.
   */
  void refuseCut(List<String> texts, RunOptions options) {
    if (PlatformThreads.needed()) {
      PlatformThreads.run(() -> refuseCut(texts, options));
      return;
    }
    long own = options.maxTokens > 0 ? Math.min(options.maxTokens, info.maxTokens()) : info.ownMaxTokens();
    refuseFarTooLong(texts, (int) own, options);
    CallMemory memory = CallMemory.of(texts, options);
    try {
      long address = handle.enter();
      try {
        runTexts(address, memory, null, Abi.OUTPUT_EMBEDDINGS, options, null, null, 0, 0, memory.counts, 0);
      } finally {
        leave();
      }
      for (int i = 0; i < memory.size; i++) {
        if (memory.counts.isCut(i)) {
          throw tooLong(texts.size(), i, String.valueOf(memory.counts.uncutTokens(i)), own);
        }
      }
    } finally {
      memory.release();
    }
  }

  /** A text of which twice as many tokens as are read do not reach the end is too long, whatever is put before it. */
  private void refuseFarTooLong(List<String> texts, int own, RunOptions options) {
    int enough = 2 * own + 2;
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      if (text == null || text.length() < enough) {
        continue;
      }
      byte[] utf8 = Utf8.of(text, "texts[" + i + "]", options.repairs());
      Object[] results = new Object[1];
      long address = handle.enter();
      try {
        Raw.modelTokenizeBytes(
            address, utf8, Abi.TOKENIZE_REPAIR, enough, results, Cancellation.flagOf(options.cancellation));
      } finally {
        leave();
      }
      if (((int[]) results[0]).length >= enough) {
        throw tooLong(texts.size(), i, enough + " or more", own);
      }
    }
  }

  private static IllegalArgumentException tooLong(int texts, int place, String tokens, long most) {
    return new IllegalArgumentException(
        (texts == 1 ? "the text" : "text " + place) + " has " + tokens + " tokens, of which the model reads " + most
            + "; split it, or let it be cut");
  }
}
