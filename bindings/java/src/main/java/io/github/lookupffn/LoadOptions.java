// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How to load a layer or a model. Immutable: each {@code with} method returns a changed copy. */
public final class LoadOptions {
  // Zero is the default of all: numbers as stored.
  private static final LoadOptions DEFAULTS = new LoadOptions(new int[Abi.OPTION_COUNT]);

  /** As the native code takes them; never changed. */
  final int[] numbers;

  private LoadOptions(int[] numbers) {
    this.numbers = numbers;
  }

  /**
   * The defaults: as many threads as the process may use, numbers kept as stored, the file read rather than mapped.
   *
   * @return the defaults
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
    return with(Abi.OPTION_NUM_THREADS, threads);
  }

  /**
   * Sets how the tables are held in memory.
   *
   * @param type the type; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withTableType(ElementType type) {
    return with(Abi.OPTION_TABLE_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Sets how the hash weights are held in memory.
   *
   * @param type {@link ElementType#F32} or {@link ElementType#INT8}; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withHashType(ElementType type) {
    return with(Abi.OPTION_HASH_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Sets how a model's linear layers are held in memory. A layer has none.
   *
   * @param type {@link ElementType#F32} or {@link ElementType#INT8}; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withLinearType(ElementType type) {
    return with(Abi.OPTION_LINEAR_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Sets how a model's word embeddings are held in memory. A layer has none.
   *
   * @param type the type; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withEmbeddingType(ElementType type) {
    return with(Abi.OPTION_EMBEDDING_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Sets how a model's rows by word are held in memory. In another type than the file's they are never mapped.
   *
   * @param type any but {@link ElementType#F16}; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withWordType(ElementType type) {
    return with(Abi.OPTION_WORD_DTYPE, ElementType.codeOf(type));
  }

  /**
   * Maps what is used as it lies in the file, a model's rows by word, so that processes share it. Another process that
   * shortens the file then kills the virtual machine, which is why it is off by default.
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

  private LoadOptions withFlag(int flag, boolean on) {
    int flags = numbers[Abi.OPTION_FLAGS];
    return with(Abi.OPTION_FLAGS, on ? flags | flag : flags & ~flag);
  }

  private LoadOptions with(int place, int number) {
    int[] changed = numbers.clone();
    changed[place] = number;
    return new LoadOptions(changed);
  }
}
