// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** The calls of a {@link ModelEmbedder}: those that have not ended, and what is counted of the others. */
final class EmbedderCalls {
  final LongAdder number = new LongAdder();
  final LongAdder texts = new LongAdder();
  final LongAdder tokens = new LongAdder();
  final LongAdder cut = new LongAdder();
  final LongAdder failures = new LongAdder();

  private final ModelEmbedder.Listener listener;
  // Threads that complete answers. Code that depends on an answer runs in them, and may close the embedder there.
  private final Set<Thread> telling = ConcurrentHashMap.newKeySet();
  // Guarded by this.
  private int inFlight;
  private boolean closed;

  /** {@code listener} is told of calls that have ended; null for nobody. */
  EmbedderCalls(ModelEmbedder.Listener listener) {
    this.listener = listener;
  }

  /** A call that was let in. */
  final class Call {
    private final long since = System.nanoTime();

    private Call() {}

    long nanos() {
      return System.nanoTime() - since;
    }

    private void count(EmbeddedTexts done, Throwable failure, long waited) {
      if (failure == null) {
        texts.add(done.vectors().size());
        tokens.add(done.tokens());
        cut.add(done.cut().size());
      } else {
        failures.increment();
      }
      if (listener == null) {
        return;
      }
      try {
        listener.ended(Duration.ofNanos(waited), Duration.ofNanos(Math.max(0, nanos() - waited)), failure);
      } catch (RuntimeException ignored) {
        // A listener's exception must not fail the call.
      }
    }

    /** Ends the call, whose caller is about to be told. */
    void end(EmbeddedTexts done, Throwable failure) {
      count(done, failure, 0);
      oneLess();
    }

    /** Counts the call, and then ends it by completing its answer. */
    void tell(CompletableFuture<EmbeddedTexts> answer, EmbeddedTexts done, Throwable failure, long waited) {
      count(done, failure, waited);
      boolean first = telling.add(Thread.currentThread());
      try {
        if (failure == null) {
          answer.complete(done);
        } else {
          answer.completeExceptionally(failure);
        }
      } finally {
        if (first) {
          telling.remove(Thread.currentThread());
        }
        oneLess();
      }
    }

    /** Passes an answer on to another future. Cancelling that future ends the call. */
    void pass(CompletableFuture<EmbeddedTexts> to, LongSupplier waited, CompletableFuture<EmbeddedTexts> from) {
      to.whenComplete((done, failure) -> {
        if (failure != null) {
          from.cancel(true);
        }
      });
      from.whenComplete((done, failure) -> tell(to, done, failure, waited.getAsLong()));
    }
  }

  synchronized Call begin() {
    number.increment();
    if (closed) {
      failures.increment();
      throw new IllegalStateException(NativeHandle.closed("embedder"));
    }
    inFlight++;
    return new Call();
  }

  private synchronized void oneLess() {
    inFlight--;
    notifyAll();
  }

  /**
   * Admits no more calls, and waits for the others to end, unless this thread ends them. An interrupt ends the waiting.
   */
  synchronized void close(boolean endHere) {
    closed = true;
    try {
      while (inFlight > 0 && !endHere && !telling.contains(Thread.currentThread())) {
        wait();
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }
}
