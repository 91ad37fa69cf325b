// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** The native library could not get memory; nothing was leaked. */
public final class NativeMemoryException extends LookupFfnException {
  private static final long serialVersionUID = 1L;

  NativeMemoryException(String message) {
    super(message);
  }
}
