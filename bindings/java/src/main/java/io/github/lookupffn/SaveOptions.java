// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Objects;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/** How to save. Immutable: each {@code with} method returns a changed copy. */
public final class SaveOptions {
  private static final SaveOptions DEFAULTS = new SaveOptions(null, null);

  final Cancellation cancellation;
  final DoubleConsumer progress;

  private SaveOptions(Cancellation cancellation, DoubleConsumer progress) {
    this.cancellation = cancellation;
    this.progress = progress;
  }

  /** {@return the defaults: nobody ends the saving, and nobody is told how far it has come} */
  public static SaveOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Lets another thread end the saving, which then throws {@link java.util.concurrent.CancellationException}.
   *
   * @param cancellation the one that the other thread cancels; null for none
   * @return a changed copy
   */
  public SaveOptions withCancellation(@Nullable Cancellation cancellation) {
    return new SaveOptions(cancellation, progress);
  }

  /**
   * Tells how far saving has come, in the thread that saves: from 0 to 1, never less than before, 1 at the end. What the
   * listener throws ends the saving and comes out of it.
   *
   * @param listener the listener; null for none
   * @return a changed copy
   */
  public SaveOptions withProgress(@Nullable DoubleConsumer listener) {
    return new SaveOptions(cancellation, listener);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof SaveOptions)) {
      return false;
    }
    SaveOptions options = (SaveOptions) other;
    return cancellation == options.cancellation && progress == options.progress;
  }

  @Override
  public int hashCode() {
    return Objects.hash(System.identityHashCode(cancellation), System.identityHashCode(progress));
  }

  @Override
  public String toString() {
    return "SaveOptions[" + (progress == null ? "without" : "with") + " progress]";
  }
}
