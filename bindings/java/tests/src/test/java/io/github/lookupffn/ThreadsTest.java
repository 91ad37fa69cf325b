package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
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

/** However many callers and threads per call: the helper threads are bounded, and end with their callers. */
class ThreadsTest {
  private static final String NAME = "lffn-call";
  private static final int CALLERS = 32;
  private static final int THREADS = 8;

  /** Helper threads inherit the name of the thread that made them. */
  private static long countThreads() throws IOException {
    try (Stream<Path> tasks = Files.list(Paths.get("/proc/self/task"))) {
      return tasks.filter(ThreadsTest::isCaller).count();
    }
  }

  private static boolean isCaller(Path task) {
    try {
      return Files.readString(task.resolve("comm")).startsWith(NAME);
    } catch (IOException gone) {
      return false;
    }
  }

  @Test
  void helpersAreBounded() throws Exception {
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
        }, NAME + i);
        caller.start();
        running.add(caller);
      }
      assertTrue(warm.await(60, TimeUnit.SECONDS));
      long count = countThreads();
      counted.countDown();
      for (Thread caller : running) {
        caller.join();
      }
      System.out.println(CALLERS + " callers times " + THREADS + " threads: " + count + " threads");
      int helpers = Math.max(64, 4 * Runtime.getRuntime().availableProcessors());
      assertTrue(count >= CALLERS && count <= CALLERS + helpers, count + " threads");
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (countThreads() > 0 && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
    assertEquals(0, countThreads(), "threads outlive their callers");
  }
}
