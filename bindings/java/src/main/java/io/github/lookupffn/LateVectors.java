// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Several vectors of each of some texts, as late interaction compares them: floats, or bytes with a scale for each vector,
 * which take a quarter of the memory.
 */
public final class LateVectors {
  private final float @Nullable [] floats;
  private final byte @Nullable [] bytes;
  private final float @Nullable [] scales;
  private final long[] offsets;
  private final int size;
  private final int flags;

  /** The numbers of vectors: floats, or bytes with scales. */
  static final class Numbers {
    final float @Nullable [] floats;
    final byte @Nullable [] bytes;
    final float @Nullable [] scales;

    Numbers(float @Nullable [] floats, byte @Nullable [] bytes, float @Nullable [] scales) {
      this.floats = floats;
      this.bytes = bytes;
      this.scales = scales;
    }
  }

  /** Reads so many vectors of this size. */
  interface Reader {
    Numbers read(long result, long count, long size);
  }

  LateVectors(Numbers numbers, long[] offsets, int size, int flags) {
    floats = numbers.floats;
    bytes = numbers.bytes;
    scales = numbers.scales;
    this.offsets = offsets;
    this.size = size;
    this.flags = flags;
  }

  /** {@return how many texts there are} */
  public int texts() {
    return offsets.length - 1;
  }

  /** {@return how many numbers each vector has} */
  public int size() {
    return size;
  }

  /**
   * {@return where the vectors of each text begin, counted in vectors, and where the last one's end: one number more
   * than there are texts; not a copy}
   */
  public long[] offsets() {
    return offsets;
  }

  /** {@return the numbers of all vectors, one behind the other, not a copy; null where they are bytes} */
  public float @Nullable [] floats() {
    return floats;
  }

  /**
   * {@return the numbers of all vectors as bytes, to be multiplied by their vector's scale, not a copy; null where they
   * are floats}
   */
  public byte @Nullable [] bytes() {
    return bytes;
  }

  /** {@return the scale of each vector of bytes, not a copy; null where they are floats} */
  public float @Nullable [] scales() {
    return scales;
  }

  /**
   * How well each of these documents answers each query: for each vector of the query the most similar vector of the
   * document is found, and these dot products are added up, or their mean is taken if the model asks for that.
   *
   * @param queries of the same model
   * @return for each query a score for each document, the same to the bit whatever is beside them
   */
  public float[][] scores(LateVectors queries) {
    return scores(queries, null);
  }

  /**
   * As {@link #scores(LateVectors)}, until another thread ends it.
   *
   * @param queries of the same model
   * @param cancellation the one that the other thread cancels; null for none
   * @return for each query a score for each document
   * @throws java.util.concurrent.CancellationException if the cancellation was cancelled
   */
  public float[][] scores(LateVectors queries, @Nullable Cancellation cancellation) {
    Objects.requireNonNull(queries, "queries");
    if (queries.size != size || queries.flags != flags) {
      throw new IllegalArgumentException(
          "queries have vectors of " + queries.size + " numbers, documents of " + size + "; take both from one model");
    }
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> scores(queries, cancellation));
    }
    float[] all = new float[NativeResult.arraySize((long) queries.texts() * texts())];
    NativeLibrary.ensureLoaded();
    Raw.maxSimArrays(
        queries.floats,
        queries.bytes,
        queries.scales,
        queries.offsets,
        floats,
        bytes,
        scales,
        offsets,
        size,
        flags,
        0,
        all,
        Cancellation.flagOf(cancellation));
    return queries.texts() == 0 ? new float[0][] : NativeResult.rows(all, queries.texts());
  }

  @Override
  public String toString() {
    return "LateVectors[" + texts() + " texts, " + offsets[texts()] + " vectors of " + size
        + (bytes == null ? " floats]" : " bytes]");
  }
}
