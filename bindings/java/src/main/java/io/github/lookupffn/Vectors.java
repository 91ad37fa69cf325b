// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Vectors, one after the other in one block, to be searched or to be searched for.
 *
 * <pre>{@code
 * Vectors vectors = Vectors.of(model.embed(texts, RunOptions.defaults().withDocumentPrompt()));
 * Vectors query = Vectors.of(model.embed("cats", RunOptions.defaults().withQueryPrompt()));
 * for (ScoredId found : Vectors.topK(query, vectors, SearchOptions.defaults().withK(3)).of(0)) {
 *   System.out.println(found.score() + " " + texts.get((int) found.id()));
 * }
 * }</pre>
 *
 * <p>Arrays, and buffers in the heap, are copied when this is made: keep it for many searches. A direct buffer, such as a file
 * that is mapped, is not copied, and must not be changed while it is searched. A mapped file must not be shortened
 * meanwhile: that would end the process. A block has at most as many bytes as a buffer can have; more vectors go into
 * several blocks, see {@link SearchOptions#withStart}.
 */
public final class Vectors {
  private static final int MOST_NUMBERS = 1 << 16;

  final int kind;
  /** Numbers of a vector; 0 if there are no vectors and their size is not known. */
  final int size;
  final int count;
  /** The numbers, in a direct buffer or else in an array. */
  final @Nullable Buffer memory;
  final byte @Nullable [] bytes;
  final float @Nullable [] scales;
  /** The one scale of all vectors; 0 if each vector has its own, or if vectors have no scale. */
  final float scale;

  Vectors(
      int kind,
      int size,
      int count,
      @Nullable Buffer memory,
      byte @Nullable [] bytes,
      float @Nullable [] scales,
      float scale) {
    this.kind = kind;
    this.size = size;
    this.count = count;
    this.memory = memory;
    this.bytes = bytes;
    this.scales = scales;
    this.scale = scale;
  }

  /**
   * One vector of floats.
   *
   * @param vector its numbers, 1 to 65536; copied
   * @return a block of it
   */
  public static Vectors of(float[] vector) {
    return of(vector, Objects.requireNonNull(vector, "vector").length);
  }

  /**
   * Vectors of floats.
   *
   * @param rows as many numbers in each; copied
   * @return a block of them
   */
  public static Vectors of(float[][] rows) {
    return of(Arrays.asList(Objects.requireNonNull(rows, "rows")));
  }

  /**
   * Vectors of floats.
   *
   * @param rows as many numbers in each; copied
   * @return a block of them
   */
  public static Vectors of(List<float[]> rows) {
    VectorBlock block = null;
    int place = 0;
    for (float[] row : Objects.requireNonNull(rows, "rows")) {
      int length = lengthOf(row == null ? -1 : row.length, block, place);
      block = block == null ? new VectorBlock(Abi.VECTORS_F32, length, rows.size(), 4L * length) : block;
      block.floats.put(row);
      place++;
    }
    return block == null ? none(Abi.VECTORS_F32) : block.vectors(null);
  }

  /**
   * Vectors of floats.
   *
   * @param numbers of all vectors, one after the other; copied
   * @param size how many each vector has, 1 to 65536
   * @return a block of them
   */
  public static Vectors of(float[] numbers, int size) {
    return of(FloatBuffer.wrap(Objects.requireNonNull(numbers, "numbers")), size);
  }

  /**
   * Vectors of floats.
   *
   * @param numbers of all vectors, from the buffer's position to its limit; not copied where it is direct, and then in the native
   *     order of bytes
   * @param size how many each vector has, 1 to 65536
   * @return a block of them
   */
  public static Vectors of(FloatBuffer numbers, int size) {
    int count = countOf(Objects.requireNonNull(numbers, "numbers").remaining(), size, size);
    if (!numbers.isDirect()) {
      VectorBlock block = new VectorBlock(Abi.VECTORS_F32, size, count, 4L * size);
      block.floats.put(numbers.duplicate());
      return block.vectors(null);
    }
    Checks.buffer("numbers", numbers, 0);
    return new Vectors(Abi.VECTORS_F32, size, count, numbers.slice(), null, null, 0);
  }

  /**
   * Vectors of bytes, each with its scale.
   *
   * @param rows as many numbers in each; copied
   * @return a block of them
   */
  public static Vectors ofInt8(List<Int8Embedding> rows) {
    float[] scales = new float[Objects.requireNonNull(rows, "rows").size()];
    VectorBlock block = null;
    int place = 0;
    for (Int8Embedding row : rows) {
      int length = lengthOf(row == null ? -1 : row.numbers().length, block, place);
      block = block == null ? new VectorBlock(Abi.VECTORS_INT8, length, scales.length, length) : block;
      block.bytes.put(row.numbers());
      scales[place++] = row.scale();
    }
    return block == null ? none(Abi.VECTORS_INT8) : block.vectors(scales);
  }

  /**
   * Vectors of bytes, from -128 to 127.
   *
   * @param numbers of all vectors, one after the other; copied
   * @param size how many each vector has, 1 to 65536
   * @return a block of them, which are meant as they are
   */
  public static Vectors ofInt8(byte[] numbers, int size) {
    return ofInt8(ByteBuffer.wrap(Objects.requireNonNull(numbers, "numbers")), size);
  }

  /**
   * Vectors of bytes, from -128 to 127.
   *
   * @param numbers of all vectors, from the buffer's position to its limit; not copied where it is direct
   * @param size how many each vector has, 1 to 65536
   * @return a block of them, which are meant as they are
   */
  public static Vectors ofInt8(ByteBuffer numbers, int size) {
    return ofBytes(Abi.VECTORS_INT8, Objects.requireNonNull(numbers, "numbers"), size, size);
  }

  /**
   * Vectors of bits, as {@link Model#embedBits} gives them.
   *
   * @param rows as many bytes in each, all of whose bits count; copied
   * @return a block of them
   */
  public static Vectors ofBits(byte[][] rows) {
    VectorBlock block = null;
    int place = 0;
    for (byte[] row : Objects.requireNonNull(rows, "rows")) {
      int length = lengthOf(row == null ? -1 : row.length, block, place++);
      block = block == null ? new VectorBlock(Abi.VECTORS_BITS, (int) Math.min(Integer.MAX_VALUE, 8L * length), rows.length, length) : block;
      block.bytes.put(row);
    }
    return block == null ? none(Abi.VECTORS_BITS) : block.vectors(null);
  }

  /**
   * Vectors of bits, eight to a byte, the first in the highest bit; each vector begins in a new byte.
   *
   * @param bytes of all vectors, one after the other; copied
   * @param size how many bits each vector has, 1 to 65536; those behind them do not count
   * @return a block of them
   */
  public static Vectors ofBits(byte[] bytes, int size) {
    return ofBits(ByteBuffer.wrap(Objects.requireNonNull(bytes, "bytes")), size);
  }

  /**
   * Vectors of bits, eight to a byte, the first in the highest bit; each vector begins in a new byte.
   *
   * @param bytes of all vectors, from the buffer's position to its limit; not copied where it is direct
   * @param size how many bits each vector has, 1 to 65536; those behind them do not count
   * @return a block of them
   */
  public static Vectors ofBits(ByteBuffer bytes, int size) {
    return ofBytes(Abi.VECTORS_BITS, Objects.requireNonNull(bytes, "bytes"), size, (int) ((size + 7L) / 8));
  }

  private static Vectors ofBytes(int kind, ByteBuffer bytes, int size, int bytesOfEach) {
    int count = countOf(bytes.remaining(), size, bytesOfEach);
    if (!bytes.isDirect()) {
      VectorBlock block = new VectorBlock(kind, size, count, bytesOfEach);
      block.bytes.put(bytes.duplicate());
      return block.vectors(null);
    }
    return new Vectors(kind, size, count, bytes.slice(), null, null, 0);
  }

  /**
   * The same vectors of bytes, all with one scale.
   *
   * @param scale what each number is multiplied by; not 0
   * @return a block of them, which is no copy
   */
  public Vectors withScale(float scale) {
    needInt8();
    if (scale == 0) {
      throw new IllegalArgumentException("scale is 0, and so were all products with it");
    }
    return new Vectors(kind, size, count, memory, bytes, null, scale);
  }

  /**
   * The same vectors of bytes, each with its scale.
   *
   * @param scales one for each vector; copied
   * @return a block of them, whose numbers are no copy
   */
  public Vectors withScales(float[] scales) {
    needInt8();
    if (Objects.requireNonNull(scales, "scales").length != count) {
      throw new IllegalArgumentException(count + " vectors have " + scales.length + " scales");
    }
    return new Vectors(kind, size, count, memory, bytes, scales.clone(), 0);
  }

  private void needInt8() {
    if (kind != Abi.VECTORS_INT8) {
      throw new IllegalArgumentException("only vectors of bytes have scales");
    }
  }

  /** {@return how many numbers each vector has; 0 where there are none, and nothing said how many} */
  public int size() {
    return size;
  }

  /** {@return how many vectors there are} */
  public int count() {
    return count;
  }

  /**
   * Finds the nearest vectors for each query by comparing it with all of them, or with those that the options name. Equal
   * scores are in the order of their ids. The result is the same to the bit for any number of threads and blocks, and for
   * bytes and bits on every processor.
   *
   * @param queries what to look for
   * @param vectors where, of the same kind and size
   * @param options how many, and among which
   * @return ids and scores for each query, the nearest first
   * @throws java.util.concurrent.CancellationException if the cancellation was cancelled
   */
  public static Nearest topK(Vectors queries, Vectors vectors, SearchOptions options) {
    return TopK.find(queries, vectors, options);
  }

  /**
   * The dot product of two vectors, the same to the bit as {@link #topK} has it: the cosine of those with length 1, as most
   * models give them.
   *
   * @param a a vector
   * @param b one of as many numbers
   * @return the sum of the products
   */
  public static float dot(float[] a, float[] b) {
    return TopK.score(of(Objects.requireNonNull(a, "a")), of(Objects.requireNonNull(b, "b")), Measure.DOT);
  }

  /**
   * The cosine of the angle between two vectors, the same to the bit as {@link #topK} has it.
   *
   * @param a a vector
   * @param b one of as many numbers
   * @return from -1 to 1; 0 where one of them is all zeros
   */
  public static float cosine(float[] a, float[] b) {
    return TopK.score(of(Objects.requireNonNull(a, "a")), of(Objects.requireNonNull(b, "b")), Measure.COSINE);
  }

  /**
   * The dot product of the vectors that bytes stand for.
   *
   * @param a a vector
   * @param b one of as many numbers
   * @return the sum of the products, times both scales
   */
  public static float dot(Int8Embedding a, Int8Embedding b) {
    return TopK.score(
        ofInt8(List.of(Objects.requireNonNull(a, "a"))), ofInt8(List.of(Objects.requireNonNull(b, "b"))), Measure.DOT);
  }

  /**
   * In how many bits two vectors differ.
   *
   * @param a a vector, as {@link Model#embedBits} gives it
   * @param b one of as many bytes
   * @return the number of bits
   */
  public static int hamming(byte[] a, byte[] b) {
    return (int) TopK.score(
        ofBits(new byte[][] {Objects.requireNonNull(a, "a")}),
        ofBits(new byte[][] {Objects.requireNonNull(b, "b")}),
        Measure.DOT);
  }

  @Override
  public String toString() {
    String what = kind == Abi.VECTORS_F32 ? " floats" : kind == Abi.VECTORS_INT8 ? " bytes" : " bits";
    return "Vectors[" + count + " of " + size + what + "]";
  }

  private static Vectors none(int kind) {
    return new Vectors(kind, 0, 0, null, new byte[0], null, 0);
  }

  private static int lengthOf(int length, @Nullable VectorBlock block, int place) {
    if (length < 0) {
      throw new NullPointerException("rows[" + place + "] is null");
    }
    if (block != null && length != block.each) {
      throw new IllegalArgumentException("rows[" + place + "] has " + length + " elements, and those before have " + block.each);
    }
    return length;
  }

  private static int countOf(int elements, int size, int elementsOfEach) {
    checkSize(size);
    if (elements % elementsOfEach != 0) {
      throw new IllegalArgumentException(
          elements + " elements are no whole number of vectors, which have " + elementsOfEach + " each");
    }
    return elements / elementsOfEach;
  }

  static void checkSize(int size) {
    if (size < 1 || size > MOST_NUMBERS) {
      throw new IllegalArgumentException("vectors have " + size + " numbers, expected 1 to " + MOST_NUMBERS);
    }
  }
}
