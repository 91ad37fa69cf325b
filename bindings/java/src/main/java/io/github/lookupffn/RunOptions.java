package io.github.lookupffn;

import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/** How to run a model. Immutable and free to be shared: each {@code with} method returns a changed copy. */
public final class RunOptions {
  private static final RunOptions DEFAULTS = new RunOptions(Pooling.MEAN, true, null, ForkJoinPool.commonPool());

  final Pooling pooling;
  final boolean normalize;
  final Cancellation cancellation;
  final Executor executor;

  private RunOptions(Pooling pooling, boolean normalize, Cancellation cancellation, Executor executor) {
    this.pooling = pooling;
    this.normalize = normalize;
    this.cancellation = cancellation;
    this.executor = executor;
  }

  /**
   * The defaults: embeddings are means of length 1, calls run to their end, asynchronous ones on the common pool.
   *
   * @return the defaults
   */
  public static RunOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how embeddings are made of the vectors of the tokens.
   *
   * @param how first, mean or max
   * @return a changed copy
   */
  public RunOptions withPooling(Pooling how) {
    return new RunOptions(Objects.requireNonNull(how, "how"), normalize, cancellation, executor);
  }

  /**
   * Sets whether embeddings are divided by their Euclidean length.
   *
   * @param on whether they are
   * @return a changed copy
   */
  public RunOptions withNormalization(boolean on) {
    return new RunOptions(pooling, on, cancellation, executor);
  }

  /**
   * Lets another thread end the call. Asynchronous calls end as well when their future is cancelled.
   *
   * @param byWhom what that thread holds; null for nobody
   * @return a changed copy
   */
  public RunOptions withCancellation(Cancellation byWhom) {
    return new RunOptions(pooling, normalize, byWhom, executor);
  }

  /**
   * Sets who runs asynchronous calls.
   *
   * @param by an executor
   * @return a changed copy
   */
  public RunOptions withExecutor(Executor by) {
    return new RunOptions(pooling, normalize, cancellation, Objects.requireNonNull(by, "by"));
  }
}
