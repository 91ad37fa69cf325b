// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Calls that run elsewhere. */
final class Async {
  /** The common pool; where that has no threads, as on one processor, a new thread for each call. */
  static final Executor DEFAULT = new CompletableFuture<Void>().defaultExecutor();

  private Async() {}

  /** Waits. An interrupt ends the waiting and the call, as a cancellation does, and the thread stays interrupted. */
  static <T> T await(Future<T> future) {
    try {
      return future.get();
    } catch (InterruptedException interrupt) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw interrupted(interrupt);
    } catch (ExecutionException failure) {
      throw CallersFrames.rethrown(failure.getCause());
    }
  }

  private static CancellationException interrupted(InterruptedException interrupt) {
    CancellationException ended = new CancellationException("interrupted");
    ended.initCause(interrupt);
    return ended;
  }

  /**
   * Makes the call in the caller's thread. An interrupt ends it as it would end waiting for a future. In a platform
   * thread that happens soon, in a virtual thread after the current part of the call.
   */
  static <T> T here(RunOptions options, Function<? super RunOptions, ? extends T> call) {
    Thread caller = Thread.currentThread();
    Cancellation cancellation = new Cancellation();
    if (options.cancellation != null) {
      options.cancellation.addFollower(cancellation);
    }
    RunOptions changed = options.withCancellation(cancellation).withProgress((done, all) -> {
      if (caller.isInterrupted()) {
        cancellation.cancel();
      }
      if (options.progress != null) {
        options.progress.tell(done, all);
      }
    });
    try {
      checkInterrupt();
      return call.apply(changed);
    } finally {
      if (options.cancellation != null) {
        options.cancellation.removeFollower(cancellation);
      }
    }
  }

  /** Throws if the thread is interrupted. It stays interrupted. */
  static void checkInterrupt() {
    if (Thread.currentThread().isInterrupted()) {
      throw interrupted(null);
    }
  }

  /**
   * Runs the call. It ends when its future is cancelled, times out, or the caller's cancellation, which may be null, is
   * cancelled.
   */
  static <T> CompletableFuture<T> run(Executor executor, Cancellation callers, Function<Cancellation, T> call) {
    CompletableFuture<T> future = new CompletableFuture<>();
    // Not the caller's own, which may serve other calls, too.
    Cancellation cancellation = new Cancellation();
    if (callers != null) {
      callers.addFollower(cancellation);
    }
    future.whenComplete((result, failure) -> {
      cancellation.cancel();
      if (callers != null) {
        callers.removeFollower(cancellation);
      }
    });
    try {
      executor.execute(() -> {
        if (future.isDone()) {
          return;
        }
        try {
          future.complete(call.apply(cancellation));
        } catch (Throwable failure) {
          future.completeExceptionally(failure);
        }
      });
    } catch (RuntimeException | Error rejected) {
      // This also removes the follower.
      future.completeExceptionally(rejected);
      throw rejected;
    }
    return future;
  }
}
