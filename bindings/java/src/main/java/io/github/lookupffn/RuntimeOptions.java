// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What a runtime is made of. Immutable and free to be shared: each {@code with} method returns a changed copy. */
public final class RuntimeOptions {
  private static final RuntimeOptions DEFAULTS = new RuntimeOptions(0, null, null, null);

  final int numThreads;
  final String isa;
  final Executor executor;
  final LogListener log;

  private RuntimeOptions(int numThreads, String isa, Executor executor, LogListener log) {
    this.numThreads = numThreads;
    this.isa = isa;
    this.executor = executor;
    this.log = log;
  }

  /**
   * {@return the defaults: the native library's own threads, as many as the environment leaves, its best instruction
   * set, and the log of {@link LookupFfn#setLog}}
   */
  public static RuntimeOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how many threads each call of a layer or model of the runtime has at most, whatever its load options say.
   *
   * @param threads the number; 0 for no limit
   * @return a changed copy
   */
  public RuntimeOptions withNumThreads(int threads) {
    return new RuntimeOptions(Checks.threads(threads), isa, executor, log);
  }

  /**
   * Sets the instruction set of the kernels.
   *
   * @param name one that {@link LookupFfn#isa} may tell, such as "avx2"; null for what the environment says
   * @return a changed copy
   */
  public RuntimeOptions withIsa(@Nullable String name) {
    return new RuntimeOptions(numThreads, name, executor, log);
  }

  /**
   * Lets an executor's threads do the work, beside the thread that calls. It must run what it is given or throw.
   *
   * @param threads such as a pool; null for the native library's own threads
   * @return a changed copy
   */
  public RuntimeOptions withExecutor(@Nullable Executor threads) {
    return new RuntimeOptions(numThreads, isa, threads, log);
  }

  /**
   * Sets who receives what is logged of the runtime's layers and models.
   *
   * @param listener who; null for that of {@link LookupFfn#setLog}
   * @return a changed copy
   */
  public RuntimeOptions withLog(@Nullable LogListener listener) {
    return new RuntimeOptions(numThreads, isa, executor, listener);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof RuntimeOptions)) {
      return false;
    }
    RuntimeOptions options = (RuntimeOptions) other;
    return numThreads == options.numThreads
        && Objects.equals(isa, options.isa)
        && executor == options.executor
        && log == options.log;
  }

  @Override
  public int hashCode() {
    return Objects.hash(numThreads, isa, System.identityHashCode(executor), System.identityHashCode(log));
  }

  @Override
  public String toString() {
    return "RuntimeOptions[" + numThreads + " threads, " + (isa == null ? "any isa" : isa)
        + (executor == null ? "" : ", " + executor) + (log == null ? "]" : ", with a log]");
  }
}
