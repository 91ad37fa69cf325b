// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ends calls that run in other threads. Hand it to them with {@link ForwardOptions#withCancellation} or {@link
 * RunOptions#withCancellation}; it can serve any number of calls, and stays cancelled once it is.
 */
public final class Cancellation {
  private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  // The native library looks at this number between tiles of tokens.
  final ByteBuffer flag = ByteBuffer.allocateDirect(Integer.BYTES);

  private final Set<Cancellation> followers = ConcurrentHashMap.newKeySet();

  /** Makes one that is not cancelled. */
  public Cancellation() {}

  /** Makes the calls that use this end soon with a {@link java.util.concurrent.CancellationException}. */
  public void cancel() {
    INT.setVolatile(flag, 0, 1);
    followers.forEach(Cancellation::cancel);
  }

  static ByteBuffer flagOf(Cancellation cancellation) {
    return cancellation == null ? null : cancellation.flag;
  }

  /** Cancels the follower when this is cancelled, or at once if it already is. */
  void addFollower(Cancellation follower) {
    followers.add(follower);
    if (isCancelled()) {
      follower.cancel();
    }
  }

  void removeFollower(Cancellation follower) {
    followers.remove(follower);
  }

  int numFollowers() {
    return followers.size();
  }

  /** {@return whether {@link #cancel} was called} */
  public boolean isCancelled() {
    return (int) INT.getVolatile(flag, 0) != 0;
  }
}
