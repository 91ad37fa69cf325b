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

/** N callers of a layer with T threads make at most N times T threads of the operating system, and leave none. */
class ThreadsTest {
  private static final String NAME = "lffn-call";

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
  void boundedByCallersTimesThreads() throws Exception {
    int callers = 6;
    int threads = 3;
    CountDownLatch warm = new CountDownLatch(callers);
    CountDownLatch counted = new CountDownLatch(1);
    List<Thread> running = new ArrayList<>();
    try (Layer layer = Layer.random(LayerConfig.of(64, 8, 16), LoadOptions.defaults().withNumThreads(threads))) {
      for (int i = 0; i < callers; i++) {
        Thread caller = new Thread(() -> {
          float[] x = new float[64 * 1024];
          for (int call = 0; call < 20; call++) {
            layer.forward(x, 1024, new float[x.length]);
          }
          warm.countDown();
          while (counted.getCount() > 0) {
            layer.forward(x, 1024, new float[x.length]);
          }
        }, NAME + i);
        caller.start();
        running.add(caller);
      }
      assertTrue(warm.await(60, TimeUnit.SECONDS));
      long most = 0;
      for (int i = 0; i < 20; i++) {
        most = Math.max(most, countThreads());
        Thread.sleep(10);
      }
      counted.countDown();
      for (Thread caller : running) {
        caller.join();
      }
      assertTrue(most <= callers * threads, most + " threads");
      assertTrue(most >= callers, most + " threads");
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (countThreads() > 0 && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
    assertEquals(0, countThreads(), "threads outlive their callers");
  }
}
