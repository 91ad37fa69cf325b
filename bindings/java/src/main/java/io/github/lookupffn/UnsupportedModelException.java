// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** The model is valid, but this build of the library or this processor cannot run it. */
public final class UnsupportedModelException extends LookupFfnException {
  private static final long serialVersionUID = 1L;

  UnsupportedModelException(String message) {
    super(message);
  }
}
