// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A LookupFFN layer in native memory.
 *
 * <p>A layer never changes, and any number of threads may use one at once. {@link #close} gives its memory back once
 * the calls in flight have ended; afterwards every method but {@code close}, {@code isClosed} and {@code toString}
 * throws {@link IllegalStateException}. A layer that is forgotten is closed some time after it has become unreachable.
 *
 * <p>A token's result is the same to the bit whatever the batch it is in and the number of threads.
 */
public final class Layer extends LayerForward implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Cleaner.Cleanable cleanable;

  /** Takes the handle over, also when this fails. */
  private Layer(NativeHandle handle, long address) {
    super(handle, infoOf(handle, address));
    try {
      cleanable = CLEANER.register(this, handle);
    } catch (Throwable failure) {
      handle.run();
      throw failure;
    }
  }

  private static LayerInfo infoOf(NativeHandle handle, long address) {
    try {
      long[] numbers = new long[Abi.INFO_COUNT];
      Raw.layerInfo(address, numbers);
      return new LayerInfo(numbers);
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
   * @param options who may end it, and who is told how far it has come
   * @throws LookupFfnException if it cannot be written
   * @throws java.util.concurrent.CancellationException if it was cancelled
   */
  public void save(Path path, SaveOptions options) {
    Loading.save(path, options, (name, cancel, progress) -> {
      long address = handle.enter();
      try {
        Raw.layerSaveWith(address, name, cancel, progress);
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
