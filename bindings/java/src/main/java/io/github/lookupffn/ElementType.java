// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How the numbers of a layer or a model are held in memory. */
public enum ElementType {
  /** IEEE float32. */
  F32(Abi.DTYPE_F32),
  /** bfloat16: the upper half of a float32. */
  BF16(Abi.DTYPE_BF16),
  /** int8 with scales. */
  INT8(Abi.DTYPE_INT8),
  /** IEEE float16; for tensors passed in, and rows by word as stored. */
  F16(Abi.DTYPE_F16),
  /** Four bits with scales; for rows by word only. */
  INT4(Abi.DTYPE_INT4);

  private final int code;

  ElementType(int code) {
    this.code = code;
  }

  static int codeOf(ElementType typeOrNull) {
    return typeOrNull == null ? Abi.DTYPE_AS_STORED : typeOrNull.code;
  }

  static ElementType ofCode(int code) {
    for (ElementType type : values()) {
      if (type.code == code) {
        return type;
      }
    }
    throw new IllegalArgumentException("no element type has the code " + code);
  }
}
