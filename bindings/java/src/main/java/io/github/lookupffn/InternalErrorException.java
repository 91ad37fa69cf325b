// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** A bug in the native library; please report it. */
public final class InternalErrorException extends LookupFfnException {
  private static final long serialVersionUID = 1L;

  InternalErrorException(String message) {
    super(message);
  }
}
