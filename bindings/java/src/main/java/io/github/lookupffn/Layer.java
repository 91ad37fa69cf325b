// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A LookupFFN layer in native memory.
 *
 * <p>A layer never changes, and any number of threads may use one at once. {@link #close} gives its memory back once
 * the calls in flight have ended; afterwards every method but {@code close}, {@code isClosed} and {@code toString}
 * throws {@link IllegalStateException}. A layer that is forgotten is closed some time after it has become unreachable.
 *
 * <p>A token's result is the same to the bit whatever the batch it is in and the number of threads.
 */
public final class Layer implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  final NativeHandle handle;
  final LayerInfo info;
  final int inputSize;
  final int outputSize;
  private final Cleaner.Cleanable cleanable;

  /** Takes the handle over, also when this fails. */
  private Layer(NativeHandle handle, long address) {
    this.handle = handle;
    try {
      long[] numbers = new long[Abi.INFO_COUNT];
      Raw.layerInfo(address, numbers);
      info = new LayerInfo(numbers);
      inputSize = info.hiddenSize();
      outputSize = info.outputSize();
      cleanable = CLEANER.register(this, handle);
    } catch (Throwable failure) {
      handle.run();
      throw failure;
    }
  }

  private static Layer made(LoadOptions options, Loading.Maker maker) {
    long address = Loading.handle(options, Raw::layerFree, maker);
    return new Layer(new NativeHandle("layer", address, Raw::layerFree, options.hooks()), address);
  }

  /**
   * Loads a layer from a safetensors file.
   *
   * @param path the file
   * @return the layer
   * @throws LookupFfnException if the file cannot be read, is not a valid layer, or cannot be run here
   */
  public static Layer load(Path path) {
    return load(path, LoadOptions.defaults());
  }

  /**
   * Loads a layer from a safetensors file.
   *
   * @param path the file
   * @param options how
   * @return the layer
   * @throws LookupFfnException if the file cannot be read, is not a valid layer, or cannot be run here
   */
  public static Layer load(Path path, LoadOptions options) {
    return Loading.from(
        path,
        options,
        name -> made(
            options,
            (numbers, runtime, cancel, progress, out) -> Raw.layerLoad(name, numbers, runtime, cancel, progress, out)),
        Layer::load);
  }

  /**
   * Loads a layer from the bytes of a safetensors file, such as a resource of a jar.
   *
   * @param bytes the whole file
   * @return the layer, which does not refer to the bytes
   * @throws LookupFfnException if the bytes are not a valid layer, or it cannot be run here
   */
  public static Layer load(byte[] bytes) {
    return load(bytes, LoadOptions.defaults());
  }

  /**
   * Loads a layer from the bytes of a safetensors file, such as a resource of a jar.
   *
   * @param bytes the whole file
   * @param options how
   * @return the layer, which does not refer to the bytes
   * @throws LookupFfnException if the bytes are not a valid layer, or it cannot be run here
   */
  public static Layer load(byte[] bytes, LoadOptions options) {
    Objects.requireNonNull(bytes, "bytes");
    Objects.requireNonNull(options, "options");
    return made(
        options,
        (numbers, runtime, cancel, progress, out) ->
            Raw.layerLoadMemory(bytes, numbers, runtime, cancel, progress, out));
  }

  /**
   * Makes a layer with random weights, the same for the same config and seed on every machine.
   *
   * @param config its shape
   * @return the layer
   */
  public static Layer random(LayerConfig config) {
    return random(config, LoadOptions.defaults());
  }

  /**
   * Makes a layer with random weights, the same for the same config and seed on every machine.
   *
   * @param config its shape
   * @param options how
   * @return the layer
   */
  public static Layer random(LayerConfig config, LoadOptions options) {
    Objects.requireNonNull(config, "config");
    Objects.requireNonNull(options, "options");
    return made(options, (numbers, runtime, cancel, progress, out) -> config.makeRandom(numbers, runtime, out));
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
    if (PlatformThreads.needed()) {
      PlatformThreads.run(() -> hash(x, xCount, nTokens, codes, scores, (int) count));
      return;
    }
    hash(x, xCount, nTokens, codes, scores, (int) count);
  }

  private void hash(float[] x, int xCount, int nTokens, int @Nullable [] codes, float @Nullable [] scores, int count) {
    long address = handle.enter();
    try {
      if (codes != null || scores != null) {
        Raw.layerHashArrays(address, x, xCount, nTokens, codes, scores, count);
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

  /**
   * Writes the layer to a safetensors file, as it is held in memory. The file appears whole or not at all.
   *
   * @param path the file, of the default file system
   * @throws LookupFfnException if it cannot be written
   */
  public void save(Path path) {
    save(path, SaveOptions.defaults());
  }

  /**
   * Writes the layer to one file, as {@link #save(Path)} does. A file that is not finished goes away and leaves the old one
   * as it was.
   *
   * @param path the file, of the default file system
   * @param options who may end it, and a listener to its progress
   * @throws LookupFfnException if it cannot be written
   * @throws java.util.concurrent.CancellationException if it was cancelled
   */
  public void save(Path path, SaveOptions options) {
    Loading.save(path, options, (name, cancel, progress) -> {
      long address = handle.enter();
      try {
        Raw.layerSave(address, name, cancel, progress);
      } finally {
        leave();
      }
    });
  }

  /** {@return what the layer is and costs} */
  public LayerInfo info() {
    ensureOpen();
    return info;
  }

  /** {@return the number of floats per input token, the hidden size} */
  public int inputSize() {
    ensureOpen();
    return inputSize;
  }

  /** {@return the number of floats per output token} */
  public int outputSize() {
    ensureOpen();
    return outputSize;
  }

  /** {@return whether {@link #close} was called} */
  public boolean isClosed() {
    return handle.isClosed();
  }

  /** Closes the layer. Calls in flight end as usual, and the last one frees the memory. Closing again does nothing. */
  @Override
  public void close() {
    cleanable.clean();
  }

  @Override
  public String toString() {
    return "Layer[" + (isClosed() ? "closed" : info) + "]";
  }

  private void ensureOpen() {
    boolean closed = handle.isClosed();
    Reference.reachabilityFence(this);
    if (closed) {
      throw handle.closed();
    }
  }
}
