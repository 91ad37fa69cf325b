// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import java.util.Objects;

/** A search as the native library wants it. */
final class TopK {
  private final Vectors queries;
  private final Vectors vectors;
  private final SearchOptions options;
  /** Places for what each query finds. */
  private final int places;

  private TopK(Vectors queries, Vectors vectors, SearchOptions options) {
    this.queries = Objects.requireNonNull(queries, "queries");
    this.vectors = Objects.requireNonNull(vectors, "vectors");
    this.options = Objects.requireNonNull(options, "options");
    check();
    // Room for no more than can be found, however many are wanted.
    places = (int) Math.max(1, Math.min(options.k, mostCandidates() + mostOfStart()));
    NativeResult.arraySize((long) queries.count * places);
  }

  static Nearest find(Vectors queries, Vectors vectors, SearchOptions options) {
    TopK search = new TopK(queries, vectors, options);
    return PlatformThreads.call(search::run);
  }

  static float score(Vectors a, Vectors b, Measure measure) {
    return find(a, b, SearchOptions.defaults().withK(1).withMeasure(measure).withNumThreads(1)).scores()[0][0];
  }

  private void check() {
    if (queries.kind != vectors.kind || queries.size != vectors.size && queries.count > 0 && vectors.count > 0) {
      throw new IllegalArgumentException(
          "queries and vectors are of different kinds or sizes: " + queries + " and " + vectors);
    }
    if (options.ids != null && options.ids.length != vectors.count) {
      throw new IllegalArgumentException(vectors.count + " vectors have " + options.ids.length + " ids");
    }
    if (options.takingPart != null && options.takingPart.length() > vectors.count) {
      throw new IllegalArgumentException(
          "takingPart has bit " + (options.takingPart.length() - 1) + ", but there are " + vectors.count + " vectors");
    }
    if (options.candidateOffsets != null && options.candidateOffsets.length != queries.count + 1) {
      throw new IllegalArgumentException(
          queries.count + " queries have candidates for " + (options.candidateOffsets.length - 1));
    }
    if (options.start != null && (options.start.k() != options.k || options.start.queries() != queries.count)) {
      throw new IllegalArgumentException(
          "the start is the " + options.start.k() + " nearest of " + options.start.queries() + " queries, but now " + options.k
              + " of " + queries.count + " are wanted");
    }
  }

  private long mostCandidates() {
    if (options.candidates == null) {
      return vectors.count;
    }
    long[] offsets = options.candidateOffsets;
    if (offsets == null) {
      return options.candidates.length;
    }
    long most = 0;
    for (int query = 0; query < queries.count; query++) {
      most = Math.max(most, offsets[query + 1] - offsets[query]);
    }
    return most;
  }

  private long mostOfStart() {
    return options.start == null ? 0 : Arrays.stream(options.start.ids()).mapToInt(ids -> ids.length).max().orElse(0);
  }

  private long[] numbers() {
    long[] numbers = new long[Abi.SEARCH_COUNT];
    numbers[Abi.SEARCH_KIND] = vectors.kind;
    numbers[Abi.SEARCH_MEASURE] = vectors.kind == Abi.VECTORS_BITS ? Abi.MEASURE_HAMMING : options.measure.value;
    numbers[Abi.SEARCH_SIZE] = Math.max(1, vectors.count > 0 ? vectors.size : queries.size);
    numbers[Abi.SEARCH_N_QUERIES] = queries.count;
    numbers[Abi.SEARCH_N_VECTORS] = vectors.count;
    numbers[Abi.SEARCH_QUERY_SCALE_BITS] = Float.floatToRawIntBits(queries.scale);
    numbers[Abi.SEARCH_VECTOR_SCALE_BITS] = Float.floatToRawIntBits(vectors.scale);
    numbers[Abi.SEARCH_FIRST_ID] = options.firstId;
    numbers[Abi.SEARCH_N_CANDIDATES] = options.candidates == null ? -1 : options.candidates.length;
    numbers[Abi.SEARCH_K] = places;
    numbers[Abi.SEARCH_CAPACITY] = (long) queries.count * places;
    numbers[Abi.SEARCH_NUM_THREADS] = options.numThreads;
    return numbers;
  }

  private byte[] takingPart() {
    return options.takingPart == null ? null : Arrays.copyOf(options.takingPart.toByteArray(), (int) ((vectors.count + 7L) / 8));
  }

  private Nearest run() {
    NativeLibrary.ensureLoaded();
    long[] counts = new long[queries.count];
    long[] ids = new long[queries.count * places];
    float[] scores = new float[queries.count * places];
    if (options.start != null) {
      for (int query = 0; query < counts.length; query++) {
        long[] found = options.start.ids()[query];
        counts[query] = found.length;
        System.arraycopy(found, 0, ids, query * places, found.length);
        System.arraycopy(options.start.scores()[query], 0, scores, query * places, found.length);
      }
    }
    LookupFfnRuntime runtime = options.runtime;
    long address = runtime == null ? 0 : runtime.handle.enter();
    ListenedCall.Run listener = null;
    try {
      listener = ListenedCall.Run.of(options.progress, options.cancellation());
      Raw.topKArrays(
          numbers(),
          address,
          queries.memory,
          queries.bytes,
          queries.scales,
          vectors.memory,
          vectors.bytes,
          vectors.scales,
          options.ids,
          takingPart(),
          options.candidates,
          options.candidateOffsets,
          counts,
          ids,
          scores,
          ListenedCall.Run.flagOf(listener, options.cancellation()),
          listener);
    } finally {
      if (runtime != null) {
        runtime.leave();
      }
      ListenedCall.Run.end(listener);
    }
    return found(counts, ids, scores);
  }

  private Nearest found(long[] counts, long[] ids, float[] scores) {
    long[][] idsOfEach = new long[counts.length][];
    float[][] scoresOfEach = new float[counts.length][];
    for (int query = 0; query < counts.length; query++) {
      int begin = query * places;
      int end = begin + (int) counts[query];
      idsOfEach[query] = Arrays.copyOfRange(ids, begin, end);
      scoresOfEach[query] = Arrays.copyOfRange(scores, begin, end);
    }
    return new Nearest(options.k, idsOfEach, scoresOfEach);
  }
}
