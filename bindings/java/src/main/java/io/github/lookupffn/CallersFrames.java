// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/**
 * The frames of a thread that waited for a call which failed in another thread. They are added to the failure's
 * suppressed exceptions, because the failure's own frames are those of the thread that made the call.
 */
final class CallersFrames extends RuntimeException {
  private static final long serialVersionUID = 1;
  // Several may wait for one future, any number of times.
  private static final int MOST = 8;

  private CallersFrames() {
    super("waited for by the thread " + Thread.currentThread().getName());
  }

  /**
   * What to throw in the caller's thread for a failure in another thread. This package's calls throw nothing checked.
   */
  static RuntimeException rethrown(Throwable failure) {
    if (failure.getSuppressed().length < MOST) {
      failure.addSuppressed(new CallersFrames());
    }
    if (failure instanceof Error) {
      throw (Error) failure;
    }
    return failure instanceof RuntimeException ? (RuntimeException) failure : new IllegalStateException(failure);
  }
}
