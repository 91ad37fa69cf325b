// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What a layer is and costs. */
public final class LayerInfo extends NativeFacts {
  LayerInfo(long[] numbers) {
    super(numbers);
  }

  /** {@return the number of floats per input token} */
  public int hiddenSize() {
    return (int) numbers[Abi.INFO_HIDDEN_SIZE];
  }

  /** {@return the number of floats per output token} */
  public int outputSize() {
    return (int) numbers[Abi.INFO_OUTPUT_SIZE];
  }

  /** {@return how many tables the layer has} */
  public int numTables() {
    return (int) numbers[Abi.INFO_NUM_TABLES];
  }

  /** {@return the number of rows per table, a power of two} */
  public int tableSize() {
    return (int) numbers[Abi.INFO_TABLE_SIZE];
  }

  /** {@return the number of bits of a code, the base-two logarithm of the table size} */
  public int codeBits() {
    return (int) numbers[Abi.INFO_CODE_BITS];
  }

  /** {@return how tokens are projected, as files name it: "dense", or "bh4" and its like} */
  public String projection() {
    return projectionName(numbers[Abi.INFO_PROJECTION]);
  }

  static String projectionName(long factors) {
    return factors == 0 ? "dense" : "bh" + factors;
  }

  /** {@return the size of the projection's blocks; 0 for a dense projection} */
  public int blockSize() {
    return (int) numbers[Abi.INFO_BLOCK_SIZE];
  }

  /** {@return how many chains of blocks stand side by side; 0 for a dense projection} */
  public int numChains() {
    return (int) numbers[Abi.INFO_NUM_CHAINS];
  }

  /** {@return how a table's score follows from its hash values: gelu or sigmoid} */
  public Activation activation() {
    return Activation.ofCode((int) numbers[Abi.INFO_ACTIVATION]);
  }

  /** {@return the number of rows read per table} */
  public int numProbes() {
    return (int) numbers[Abi.INFO_NUM_PROBES];
  }

  /** {@return whether the layer starts with a layer norm} */
  public boolean layerNorm() {
    return numbers[Abi.INFO_LAYER_NORM] != 0;
  }

  /** {@return the weight of the projection against its input} */
  public float decayCoeff() {
    return Float.intBitsToFloat((int) numbers[Abi.INFO_DECAY_COEFF_BITS]);
  }

  /** {@return the epsilon of the layer norm} */
  public float layerNormEps() {
    return Float.intBitsToFloat((int) numbers[Abi.INFO_LAYER_NORM_EPS_BITS]);
  }

  /** {@return how the tables are held in memory} */
  public ElementType tableType() {
    return ElementType.ofCode((int) numbers[Abi.INFO_TABLE_DTYPE]);
  }

  /** {@return how the hash weights are held in memory} */
  public ElementType hashType() {
    return ElementType.ofCode((int) numbers[Abi.INFO_HASH_DTYPE]);
  }

  /** {@return how many threads one forward uses} */
  public int numThreads() {
    return (int) numbers[Abi.INFO_NUM_THREADS];
  }

  /** {@return the number of floating point operations per token, as the paper counts them} */
  public long flopPerToken() {
    return numbers[Abi.INFO_FLOP_PER_TOKEN];
  }

  /** {@return how many numbers were learned} */
  public long numParameters() {
    return numbers[Abi.INFO_NUM_PARAMETERS];
  }

  /** {@return how many tensor bytes {@link Layer#save} writes} */
  public long fileBytes() {
    return numbers[Abi.INFO_FILE_BYTES];
  }

  /** {@return how many bytes of weights are in memory} */
  public long memoryBytes() {
    return numbers[Abi.INFO_MEMORY_BYTES];
  }

  /** {@return how much scratch memory a forward in flight takes at most} */
  public long scratchBytes() {
    return numbers[Abi.INFO_SCRATCH_BYTES];
  }

  @Override
  public String toString() {
    return hiddenSize() + " -> " + outputSize() + " floats, " + numTables() + " tables of " + tableSize() + " rows ("
        + tableType() + "), " + projection() + " projection (" + hashType() + "), " + numThreads() + " threads";
  }
}
