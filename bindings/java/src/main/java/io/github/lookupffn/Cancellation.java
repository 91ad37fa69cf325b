package io.github.lookupffn;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Ends forwards that run in other threads. Hand it to them with {@link ForwardOptions#withCancellation}; it can serve
 * any number of calls, and stays cancelled once it is.
 */
public final class Cancellation {
  private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  // The native library looks at this number between tiles of tokens.
  final ByteBuffer flag = ByteBuffer.allocateDirect(Integer.BYTES);

  /** Makes one that is not cancelled. */
  public Cancellation() {}

  /** Makes the calls that use this end soon with a {@link java.util.concurrent.CancellationException}. */
  public void cancel() {
    INT.setVolatile(flag, 0, 1);
  }

  /**
   * Tells whether {@link #cancel} was called.
   *
   * @return whether it was
   */
  public boolean isCancelled() {
    return (int) INT.getVolatile(flag, 0) != 0;
  }
}
