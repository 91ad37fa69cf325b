// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the options of all calls have in common: who may end a call, and which executor makes it if it is asynchronous.
 *
 * @param <O> the options
 */
public abstract class CallOptions<O extends CallOptions<O>> {
  CallOptions() {}

  abstract @Nullable Cancellation cancellation();

  abstract Executor executor();

  /**
   * Lets another thread end the call. Asynchronous calls end as well when their future is cancelled.
   *
   * @param cancellation the one that the other thread cancels; null for none
   * @return a changed copy
   */
  public abstract O withCancellation(@Nullable Cancellation cancellation);

  /**
   * Sets who runs asynchronous calls.
   *
   * @param executor such as a pool
   * @return a changed copy
   */
  public abstract O withExecutor(Executor executor);
}
