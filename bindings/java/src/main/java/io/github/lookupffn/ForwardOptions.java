// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** How to run a layer. Immutable and free to be shared: each {@code with} method returns a changed copy. */
public final class ForwardOptions extends CallOptions<ForwardOptions> {
  private static final ForwardOptions DEFAULTS = new ForwardOptions(0, null, Async.DEFAULT);

  final int flags;
  final Cancellation cancellation;
  final Executor executor;

  private ForwardOptions(int flags, Cancellation cancellation, Executor executor) {
    this.flags = flags;
    this.cancellation = cancellation;
    this.executor = executor;
  }

  @Override
  Cancellation cancellation() {
    return cancellation;
  }

  @Override
  Executor executor() {
    return executor;
  }

  /** {@return the defaults: y is overwritten, the call runs to its end, an asynchronous one on the common pool} */
  public static ForwardOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets whether the result is added to y, which is the residual connection.
   *
   * @param on true for {@code y += layer(x)}, false for {@code y = layer(x)}
   * @return a changed copy
   */
  public ForwardOptions withAddToOutput(boolean on) {
    return new ForwardOptions(on ? flags | Abi.LAYER_RUN_ADD : flags & ~Abi.LAYER_RUN_ADD, cancellation, executor);
  }

  @Override
  public ForwardOptions withCancellation(@Nullable Cancellation cancellation) {
    return new ForwardOptions(flags, cancellation, executor);
  }

  @Override
  public ForwardOptions withExecutor(Executor executor) {
    return new ForwardOptions(flags, cancellation, Objects.requireNonNull(executor, "executor"));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof ForwardOptions)) {
      return false;
    }
    ForwardOptions options = (ForwardOptions) other;
    return flags == options.flags && cancellation == options.cancellation && executor == options.executor;
  }

  @Override
  public int hashCode() {
    return Objects.hash(flags, System.identityHashCode(executor));
  }

  @Override
  public String toString() {
    return (flags & Abi.LAYER_RUN_ADD) != 0 ? "ForwardOptions[added to y]" : "ForwardOptions[]";
  }
}
