// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Native calls of virtual threads, which Java has from 21 on. A virtual thread that is in native code keeps its carrier, and
 * there are as many carriers as processors: so a thread of a pool makes the call, while the virtual thread waits and its
 * carrier serves others.
 */
final class PlatformThreads {
  /** Thread.isVirtual; null before Java 21. */
  private static final MethodHandle IS_VIRTUAL = isVirtual();

  private PlatformThreads() {}

  private static MethodHandle isVirtual() {
    try {
      return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException older) {
      return null;
    }
  }

  /** Whether the caller is a virtual thread. */
  static boolean needed() {
    if (IS_VIRTUAL == null) {
      return false;
    }
    try {
      return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
    } catch (Throwable impossible) {
      return false;
    }
  }

  /** Makes the call here, or in the pool where this is a virtual thread. An interrupt waits until the call has ended. */
  static <T> T call(Supplier<T> call) {
    return needed() ? inPool(call) : call.get();
  }

  /** As {@link #call}. */
  static void run(Runnable call) {
    if (!needed()) {
      call.run();
      return;
    }
    inPool(() -> {
      call.run();
      return null;
    });
  }

  /** Runs the call in the pool and waits for it. What it throws is thrown here. */
  static <T> T inPool(Supplier<T> call) {
    FutureTask<T> task = new FutureTask<>(call::get);
    Pool.THREADS.execute(task);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException interrupt) {
          interrupted = true;
        } catch (ExecutionException failure) {
          throw CallersFrames.rethrown(failure.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** As many threads as processors, made when virtual threads first call. Idle ones end after ten seconds. */
  private static final class Pool {
    static final ThreadPoolExecutor THREADS = threads();

    private static ThreadPoolExecutor threads() {
      AtomicInteger number = new AtomicInteger();
      int most = Math.max(1, Runtime.getRuntime().availableProcessors());
      ThreadPoolExecutor pool = new ThreadPoolExecutor(
          most, most, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
            Thread thread = new Thread(null, work, "lookupffn-call-" + number.incrementAndGet(), 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(PlatformThreads.class.getClassLoader());
            return thread;
          });
      pool.allowCoreThreadTimeOut(true);
      return pool;
    }
  }
}
