// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** A file, or the bytes of one, is not a valid model; the message says what is wrong with it. */
public final class BadModelException extends LookupFfnException {
  private static final long serialVersionUID = 1L;

  BadModelException(String message) {
    super(message);
  }
}
