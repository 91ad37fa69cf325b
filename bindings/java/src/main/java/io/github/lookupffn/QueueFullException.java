// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.concurrent.RejectedExecutionException;

/** A call was refused, because too much waits already. A service answers 429, and may tell when to come again. */
public final class QueueFullException extends RejectedExecutionException {
  private static final long serialVersionUID = 1;

  /** How many wait. */
  private final int depth;

  /** How many may wait. */
  private final int limit;

  QueueFullException(String message, int depth, int limit) {
    super(message);
    this.depth = depth;
    this.limit = limit;
  }

  /** {@return how many texts wait, or how many calls of many texts if this is one} */
  public int depth() {
    return depth;
  }

  /** {@return how many of these may wait at most} */
  public int limit() {
    return limit;
  }
}
