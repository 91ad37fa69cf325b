// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Objects;
import java.util.function.DoubleConsumer;

/** Tells a caller how far loading or saving has come. */
final class LoadProgress extends ListenedCall {
  private final DoubleConsumer listener;

  LoadProgress(DoubleConsumer listener, Cancellation callers) {
    super(callers);
    this.listener = Objects.requireNonNull(listener, "listener");
  }

  /** Called by the native library, in the thread that loads or saves. */
  static void tell(Object progress, double done) {
    LoadProgress told = (LoadProgress) progress;
    told.attempt(() -> told.listener.accept(done));
  }
}
