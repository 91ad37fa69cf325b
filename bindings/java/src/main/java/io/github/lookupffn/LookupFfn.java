// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is known of the native library. */
public final class LookupFfn {
  private LookupFfn() {}

  /** {@return the version of the native library, such as "1.0.0"} */
  public static String version() {
    NativeLibrary.ensureLoaded();
    return NativeLibrary.Finder.text(Raw.nativeVersion());
  }

  /**
   * {@return the instruction set of the kernels in use, such as "avx2"}. The environment variable LOOKUPFFN_ISA chooses
   * one by name; when its value cannot be used this is "", and each load fails with the reason.
   */
  public static String isa() {
    NativeLibrary.ensureLoaded();
    return new String(Raw.nativeIsa(), StandardCharsets.UTF_8);
  }

  /**
   * Sets who receives what the native library logs about all that is loaded without a {@link LookupFfnRuntime} that has
   * a log of its own.
   *
   * @param listener who; null for nobody, as at the beginning
   */
  public static void setLog(@Nullable LogListener listener) {
    RuntimeHooks.listen(listener);
  }

  /**
   * Gives back the scratch memory that layers and models keep from call to call. Calls in flight keep theirs; later ones
   * take some again.
   */
  public static void trim() {
    NativeLibrary.ensureLoaded();
    Raw.trim();
  }

  /**
   * Makes a call later, by the options' executor, such as {@code async(options, changed -> model.rerank(query, documents,
   * changed))}.
   *
   * @param <O> the options
   * @param <T> what the call gives
   * @param options how
   * @param call what takes these options with a cancellation of its own, and makes one call or several with them
   * @return what it gives; cancelling it, or letting it time out, ends the call
   */
  public static <O extends CallOptions<O>, T> CompletableFuture<T> async(O options, Function<? super O, ? extends T> call) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(call, "call");
    return Async.run(
        options.executor(), options.cancellation(), cancellation -> call.apply(options.withCancellation(cancellation)));
  }

  /**
   * Makes a call that an interrupt of this thread ends: in this thread, or by the options' executor, if they have one. It ends
   * with {@link java.util.concurrent.CancellationException}, and the thread stays interrupted.
   *
   * @param <T> what the call gives
   * @param options how
   * @param call what takes these options with a cancellation of its own, and makes one call or several with them
   * @return what it gives
   */
  public static <T> T interruptibly(RunOptions options, Function<? super RunOptions, ? extends T> call) {
    Objects.requireNonNull(call, "call");
    if (Objects.requireNonNull(options, "options").executor == Async.DEFAULT) {
      return Async.here(options, call);
    }
    return await(LookupFfn.<RunOptions, T>async(options, call));
  }

  /**
   * Waits for what an asynchronous call of this package gives. An interrupt ends the waiting and the call, with {@link
   * java.util.concurrent.CancellationException}, and leaves the thread interrupted. What the call throws is thrown here.
   *
   * @param <T> what it gives
   * @param future of a layer, a model or a batcher
   * @return what it gives
   */
  public static <T> T await(Future<T> future) {
    return Async.await(Objects.requireNonNull(future, "future"));
  }

  /**
   * As {@link #await}, by a name that Kotlin's coroutines do not have.
   *
   * @param <T> what it gives
   * @param future of a layer, a model or a batcher
   * @return what it gives
   */
  public static <T> T waitFor(Future<T> future) {
    return await(future);
  }

  /** {@return where the native library was loaded from: a file, or the address of the jar's entry} */
  public static String nativePath() {
    return NativeLibrary.loadedFrom();
  }
}
