// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a layer computes. */
abstract class LayerForward {
  final NativeHandle handle;
  final LayerInfo info;
  final int inputSize;
  final int outputSize;

  LayerForward(NativeHandle handle, LayerInfo info) {
    this.handle = handle;
    this.info = info;
    inputSize = info.hiddenSize();
    outputSize = info.outputSize();
  }

  /**
   * Runs the layer: {@code y = layer(x)}.
   *
   * @param x nTokens times {@link Layer#inputSize} floats, or more
   * @param nTokens any number from 0
   * @param y receives nTokens times {@link Layer#outputSize} floats; may be x itself when the sizes are equal
   */
  public void forward(float[] x, int nTokens, float[] y) {
    forward(x, 0, nTokens, y, 0, ForwardOptions.defaults());
  }

  /**
   * Runs the layer on parts of arrays: {@code y = layer(x)}.
   *
   * @param x where the input tokens are
   * @param xOffset the first element of the first input token
   * @param nTokens any number from 0
   * @param y where the output tokens go; may be x itself when sizes and offsets are equal or the parts do not overlap
   * @param yOffset the first element of the first output token
   */
  public void forward(float[] x, int xOffset, int nTokens, float[] y, int yOffset) {
    forward(x, xOffset, nTokens, y, yOffset, ForwardOptions.defaults());
  }

  /**
   * Runs the layer on parts of arrays, with options.
   *
   * @param x where the input tokens are
   * @param xOffset the first element of the first input token
   * @param nTokens any number from 0
   * @param y where the output tokens go; may be x itself when sizes and offsets are equal or the parts do not overlap
   * @param yOffset the first element of the first output token
   * @param options how
   * @throws java.util.concurrent.CancellationException if the options' cancellation was cancelled; y is as it was
   *     before
   */
  public void forward(float[] x, int xOffset, int nTokens, float[] y, int yOffset, ForwardOptions options) {
    if (PlatformThreads.needed()) {
      PlatformThreads.run(() -> forward(x, xOffset, nTokens, y, yOffset, options));
      return;
    }
    Objects.requireNonNull(x, "x");
    Objects.requireNonNull(y, "y");
    Objects.requireNonNull(options, "options");
    int xCount = Checks.array("x", x.length, xOffset, Checks.floats(nTokens, inputSize));
    int yCount = Checks.array("y", y.length, yOffset, Checks.floats(nTokens, outputSize));
    Checks.overlap(inputSize == outputSize, x, xOffset, xCount, y, yOffset, yCount);
    ByteBuffer cancel = Cancellation.flagOf(options.cancellation);
    long address = handle.enter();
    try {
      Raw.layerForwardArrays(address, x, xOffset, xCount, nTokens, y, yOffset, yCount, options.flags, cancel);
    } finally {
      leave();
    }
  }

  /**
   * Runs the layer on direct buffers without copying them: {@code y = layer(x)}.
   *
   * @param x direct, in native byte order; its tokens begin at its position
   * @param nTokens any number from 0
   * @param y direct, in native byte order, not read-only; receives tokens from its position on. May share x's memory
   *     when the sizes are equal and it begins where x does; must not overlap it otherwise. No position or limit is
   *     changed.
   */
  public void forward(FloatBuffer x, int nTokens, FloatBuffer y) {
    forward(x, nTokens, y, ForwardOptions.defaults());
  }

  /**
   * Runs the layer on direct buffers without copying them, with options.
   *
   * @param x direct, in native byte order; its tokens begin at its position
   * @param nTokens any number from 0
   * @param y direct, in native byte order, not read-only; receives tokens from its position on. May share x's memory
   *     when the sizes are equal and it begins where x does; must not overlap it otherwise. No position or limit is
   *     changed.
   * @param options how
   * @throws java.util.concurrent.CancellationException if the options' cancellation was cancelled; by then any of y's
   *     tokens may have been written, wholly or in part
   */
  public void forward(FloatBuffer x, int nTokens, FloatBuffer y, ForwardOptions options) {
    if (PlatformThreads.needed()) {
      PlatformThreads.run(() -> forward(x, nTokens, y, options));
      return;
    }
    Objects.requireNonNull(x, "x");
    Objects.requireNonNull(y, "y");
    Objects.requireNonNull(options, "options");
    Checks.buffer("x", x, Checks.floats(nTokens, inputSize));
    Checks.buffer("y", y, Checks.floats(nTokens, outputSize));
    if (y.isReadOnly()) {
      throw new IllegalArgumentException("y is read-only");
    }
    ByteBuffer cancel = Cancellation.flagOf(options.cancellation);
    long address = handle.enter();
    try {
      Raw.layerForward(address, x, x.position(), nTokens, y, y.position(), options.flags, cancel);
    } finally {
      leave();
    }
  }

  /**
   * Only hashes: tells which rows of the tables a forward would add up, with which weights.
   *
   * @param x nTokens times {@link Layer#inputSize} floats, or more
   * @param nTokens any number from 0
   * @param codes receives the row numbers, nTokens times tables times probes of them; may be null
   * @param scores receives as many weights; may be null
   */
  public void hash(float[] x, int nTokens, int @Nullable [] codes, float @Nullable [] scores) {
    Objects.requireNonNull(x, "x");
    int xCount = Checks.array("x", x.length, 0, Checks.floats(nTokens, inputSize));
    long count = Checks.floats(nTokens, Math.multiplyExact(info.numTables(), info.numProbes()));
    if (codes != null) {
      Checks.array("codes", codes.length, 0, count);
    }
    if (scores != null) {
      Checks.array("scores", scores.length, 0, count);
    }
    long address = handle.enter();
    try {
      if (codes != null || scores != null) {
        Raw.layerHashArrays(address, x, xCount, nTokens, codes, scores, (int) count);
      }
    } finally {
      leave();
    }
  }

  /**
   * Runs the layer elsewhere, on the options' executor: {@code y = layer(x)}.
   *
   * @param x nTokens times {@link Layer#inputSize} floats, or more, not to be changed before the future has ended
   * @param nTokens any number from 0
   * @param y receives nTokens times {@link Layer#outputSize} floats; may be x itself when the sizes are equal
   * @param options how
   * @return ends when y is written; cancelling it ends the call
   */
  public CompletableFuture<Void> forwardAsync(float[] x, int nTokens, float[] y, ForwardOptions options) {
    return later(options, changed -> forward(x, 0, nTokens, y, 0, changed));
  }

  /**
   * Runs the layer elsewhere, on direct buffers without copying them: {@code y = layer(x)}.
   *
   * @param x as {@link #forward(FloatBuffer, int, FloatBuffer)} takes it; it and its position are not to be changed before
   *     the future has ended
   * @param nTokens any number from 0
   * @param y as forward takes it, likewise
   * @param options how
   * @return ends when y is written; cancelling it ends the call
   */
  public CompletableFuture<Void> forwardAsync(FloatBuffer x, int nTokens, FloatBuffer y, ForwardOptions options) {
    return later(options, changed -> forward(x, nTokens, y, changed));
  }

  private interface Call {
    void run(ForwardOptions options);
  }

  private static CompletableFuture<Void> later(ForwardOptions options, Call call) {
    Objects.requireNonNull(options, "options");
    return Async.run(options.executor, options.cancellation, cancellation -> {
      call.run(options.withCancellation(cancellation));
      return null;
    });
  }

  final void leave() {
    handle.leave();
    Reference.reachabilityFence(this);
  }
}
