// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a call takes besides its time: no Java object, and a bounded number of threads. */
class CostTest {
  private static final int CALLS = 20_000;
  private static final String HELPER = "lookupffn";
  private static final int CALLERS = 32;
  private static final int THREADS = 8;

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

  private static long countHelpers() throws IOException {
    try (Stream<Path> tasks = Files.list(Paths.get("/proc/self/task"))) {
      return tasks.filter(CostTest::isHelper).count();
    }
  }

  private static boolean isHelper(Path task) {
    try {
      return Files.readString(task.resolve("comm")).trim().equals(HELPER);
    } catch (IOException gone) {
      return false;
    }
  }

  /** However many callers and threads per call: the helper threads are bounded, and shared by all callers. */
  @Test
  void helpersAreBounded() throws Exception {
    long most = Math.max(countHelpers(), THREADS - 1);
    CountDownLatch warm = new CountDownLatch(CALLERS);
    CountDownLatch counted = new CountDownLatch(1);
    List<Thread> running = new ArrayList<>();
    try (Layer layer = Layer.random(LayerConfig.of(64, 8, 16), LoadOptions.defaults().withNumThreads(THREADS))) {
      for (int i = 0; i < CALLERS; i++) {
        Thread caller = new Thread(() -> {
          float[] x = new float[64 * 1024];
          for (int call = 0; call < 3; call++) {
            layer.forward(x, 1024, new float[x.length]);
          }
          warm.countDown();
          try {
            counted.await();
          } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
          }
        });
        caller.start();
        running.add(caller);
      }
      assertTrue(warm.await(60, TimeUnit.SECONDS));
      long count = countHelpers();
      counted.countDown();
      for (Thread caller : running) {
        caller.join();
      }
      System.out.println(CALLERS + " callers times " + THREADS + " threads: " + count + " helpers");
      assertTrue(count <= most, count + " helpers");
    }
  }
}
