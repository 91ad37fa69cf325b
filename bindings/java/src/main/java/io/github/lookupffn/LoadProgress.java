// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Objects;
import java.util.function.DoubleConsumer;

/** Tells a caller how far loading or saving has come. Where that throws, it ends, and the caller gets what was thrown. */
final class LoadProgress implements AutoCloseable {
  final Cancellation cancellation = new Cancellation();
  private final DoubleConsumer listener;
  private final Cancellation callers;
  private Throwable failure;

  LoadProgress(DoubleConsumer listener, Cancellation callers) {
    this.listener = Objects.requireNonNull(listener, "listener");
    this.callers = callers;
    if (callers != null) {
      callers.addFollower(cancellation);
    }
  }

  /** Called by the native library, in the thread that loads or saves. */
  static void tell(Object progress, double done) {
    ((LoadProgress) progress).tell(done);
  }

  private void tell(double done) {
    if (failure != null) {
      return;
    }
    try {
      listener.accept(done);
    } catch (Throwable thrown) {
      failure = thrown;
      cancellation.cancel();
    }
  }

  /** Throws what the caller's listener threw, which throws nothing that is checked. */
  void check() {
    if (failure instanceof Error) {
      throw (Error) failure;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
  }

  @Override
  public void close() {
    if (callers != null) {
      callers.removeFollower(cancellation);
    }
  }
}
