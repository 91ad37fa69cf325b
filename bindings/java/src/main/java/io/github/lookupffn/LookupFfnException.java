// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;

/** What went wrong in the native library. The message is the library's own. */
public abstract class LookupFfnException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LookupFfnException(String message) {
    super(message);
  }

  /** Called by the native library, which throws what it gets. */
  static RuntimeException of(int status, byte[] utf8) {
    String message = new String(utf8, StandardCharsets.UTF_8);
    switch (status) {
      case Abi.ERROR_INVALID_ARGUMENT:
      case Abi.ERROR_TOO_SMALL:
      case Abi.ERROR_BAD_TEXT:
      case Abi.ERROR_TOO_LONG:
      case Abi.ERROR_NULL_TEXT:
        return new IllegalArgumentException(message);
      case Abi.ERROR_OUT_OF_MEMORY:
        return new NativeMemoryException(message);
      case Abi.ERROR_IO:
        return new ModelIoException(message);
      case Abi.ERROR_BAD_MODEL:
        return new BadModelException(message);
      case Abi.ERROR_UNSUPPORTED:
        return new UnsupportedModelException(message);
      case Abi.ERROR_CANCELLED:
        return new CancellationException(message);
      case Abi.ERROR_INTERNAL:
        return new InternalErrorException(message);
      default:
        return new InternalErrorException("status " + status + ": " + message);
    }
  }
}
