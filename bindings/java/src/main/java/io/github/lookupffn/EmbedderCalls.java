// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
  // Guarded by this.
  private int inFlight;
  private boolean closed;

  /** Takes who is told of calls that have ended; null for nobody. */
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

    /** Counts it, before whoever waits for its answer is told. */
    void end(EmbeddedTexts done, Throwable failure, long waited) {
      if (failure == null) {
        texts.add(done.vectors().size());
        tokens.add(done.tokens());
        cut.add(done.cut().size());
      } else {
        failures.increment();
      }
      try {
        if (listener != null) {
          listener.ended(Duration.ofNanos(waited), Duration.ofNanos(Math.max(0, nanos() - waited)), failure);
        }
      } catch (RuntimeException ignored) {
        // The answer is not its fault.
      } finally {
        oneLess();
      }
    }

    /** Gives an answer on. Cancelling what it is given to ends the call. */
    void pass(CompletableFuture<EmbeddedTexts> to, LongSupplier waited, CompletableFuture<EmbeddedTexts> from) {
      to.whenComplete((done, failure) -> {
        if (failure != null) {
          from.cancel(true);
        }
      });
      from.whenComplete((done, failure) -> {
        end(done, failure, waited.getAsLong());
        if (failure == null) {
          to.complete(done);
        } else {
          to.completeExceptionally(failure);
        }
      });
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

  /** Lets no more in, and waits for the others to end, unless they end in this thread. An interrupt ends the waiting. */
  synchronized void close(boolean endHere) {
    closed = true;
    try {
      while (inFlight > 0 && !endHere) {
        wait();
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }
}
