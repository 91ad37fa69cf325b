// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Vectors#topK} looks for, and among which vectors. Immutable and free to be shared: each {@code with} method
 * returns a changed copy.
 */
public final class SearchOptions extends CallOptions<SearchOptions> implements Cloneable {
  private static final SearchOptions DEFAULTS = new SearchOptions();

  int k = 10;
  Measure measure = Measure.DOT;
  long @Nullable [] ids;
  long firstId;
  @Nullable BitSet takingPart;
  long @Nullable [] candidates;
  // Where each query's candidates begin; null where all queries have the same.
  long @Nullable [] candidateOffsets;
  @Nullable Nearest start;
  @Nullable LookupFfnRuntime runtime;
  int numThreads;
  @Nullable RunProgress progress;
  private @Nullable Cancellation cancellation;
  private Executor executor = Async.DEFAULT;

  private SearchOptions() {}

  @Override
  @Nullable Cancellation cancellation() {
    return cancellation;
  }

  @Override
  Executor executor() {
    return executor;
  }

  private SearchOptions copy() {
    try {
      return (SearchOptions) clone();
    } catch (CloneNotSupportedException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** {@return the defaults: the ten nearest of all vectors, by dot product} */
  public static SearchOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how many vectors each query finds.
   *
   * @param k the number, at least 1; where fewer take part, these are found
   * @return a changed copy
   */
  public SearchOptions withK(int k) {
    if (k < 1) {
      throw new IllegalArgumentException("k is " + k + ", expected 1 or more");
    }
    SearchOptions copy = copy();
    copy.k = k;
    return copy;
  }

  /**
   * Sets how near two vectors of floats or bytes are; vectors of bits are always compared by how many differ.
   *
   * @param measure the measure
   * @return a changed copy
   */
  public SearchOptions withMeasure(Measure measure) {
    SearchOptions copy = copy();
    copy.measure = Objects.requireNonNull(measure, "measure");
    return copy;
  }

  /**
   * Sets the ids of vectors in the result, which are otherwise their numbers from 0 on.
   *
   * @param ids one for each vector; copied
   * @return a changed copy, without a first id
   */
  public SearchOptions withIds(long[] ids) {
    SearchOptions copy = copy();
    copy.ids = Objects.requireNonNull(ids, "ids").clone();
    copy.firstId = 0;
    return copy;
  }

  /**
   * Sets the id of the first vector; the next ones have the numbers after it. This is for vectors in several blocks.
   *
   * @param firstId such as how many vectors the blocks before had
   * @return a changed copy, without other ids
   */
  public SearchOptions withFirstId(long firstId) {
    SearchOptions copy = copy();
    copy.firstId = firstId;
    copy.ids = null;
    return copy;
  }

  /**
   * Sets which vectors take part.
   *
   * @param takingPart a bit for each vector by its number, from 0 on, set where it takes part; copied
   * @return a changed copy
   */
  public SearchOptions withTakingPart(BitSet takingPart) {
    SearchOptions copy = copy();
    copy.takingPart = (BitSet) Objects.requireNonNull(takingPart, "takingPart").clone();
    return copy;
  }

  /**
   * Sets which vectors take part, if they are few.
   *
   * @param candidates their numbers, from 0 on, not their ids, in any order; copied
   * @return a changed copy
   */
  public SearchOptions withCandidates(long[] candidates) {
    SearchOptions copy = copy();
    copy.candidates = Objects.requireNonNull(candidates, "candidates").clone();
    copy.candidateOffsets = null;
    return copy;
  }

  /**
   * Sets which vectors each query is compared with, such as those that {@link Nearest#ids} of a search among bits found.
   *
   * @param candidates for each query their numbers, from 0 on, not their ids, in any order; copied
   * @return a changed copy
   */
  public SearchOptions withCandidatesOfEach(long[][] candidates) {
    long[] offsets = new long[Objects.requireNonNull(candidates, "candidates").length + 1];
    for (int i = 0; i < candidates.length; i++) {
      if (candidates[i] == null) {
        throw new NullPointerException("candidates[" + i + "] is null");
      }
      offsets[i + 1] = offsets[i] + candidates[i].length;
    }
    long[] all = new long[NativeResult.arraySize(offsets[candidates.length])];
    for (int i = 0; i < candidates.length; i++) {
      System.arraycopy(candidates[i], 0, all, (int) offsets[i], candidates[i].length);
    }
    SearchOptions copy = copy();
    copy.candidates = all;
    copy.candidateOffsets = offsets;
    return copy;
  }

  /**
   * Sets what was found in other blocks of vectors, which stays among the nearest unless vectors of this block are nearer.
   *
   * @param start of the same queries, with the same k and measure; null for nothing
   * @return a changed copy
   */
  public SearchOptions withStart(@Nullable Nearest start) {
    SearchOptions copy = copy();
    copy.start = start;
    return copy;
  }

  /**
   * Sets whose threads and instruction set the search uses.
   *
   * @param runtime the runtime; null for the process's
   * @return a changed copy
   */
  public SearchOptions withRuntime(@Nullable LookupFfnRuntime runtime) {
    SearchOptions copy = copy();
    copy.runtime = runtime;
    return copy;
  }

  /**
   * Sets how many threads the search uses at most.
   *
   * @param threads the number; 0 for as many as the environment or the runtime allows
   * @return a changed copy
   */
  public SearchOptions withNumThreads(int threads) {
    SearchOptions copy = copy();
    copy.numThreads = Checks.threads(threads);
    return copy;
  }

  /**
   * Sets who is told how many pairs of a query and a vector have been compared.
   *
   * @param progress who; null for nobody
   * @return a changed copy
   */
  public SearchOptions withProgress(@Nullable RunProgress progress) {
    SearchOptions copy = copy();
    copy.progress = progress;
    return copy;
  }

  @Override
  public SearchOptions withCancellation(@Nullable Cancellation cancellation) {
    SearchOptions copy = copy();
    copy.cancellation = cancellation;
    return copy;
  }

  @Override
  public SearchOptions withExecutor(Executor executor) {
    SearchOptions copy = copy();
    copy.executor = Objects.requireNonNull(executor, "executor");
    return copy;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof SearchOptions)) {
      return false;
    }
    SearchOptions options = (SearchOptions) other;
    return k == options.k && measure == options.measure && Arrays.equals(ids, options.ids) && firstId == options.firstId
        && Objects.equals(takingPart, options.takingPart) && Arrays.equals(candidates, options.candidates)
        && Arrays.equals(candidateOffsets, options.candidateOffsets) && Objects.equals(start, options.start)
        && runtime == options.runtime && numThreads == options.numThreads && progress == options.progress
        && cancellation == options.cancellation && executor == options.executor;
  }

  @Override
  public int hashCode() {
    return Objects.hash(k, measure, Arrays.hashCode(ids), firstId, takingPart, Arrays.hashCode(candidates));
  }

  @Override
  public String toString() {
    String among = candidates != null ? candidates.length + " candidates" : takingPart != null ? "some vectors" : "all vectors";
    return "SearchOptions[the " + k + " nearest of " + among + ", by " + measure + "]";
  }
}
