// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.DoubleConsumer;

/** A call whose caller listens to it. If the listener throws, the call ends, and the caller gets what was thrown. */
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

  /** Throws what the caller's listener threw. Listeners throw nothing checked. */
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

  /** Tells a caller how far loading or saving has come. */
  static final class Load extends ListenedCall {
    private final DoubleConsumer listener;

    Load(DoubleConsumer listener, Cancellation callers) {
      super(callers);
      this.listener = Objects.requireNonNull(listener, "listener");
    }

    /** Called by the native library, in the thread that loads or saves. */
    static void tell(Object progress, double done) {
      Load told = (Load) progress;
      told.attempt(() -> told.listener.accept(done));
    }
  }

  /**
   * Tells a caller how far a call that runs a model, or a search, has come. Calls without a listener have null instead.
   */
  static final class Run extends ListenedCall {
    private final RunProgress listener;

    private Run(RunProgress listener, Cancellation callers) {
      super(callers);
      this.listener = listener;
    }

    static Run of(RunOptions options) {
      return of(options.progress, options.cancellation);
    }

    static Run of(RunProgress progress, Cancellation cancellation) {
      return progress == null ? null : new Run(progress, cancellation);
    }

    /** The number that ends the call. */
    static ByteBuffer flagOf(Run listener, RunOptions options) {
      return flagOf(listener, options.cancellation);
    }

    static ByteBuffer flagOf(Run listener, Cancellation cancellation) {
      return listener == null ? Cancellation.flagOf(cancellation) : listener.cancellation.flag;
    }

    /** Is called after each call, however it ended. */
    static void end(Run listener) {
      if (listener != null) {
        listener.close();
        listener.check();
      }
    }

    /** Called by the native library, in the thread of the call. */
    static void tell(Object progress, long done, long all) {
      Run told = (Run) progress;
      told.attempt(() -> told.listener.tell(done, all));
    }
  }
}
