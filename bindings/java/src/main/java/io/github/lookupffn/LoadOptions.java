package io.github.lookupffn;

/** How to load a layer or a model. Immutable: each {@code with} method returns a changed copy. */
public final class LoadOptions {
  private static final LoadOptions DEFAULTS = new LoadOptions(0, null, null, null, null, 0);

  final int numThreads;
  final ElementType tableType;
  final ElementType hashType;
  final ElementType linearType;
  final ElementType embeddingType;
  final int flags;

  private LoadOptions(
      int numThreads,
      ElementType tableType,
      ElementType hashType,
      ElementType linearType,
      ElementType embeddingType,
      int flags) {
    this.numThreads = numThreads;
    this.tableType = tableType;
    this.hashType = hashType;
    this.linearType = linearType;
    this.embeddingType = embeddingType;
    this.flags = flags;
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
    return new LoadOptions(threads, tableType, hashType, linearType, embeddingType, flags);
  }

  /**
   * Sets how the tables are held in memory.
   *
   * @param type the type; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withTableType(ElementType type) {
    return new LoadOptions(numThreads, type, hashType, linearType, embeddingType, flags);
  }

  /**
   * Sets how the hash weights are held in memory.
   *
   * @param type {@link ElementType#F32} or {@link ElementType#INT8}; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withHashType(ElementType type) {
    return new LoadOptions(numThreads, tableType, type, linearType, embeddingType, flags);
  }

  /**
   * Sets how a model's linear layers are held in memory. A layer has none.
   *
   * @param type {@link ElementType#F32} or {@link ElementType#INT8}; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withLinearType(ElementType type) {
    return new LoadOptions(numThreads, tableType, hashType, type, embeddingType, flags);
  }

  /**
   * Sets how a model's word embeddings are held in memory. A layer has none.
   *
   * @param type the type; null for that of the file
   * @return a changed copy
   */
  public LoadOptions withEmbeddingType(ElementType type) {
    return new LoadOptions(numThreads, tableType, hashType, linearType, type, flags);
  }

  /**
   * Maps the file while loading instead of reading it, which saves a copy. Another process that shortens the file
   * meanwhile then kills the virtual machine, which is why it is off by default.
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
    int changed = on ? flags | flag : flags & ~flag;
    return new LoadOptions(numThreads, tableType, hashType, linearType, embeddingType, changed);
  }
}
