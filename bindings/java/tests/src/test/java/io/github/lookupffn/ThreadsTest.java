// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** However many callers and threads per call: the helper threads are bounded, and shared by all callers. */
class ThreadsTest {
  private static final String HELPER = "lookupffn";
  private static final int CALLERS = 32;
  private static final int THREADS = 8;

  private static long countHelpers() throws IOException {
    try (Stream<Path> tasks = Files.list(Paths.get("/proc/self/task"))) {
      return tasks.filter(ThreadsTest::isHelper).count();
    }
  }

  private static boolean isHelper(Path task) {
    try {
      return Files.readString(task.resolve("comm")).trim().equals(HELPER);
    } catch (IOException gone) {
      return false;
    }
  }

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
