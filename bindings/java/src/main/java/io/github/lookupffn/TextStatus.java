// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** Whether a text was run, or why not. */
public enum TextStatus {
  /** It was run. */
  OK(Abi.OK),
  /** It contains half of a surrogate pair. */
  BAD_TEXT(Abi.ERROR_BAD_TEXT),
  /** It has more tokens than the model can run, and was not to be cut. */
  TOO_LONG(Abi.ERROR_TOO_LONG),
  /** It is null. */
  NULL_TEXT(Abi.ERROR_NULL_TEXT),
  /** What a later version of the native library tells; the message says what. */
  OTHER(-1);

  private static final TextStatus[] VALUES = values();

  private final int code;

  TextStatus(int code) {
    this.code = code;
  }

  static TextStatus of(int code) {
    for (TextStatus status : VALUES) {
      if (status.code == code) {
        return status;
      }
    }
    return OTHER;
  }
}
