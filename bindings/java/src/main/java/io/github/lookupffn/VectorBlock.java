// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.jspecify.annotations.Nullable;

/** Memory for copies of vectors, which are added one after the other. */
final class VectorBlock {
  /** Blocks up to this size stay in the heap: direct memory is not given back as soon as nobody needs it. */
  private static final int KEPT_IN_HEAP = 1 << 16;

  /** Elements of a vector: floats or bytes. */
  final int each;
  final ByteBuffer bytes;
  final FloatBuffer floats;
  private final int kind;
  private final int size;
  private final int count;

  VectorBlock(int kind, int size, int count, long bytesOfEach) {
    Vectors.checkSize(size);
    long all = bytesOfEach * count;
    if (all > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          count + " vectors of " + size + " numbers have " + all + " bytes, too many for one block; search them in several, see "
              + "SearchOptions.withStart");
    }
    this.kind = kind;
    this.size = size;
    this.count = count;
    each = kind == Abi.VECTORS_F32 ? size : (int) bytesOfEach;
    bytes = all <= KEPT_IN_HEAP ? ByteBuffer.allocate((int) all) : ByteBuffer.allocateDirect((int) all);
    floats = bytes.order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  Vectors vectors(float @Nullable [] scales) {
    bytes.clear();
    return bytes.isDirect()
        ? new Vectors(kind, size, count, bytes, null, scales, 0)
        : new Vectors(kind, size, count, null, bytes.array(), scales, 0);
  }
}
