// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.ByteBuffer;

/** Tells a caller how far a call that runs a model has come. Calls that nobody listens to have null instead. */
final class RunListener extends ListenedCall {
  private final RunProgress listener;

  private RunListener(RunProgress listener, Cancellation callers) {
    super(callers);
    this.listener = listener;
  }

  static RunListener of(RunOptions options) {
    return options.progress == null ? null : new RunListener(options.progress, options.cancellation);
  }

  /** The number that ends the call. */
  static ByteBuffer flagOf(RunListener listener, RunOptions options) {
    return listener == null ? Cancellation.flagOf(options.cancellation) : listener.cancellation.flag;
  }

  /** What follows each call, however it ended. */
  static void end(RunListener listener) {
    if (listener != null) {
      listener.close();
      listener.check();
    }
  }

  /** Called by the native library, in the thread of the call. */
  static void tell(Object progress, long done, long all) {
    RunListener told = (RunListener) progress;
    told.attempt(() -> told.listener.tell(done, all));
  }
}
