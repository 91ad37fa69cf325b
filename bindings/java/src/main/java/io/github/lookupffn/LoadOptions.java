// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/** How to load a layer or a model. Immutable: each {@code with} method returns a changed copy. */
public final class LoadOptions {
  // Zero is the default of all: numbers as stored.
  private static final LoadOptions DEFAULTS = new LoadOptions(new int[Abi.OPTION_COUNT], null, null, null, null);

  /** As the native code takes them; never changed. */
  final int[] numbers;
  /** UTF-8 with a closing zero, never changed; null for none. */
  final byte[] adapter;
  final LookupFfnRuntime runtime;
  final Cancellation cancellation;
  final DoubleConsumer progress;

  private LoadOptions(
      int[] numbers, byte[] adapter, LookupFfnRuntime runtime, Cancellation cancellation, DoubleConsumer progress) {
    this.numbers = numbers;
    this.adapter = adapter;
    this.runtime = runtime;
    this.cancellation = cancellation;
    this.progress = progress;
  }

  RuntimeHooks hooks() {
    return runtime == null ? null : runtime.hooks;
  }

  /**
   * {@return the defaults: as many threads as the process may use, numbers kept as stored, the file read rather than
   * mapped}
   */
  public static LoadOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how many threads one call uses.
   *
   * @param threads the number; 0 for what the environment leaves
   * @return a changed copy
   */
  public LoadOptions withNumThreads(int threads) {
    return with(Abi.OPTION_NUM_THREADS, Checks.threads(threads));
  }

  /**
   * Sets how the tables are held in memory.
   *
   * @param type the type; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withTableType(@Nullable ElementType type) {
    return with(Abi.OPTION_TABLE_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Sets how the hash weights are held in memory.
   *
   * @param type {@link ElementType#F32} or {@link ElementType#INT8}; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withHashType(@Nullable ElementType type) {
    return with(Abi.OPTION_HASH_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Sets how a model's linear layers are held in memory. A layer has none.
   *
   * @param type {@link ElementType#F32}, {@link ElementType#BF16} or {@link ElementType#INT8}; null for the file's
   * @return a changed copy
   */
  public LoadOptions withLinearType(@Nullable ElementType type) {
    return with(Abi.OPTION_LINEAR_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Sets how a model's word embeddings are held in memory. A layer has none.
   *
   * @param type the type; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withEmbeddingType(@Nullable ElementType type) {
    return with(Abi.OPTION_EMBEDDING_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Sets how a model's rows by word are held in memory. In another type than the file's they are never mapped.
   *
   * @param type any but {@link ElementType#F16}; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withWordType(@Nullable ElementType type) {
    return with(Abi.OPTION_WORD_ROW_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Sets the type of numbers in which a model computes attention. A layer has no attention.
   *
   * @param type {@link ElementType#F32} or {@link ElementType#INT8}; null for int8 where the linear layers are
   * @return a changed copy
   */
  public LoadOptions withAttentionType(@Nullable ElementType type) {
    return with(Abi.OPTION_ATTENTION_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Maps the part of a file that is used as it lies there, a model's rows by word, so that processes share it. If
   * another process shortens the file, that kills the virtual machine, which is why mapping is off by default.
   *
   * @param on whether to map
   * @return a changed copy
   */
  public LoadOptions withMemoryMapping(boolean on) {
    return withFlag(Abi.LOAD_MMAP, on);
  }

  /**
   * Treats denormal numbers as zero while computing.
   *
   * @param on whether to do so
   * @return a changed copy
   */
  public LoadOptions withFlushedDenormals(boolean on) {
    return withFlag(Abi.LOAD_FLUSH_DENORMALS, on);
  }

  /**
   * Rounds the inputs of a model's int8 linear layers to seven bits instead of eight. That is faster where a CPU has
   * AVX2 and neither VNNI nor AVX-512, and elsewhere not; it costs accuracy everywhere. Results have other bits than
   * without it, and {@link ModelInfo#arithmetic()} tells so: do not compare embeddings of both kinds without having
   * tried how well that works. It does not affect float32 layers, a {@link Layer} or saved files.
   *
   * @param on whether to do so
   * @return a changed copy
   */
  public LoadOptions withSevenBitInputs(boolean on) {
    return withFlag(Abi.LOAD_SEVEN_BIT_INPUTS, on);
  }

  /**
   * Adds one of a model's adapters to its weights; {@link Model#save(java.nio.file.Path)} then writes the sums. Loading
   * refuses an unknown name and lists the names that there are. Layers and tokenizers ignore this.
   *
   * @param name of the adapter, such as "retrieval.query"; null for none
   * @return a changed copy
   */
  public LoadOptions withAdapter(@Nullable String name) {
    if (name != null && name.isEmpty()) {
      throw new IllegalArgumentException("the adapter's name is empty");
    }
    byte[] utf8 = name == null ? null : Utf8.zeroTerminated(name, "the adapter");
    return new LoadOptions(numbers, utf8, runtime, cancellation, progress);
  }

  /**
   * Sets whose threads, instruction set and log are used.
   *
   * @param shared the runtime, to be open while loading; null for the default one
   * @return a changed copy
   */
  public LoadOptions withRuntime(@Nullable LookupFfnRuntime shared) {
    return new LoadOptions(numbers, adapter, shared, cancellation, progress);
  }

  /**
   * Lets another thread end the loading, which then throws {@link java.util.concurrent.CancellationException}.
   *
   * @param cancellation the one that the other thread cancels; null for none
   * @return a changed copy
   */
  public LoadOptions withCancellation(@Nullable Cancellation cancellation) {
    return new LoadOptions(numbers, adapter, runtime, cancellation, progress);
  }

  /**
   * Tells how far loading has come, from 0 to 1 at the end, never less than before. What the listener throws ends the
   * loading and is thrown there.
   *
   * @param listener the listener, called in the thread that loads; null for none
   * @return a changed copy
   */
  public LoadOptions withProgress(@Nullable DoubleConsumer listener) {
    return new LoadOptions(numbers, adapter, runtime, cancellation, listener);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof LoadOptions)) {
      return false;
    }
    LoadOptions options = (LoadOptions) other;
    return Arrays.equals(numbers, options.numbers)
        && Arrays.equals(adapter, options.adapter)
        && runtime == options.runtime
        && cancellation == options.cancellation
        && progress == options.progress;
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(numbers) + Arrays.hashCode(adapter);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("LoadOptions[");
    text.append(numbers[Abi.OPTION_NUM_THREADS]).append(" threads");
    String[] names = {"table", "hash", "linear", "embedding", "word", "attention"};
    int[] places = {
      Abi.OPTION_TABLE_DTYPE, Abi.OPTION_HASH_DTYPE, Abi.OPTION_LINEAR_DTYPE, Abi.OPTION_EMBEDDING_DTYPE,
      Abi.OPTION_WORD_ROW_DTYPE, Abi.OPTION_ATTENTION_DTYPE
    };
    for (int i = 0; i < names.length; i++) {
      if (numbers[places[i]] != Abi.DTYPE_AS_STORED) {
        text.append(", ").append(names[i]).append(' ').append(ElementType.ofCode(numbers[places[i]]));
      }
    }
    int flags = numbers[Abi.OPTION_FLAGS];
    text.append((flags & Abi.LOAD_MMAP) != 0 ? ", mapped" : "");
    text.append((flags & Abi.LOAD_FLUSH_DENORMALS) != 0 ? ", denormals flushed" : "");
    text.append((flags & Abi.LOAD_SEVEN_BIT_INPUTS) != 0 ? ", inputs of seven bits" : "");
    text.append(adapter == null ? "" : ", adapter " + Utf8.text(Arrays.copyOf(adapter, adapter.length - 1)));
    text.append(runtime == null ? "" : ", " + runtime);
    return text.append(']').toString();
  }

  private LoadOptions withFlag(int flag, boolean on) {
    int flags = numbers[Abi.OPTION_FLAGS];
    return with(Abi.OPTION_FLAGS, on ? flags | flag : flags & ~flag);
  }

  private LoadOptions with(int place, int number) {
    int[] changed = numbers.clone();
    changed[place] = number;
    return new LoadOptions(changed, adapter, runtime, cancellation, progress);
  }
}
