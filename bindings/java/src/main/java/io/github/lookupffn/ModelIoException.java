// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** The operating system refused to read or write a model file. */
public final class ModelIoException extends LookupFfnException {
  private static final long serialVersionUID = 1L;

  ModelIoException(String message, Throwable cause) {
    super(message);
    initCause(cause);
  }

  ModelIoException(String message) {
    super(message);
  }
}
