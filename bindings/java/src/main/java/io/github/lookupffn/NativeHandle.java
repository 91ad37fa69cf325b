// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * A native layer or model and the count of the calls that are in it. Closing marks it closed; the last to leave frees
 * it, whether that is the closing thread or the last call in flight.
 */
final class NativeHandle implements Runnable {
  private static final long CLOSED = 1;
  private static final long CALL = 2;

  private final String what;
  private final long address;
  private final LongConsumer free;
  // What native code calls while the handle lives.
  private final RuntimeHooks hooks;
  private final AtomicLong state = new AtomicLong();

  /** Takes its name in messages, what frees it, and what is kept for it, which may be null. */
  NativeHandle(String what, long address, LongConsumer free, RuntimeHooks hooks) {
    this.what = what;
    this.address = address;
    this.free = free;
    this.hooks = hooks;
  }

  @Override
  public String toString() {
    return what + (isClosed() ? ", closed" : "") + (hooks == null ? "" : ", of runtime " + hooks.number);
  }

  /** Enters a call. A plain increment would not do: after the close, it could make the count reach zero twice. */
  long enter() {
    for (long seen = state.get(); (seen & CLOSED) == 0; seen = state.get()) {
      if (state.weakCompareAndSetVolatile(seen, seen + CALL)) {
        return address;
      }
    }
    throw closed();
  }

  IllegalStateException closed() {
    return new IllegalStateException(closed(what));
  }

  /** The message for closed objects, whether the call came after the closing or was overtaken by it. */
  static String closed(String what) {
    return "the " + what + " is closed: what had begun before that ends as usual, and nothing else is begun";
  }

  void leave() {
    if (state.addAndGet(-CALL) == CLOSED) {
      free.accept(address);
    }
  }

  boolean isClosed() {
    return (state.get() & CLOSED) != 0;
  }

  /** Closes; only the first call does anything. */
  @Override
  public void run() {
    if (state.getAndUpdate(seen -> seen | CLOSED) == 0) {
      free.accept(address);
    }
  }
}
