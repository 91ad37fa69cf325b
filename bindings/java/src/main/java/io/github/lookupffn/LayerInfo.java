// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What a layer is and costs. */
public final class LayerInfo extends NativeFacts {
  LayerInfo(long[] numbers) {
    super(numbers);
  }

  /**
   * Floats per input token.
   *
   * @return the size
   */
  public int hiddenSize() {
    return (int) numbers[Abi.INFO_HIDDEN_SIZE];
  }

  /**
   * Floats per output token.
   *
   * @return the size
   */
  public int outputSize() {
    return (int) numbers[Abi.INFO_OUTPUT_SIZE];
  }

  /**
   * How many tables the layer has.
   *
   * @return the number
   */
  public int numTables() {
    return (int) numbers[Abi.INFO_NUM_TABLES];
  }

  /**
   * Rows per table, a power of two.
   *
   * @return the number
   */
  public int tableSize() {
    return (int) numbers[Abi.INFO_TABLE_SIZE];
  }

  /**
   * Bits of a code, the base-two logarithm of the table size.
   *
   * @return the number
   */
  public int codeBits() {
    return (int) numbers[Abi.INFO_CODE_BITS];
  }

  /**
   * How tokens are projected, as files name it: "dense", or "bh4" and its like.
   *
   * @return the name
   */
  public String projection() {
    return projectionName(numbers[Abi.INFO_PROJECTION]);
  }

  static String projectionName(long factors) {
    return factors == 0 ? "dense" : "bh" + factors;
  }

  /**
   * Size of the projection's blocks; 0 for a dense projection.
   *
   * @return the size
   */
  public int blockSize() {
    return (int) numbers[Abi.INFO_BLOCK_SIZE];
  }

  /**
   * How many chains of blocks stand side by side; 0 for a dense projection.
   *
   * @return the number
   */
  public int numChains() {
    return (int) numbers[Abi.INFO_NUM_CHAINS];
  }

  /**
   * How a table's score follows from its hash values.
   *
   * @return gelu or sigmoid
   */
  public Activation activation() {
    return Activation.ofCode((int) numbers[Abi.INFO_ACTIVATION]);
  }

  /**
   * Rows read per table.
   *
   * @return the number
   */
  public int numProbes() {
    return (int) numbers[Abi.INFO_NUM_PROBES];
  }

  /**
   * Whether the layer starts with a layer norm.
   *
   * @return whether it does
   */
  public boolean layerNorm() {
    return numbers[Abi.INFO_LAYER_NORM] != 0;
  }

  /**
   * The weight of the projection against its input.
   *
   * @return the weight
   */
  public float decayCoeff() {
    return Float.intBitsToFloat((int) numbers[Abi.INFO_DECAY_COEFF_BITS]);
  }

  /**
   * The epsilon of the layer norm.
   *
   * @return the number
   */
  public float layerNormEps() {
    return Float.intBitsToFloat((int) numbers[Abi.INFO_LAYER_NORM_EPS_BITS]);
  }

  /**
   * How the tables are held in memory.
   *
   * @return the type
   */
  public ElementType tableType() {
    return ElementType.ofCode((int) numbers[Abi.INFO_TABLE_DTYPE]);
  }

  /**
   * How the hash weights are held in memory.
   *
   * @return the type
   */
  public ElementType hashType() {
    return ElementType.ofCode((int) numbers[Abi.INFO_HASH_DTYPE]);
  }

  /**
   * How many threads one forward uses.
   *
   * @return the number
   */
  public int numThreads() {
    return (int) numbers[Abi.INFO_NUM_THREADS];
  }

  /**
   * Floating point operations per token, as the paper counts them.
   *
   * @return the number
   */
  public long flopPerToken() {
    return numbers[Abi.INFO_FLOP_PER_TOKEN];
  }

  /**
   * How many numbers were learned.
   *
   * @return the number
   */
  public long numParameters() {
    return numbers[Abi.INFO_NUM_PARAMETERS];
  }

  /**
   * How many tensor bytes {@link Layer#save} writes.
   *
   * @return the number
   */
  public long fileBytes() {
    return numbers[Abi.INFO_FILE_BYTES];
  }

  /**
   * How many bytes of weights are in memory.
   *
   * @return the number
   */
  public long memoryBytes() {
    return numbers[Abi.INFO_MEMORY_BYTES];
  }

  /**
   * How much scratch memory a forward in flight takes at most.
   *
   * @return the number of bytes
   */
  public long scratchBytes() {
    return numbers[Abi.INFO_SCRATCH_BYTES];
  }

  @Override
  public String toString() {
    return hiddenSize() + " -> " + outputSize() + " floats, " + numTables() + " tables of " + tableSize() + " rows ("
        + tableType() + "), " + projection() + " projection (" + hashType() + "), " + numThreads() + " threads";
  }
}
