// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The executor and the log that a runtime's handles call. Native code knows them by a number. The runtime and all that
 * was loaded with it keep them alive; when these are gone, nothing asks for the number any more.
 */
final class RuntimeHooks {
  private static final AtomicLong LAST = new AtomicLong();
  private static final Map<Long, WeakReference<RuntimeHooks>> KNOWN = new ConcurrentHashMap<>();
  private static volatile LogListener processLog;

  final long number = LAST.incrementAndGet();
  final Executor executor;
  final LogListener log;

  private RuntimeHooks(Executor executor, LogListener log) {
    this.executor = executor;
    this.log = log;
  }

  static RuntimeHooks of(Executor executor, LogListener log) {
    RuntimeHooks hooks = new RuntimeHooks(executor, log);
    Long number = hooks.number;
    KNOWN.put(number, new WeakReference<>(hooks));
    Model.CLEANER.register(hooks, () -> KNOWN.remove(number));
    return hooks;
  }

  private static RuntimeHooks of(long number) {
    WeakReference<RuntimeHooks> known = KNOWN.get(number);
    return known == null ? null : known.get();
  }

  private static LogListener logOf(long number) {
    RuntimeHooks hooks = of(number);
    return hooks == null ? null : hooks.log;
  }

  private static Executor executorOf(long number) {
    RuntimeHooks hooks = of(number);
    if (hooks == null) {
      throw new IllegalStateException("runtime " + number + " is gone");
    }
    return hooks.executor;
  }

  /** Who gets the log of what was loaded without one of its own; null for nobody. */
  static synchronized void listen(LogListener who) {
    NativeLibrary.ensureLoaded();
    processLog = who;
    Raw.setLog(who != null);
  }

  /** Called by the native library. The number is 0 for what was loaded without a log of its own. */
  static void tellLog(long runtime, int level, byte[] utf8) {
    try {
      LogListener who = runtime == 0 ? processLog : logOf(runtime);
      if (who != null) {
        who.log(LogLevel.of(level), Utf8.text(utf8));
      }
    } catch (Throwable dropped) {
      // A failing log must not fail the call.
    }
  }

  /**
   * Called by the native library. The caller takes part, so that an executor without free threads causes no deadlock.
   * Returns once all items have been run, and throws only before any item has begun.
   */
  static void runAll(long runtime, long run, long context, long items) {
    Executor executor = executorOf(runtime);
    Loop loop = new Loop(run, context, items);
    try {
      for (long i = 1; i < items; i++) {
        executor.execute(loop);
      }
    } catch (Throwable refused) {
      // This thread runs the items that no other thread takes.
    }
    loop.run();
    loop.join();
  }

  private static final class Loop implements Runnable {
    private final long run;
    private final long context;
    private final long items;
    private final AtomicLong next = new AtomicLong();
    private final CountDownLatch left;

    Loop(long run, long context, long items) {
      this.run = run;
      this.context = context;
      this.items = items;
      left = new CountDownLatch(Math.toIntExact(items));
    }

    /** Threads that come after all items are taken find none, and do not touch memory that may be gone by then. */
    @Override
    public void run() {
      for (long item = next.getAndIncrement(); item < items; item = next.getAndIncrement()) {
        Raw.runItem(run, context, item);
        left.countDown();
      }
    }

    void join() {
      boolean interrupted = false;
      while (left.getCount() > 0) {
        try {
          left.await();
        } catch (InterruptedException later) {
          interrupted = true; // others still work on the caller's memory
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
