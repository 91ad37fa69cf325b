// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/** Runs the native library's loops in an executor. */
final class RuntimeThreads {
  private RuntimeThreads() {}

  /**
   * Called by the native library; the caller takes part, so that an executor without free threads is no deadlock. Returns
   * once all items have been run, and throws only before any.
   */
  static void runAll(long runtime, long run, long context, long items) {
    Executor executor = RuntimeHooks.executorOf(runtime);
    Loop loop = new Loop(run, context, items);
    try {
      for (long i = 1; i < items; i++) {
        executor.execute(loop);
      }
    } catch (Throwable refused) {
      // This thread runs what others do not.
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

    /** Threads that come when all items are taken find none, and do not touch what may be gone by then. */
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
