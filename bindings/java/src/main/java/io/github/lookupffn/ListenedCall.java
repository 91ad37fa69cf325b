// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** A call whose caller listens to it. Where the listener throws, it ends, and the caller gets what was thrown. */
abstract class ListenedCall implements AutoCloseable {
  final Cancellation cancellation = new Cancellation();
  private final Cancellation callers;
  private Throwable failure;

  ListenedCall(Cancellation callers) {
    this.callers = callers;
    if (callers != null) {
      callers.addFollower(cancellation);
    }
  }

  /** Nothing may be thrown into the native library. */
  final void attempt(Runnable listener) {
    if (failure != null) {
      return;
    }
    try {
      listener.run();
    } catch (Throwable thrown) {
      failure = thrown;
      cancellation.cancel();
    }
  }

  /** Throws what the caller's listener threw, which throws nothing that is checked. */
  final void check() {
    if (failure instanceof Error) {
      throw (Error) failure;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
  }

  @Override
  public final void close() {
    if (callers != null) {
      callers.removeFollower(cancellation);
    }
  }
}
