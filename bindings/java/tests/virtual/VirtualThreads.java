// SPDX-License-Identifier: Apache-2.0
import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.TokenizeOptions;
import io.github.lookupffn.Tokenizer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Plain calls on more virtual threads than there are carriers leave the other virtual threads running. For Java 21 and
 * newer: java -cp JAR VirtualThreads.java MODEL SECONDS, with -Djdk.virtualThreadScheduler.parallelism=2.
 */
final class VirtualThreads {
  private static final int CALLERS = 4;

  private VirtualThreads() {}

  /** Makes the call on virtual threads, again and again; it tells whether it was answered well. */
  private static void leavesOthersRunning(String what, long seconds, BooleanSupplier call) throws InterruptedException {
    AtomicBoolean ended = new AtomicBoolean();
    AtomicBoolean wrong = new AtomicBoolean();
    AtomicLong calls = new AtomicLong();
    AtomicLong longest = new AtomicLong();
    AtomicLong ticks = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      threads.add(Thread.startVirtualThread(() -> {
        while (!ended.get()) {
          if (!call.getAsBoolean()) {
            wrong.set(true);
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
        longest.accumulateAndGet(now - last, Math::max);
        last = now;
        ticks.incrementAndGet();
      }
    }));
    Thread.sleep(1000 * seconds);
    ended.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.printf("%s: %d calls, %d ticks, the longest pause of the others %d ms%n", what, calls.get(), ticks.get(),
        longest.get() / 1_000_000);
    // A carrier in native code would stop the ticks for whole calls: with more callers than carriers, nearly always.
    if (wrong.get() || calls.get() == 0 || ticks.get() < 30 * seconds) {
      System.err.println(what + ": virtual threads were stopped");
      System.exit(1);
    }
  }

  public static void main(String[] arguments) throws Exception {
    long seconds = Long.parseLong(arguments[1]);
    try (Model model = Model.load(Path.of(arguments[0]), LoadOptions.defaults().withNumThreads(1));
        Tokenizer tokenizer = model.tokenizer()) {
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
      leavesOthersRunning(
          "embed", seconds, () -> Arrays.equals(expected, model.embed(texts, RunOptions.defaults())[0]));
      String book = "a text of some words, so that a call takes a while ".repeat(20_000);
      int[] ids = model.tokenize(book);
      TokenizeOptions options = TokenizeOptions.defaults();
      leavesOthersRunning("tokenize", seconds, () -> model.tokenize(book).length == ids.length);
      leavesOthersRunning("tokenizer", seconds, () -> tokenizer.tokenize(book, options).size() == ids.length);
      int length = model.detokenize(ids, true).length();
      leavesOthersRunning("detokenize", seconds, () -> model.detokenize(ids, true).length() == length);
      leavesOthersRunning("detokenizer", seconds, () -> tokenizer.detokenize(ids, true).length() == length);
    }
  }
}
