// SPDX-License-Identifier: Apache-2.0
import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Plain calls on more virtual threads than there are carriers leave the other virtual threads running. For Java 21 and
 * newer: java -cp JAR VirtualThreads.java MODEL SECONDS, with -Djdk.virtualThreadScheduler.parallelism=2.
 */
final class VirtualThreads {
  private VirtualThreads() {}

  public static void main(String[] arguments) throws Exception {
    long seconds = Long.parseLong(arguments[1]);
    try (Model model = Model.load(Path.of(arguments[0]), LoadOptions.defaults().withNumThreads(1))) {
      List<String> texts = Collections.nCopies(200, "a text of some words, so that a call takes a while ".repeat(8));
      float[] expected = model.embed(texts.get(0));
      // Who calls a virtual thread's listener is who makes the call: a thread of the pool, whose name profilers show.
      AtomicReference<String> caller = new AtomicReference<>("none");
      RunOptions told = RunOptions.defaults().withProgress((done, all) -> caller.set(Thread.currentThread().getName()));
      Thread.startVirtualThread(() -> model.embed(texts.subList(0, 8), told)).join();
      if (!caller.get().startsWith("lookupffn-call-")) {
        System.err.println("a virtual thread's call was made by the thread " + caller.get());
        System.exit(1);
      }
      AtomicBoolean ended = new AtomicBoolean();
      AtomicLong calls = new AtomicLong();
      AtomicLong longest = new AtomicLong();
      AtomicLong ticks = new AtomicLong();
      List<Thread> threads = new ArrayList<>();
      CountDownLatch wrong = new CountDownLatch(1);
      for (int i = 0; i < 4; i++) {
        threads.add(Thread.startVirtualThread(() -> {
          while (!ended.get()) {
            if (!Arrays.equals(expected, model.embed(texts, RunOptions.defaults())[0])) {
              wrong.countDown();
            }
            calls.incrementAndGet();
          }
        }));
      }
      threads.add(Thread.startVirtualThread(() -> {
        long last = System.nanoTime();
        while (!ended.get()) {
          try {
            Thread.sleep(1);
          } catch (InterruptedException nobodyDoes) {
            return;
          }
          long now = System.nanoTime();
          long gap = now - last;
          longest.accumulateAndGet(gap, Math::max);
          last = now;
          ticks.incrementAndGet();
        }
      }));
      Thread.sleep(1000 * seconds);
      ended.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      System.out.printf("%d calls, %d ticks, the longest pause of the others %d ms%n", calls.get(), ticks.get(),
          longest.get() / 1_000_000);
      // A carrier in native code would stop the ticks for whole calls: with as many callers as carriers, nearly always.
      if (wrong.getCount() == 0 || calls.get() == 0 || ticks.get() < 30 * seconds) {
        System.err.println("virtual threads were stopped");
        System.exit(1);
      }
    }
  }
}
