// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;

/** A forward allocates no Java object. */
class AllocationTest {
  private static final int CALLS = 20_000;

  private static void assertNoAllocation(Runnable call) {
    assertNoAllocation(call, CALLS);
  }

  static void assertNoAllocation(Runnable call, int calls) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    for (int i = 0; i < calls; i++) {
      call.run();
    }
    long before = threads.getThreadAllocatedBytes(self);
    for (int i = 0; i < calls; i++) {
      call.run();
    }
    long bytes = threads.getThreadAllocatedBytes(self) - before;
    // The measuring itself takes some hundred bytes; one object per call would be 16 bytes times the calls.
    assertTrue(bytes < calls, bytes + " bytes in " + calls + " calls");
  }

  @Test
  void forwardAllocatesNothing() {
    float[] x = new float[32];
    float[] y = new float[32];
    int[] codes = new int[4];
    FloatBuffer in = Golden.direct(32);
    FloatBuffer out = Golden.direct(32);
    ForwardOptions options = ForwardOptions.defaults().withAddToOutput(true).withCancellation(new Cancellation());
    LoadOptions single = LoadOptions.defaults().withNumThreads(1);
    try (Layer layer = Layer.random(LayerConfig.of(32, 4, 8).withBlockHadamardProjection(2, 16), single)) {
      assertNoAllocation(() -> layer.forward(x, 1, y));
      assertNoAllocation(() -> layer.forward(in, 1, out));
      assertNoAllocation(() -> layer.forward(in, 1, out, options));
      assertNoAllocation(() -> layer.forward(x, 0, 1, y, 0, options));
      assertNoAllocation(() -> layer.hash(x, 1, codes, y));
    }
  }
}
