// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The shape of a layer to be made. Immutable: each {@code with} method returns a changed copy. */
public final class LayerConfig {
  private int hiddenSize;
  private int outputSize;
  private int numTables;
  private int tableSize;
  private int projection = 4;
  private int blockSize = 64;
  private Activation activation = Activation.GELU;
  private int numProbes = 1;
  private boolean layerNorm = true;
  private float decayCoeff = 0.7f;
  private float layerNormEps = 1e-5f;
  private long seed;

  private LayerConfig() {}

  /**
   * A layer with BH4 projection, blocks of 64, gelu scores, one probe and a layer norm.
   *
   * @param hiddenSize floats per token, in and out
   * @param numTables how many tables
   * @param tableSize rows per table, a power of two from 2 to 65536
   * @return the config
   */
  public static LayerConfig of(int hiddenSize, int numTables, int tableSize) {
    LayerConfig config = new LayerConfig();
    config.hiddenSize = hiddenSize;
    config.numTables = numTables;
    config.tableSize = tableSize;
    return config;
  }

  /**
   * Sets the floats per output token.
   *
   * @param size the size; 0 for that of the input
   * @return a changed copy
   */
  public LayerConfig withOutputSize(int size) {
    LayerConfig copy = copy();
    copy.outputSize = size;
    return copy;
  }

  /**
   * Projects by a dense matrix.
   *
   * @return a changed copy
   */
  public LayerConfig withDenseProjection() {
    LayerConfig copy = copy();
    copy.projection = 0;
    return copy;
  }

  /**
   * Projects by block diagonal matrices, each followed by a Hadamard transform.
   *
   * @param factors how many pairs of them, 1 to 9
   * @param size of the blocks, a power of two
   * @return a changed copy
   */
  public LayerConfig withBlockHadamardProjection(int factors, int size) {
    if (factors < 1) {
      throw new IllegalArgumentException("factors must be 1 to 9, not " + factors);
    }
    LayerConfig copy = copy();
    copy.projection = factors;
    copy.blockSize = size;
    return copy;
  }

  /**
   * Sets how a table's score follows from its hash values.
   *
   * @param kind gelu or sigmoid
   * @return a changed copy
   */
  public LayerConfig withActivation(Activation kind) {
    LayerConfig copy = copy();
    copy.activation = Objects.requireNonNull(kind, "kind");
    return copy;
  }

  /**
   * Sets how many rows are read per table.
   *
   * @param probes 1 to the table size
   * @return a changed copy
   */
  public LayerConfig withNumProbes(int probes) {
    LayerConfig copy = copy();
    copy.numProbes = probes;
    return copy;
  }

  /**
   * Sets whether the layer starts with a layer norm.
   *
   * @param on whether it does
   * @return a changed copy
   */
  public LayerConfig withLayerNorm(boolean on) {
    LayerConfig copy = copy();
    copy.layerNorm = on;
    return copy;
  }

  /**
   * Sets the epsilon of the layer norm.
   *
   * @param epsilon the number added to the variance
   * @return a changed copy
   */
  public LayerConfig withLayerNormEps(float epsilon) {
    LayerConfig copy = copy();
    copy.layerNormEps = epsilon;
    return copy;
  }

  /**
   * Sets the weight of the projection against its input.
   *
   * @param coefficient the weight
   * @return a changed copy
   */
  public LayerConfig withDecayCoeff(float coefficient) {
    LayerConfig copy = copy();
    copy.decayCoeff = coefficient;
    return copy;
  }

  /**
   * Sets the seed of random weights.
   *
   * @param number the seed; the same one gives the same weights on every machine
   * @return a changed copy
   */
  public LayerConfig withSeed(long number) {
    LayerConfig copy = copy();
    copy.seed = number;
    return copy;
  }

  void makeRandom(int[] options, long runtime, long[] out) {
    Raw.layerRandom(
        hiddenSize,
        outputSize,
        numTables,
        tableSize,
        projection,
        blockSize,
        activation.code,
        numProbes,
        layerNorm ? 1 : 0,
        decayCoeff,
        layerNormEps,
        seed,
        options,
        runtime,
        out);
  }

  private LayerConfig copy() {
    LayerConfig copy = new LayerConfig();
    copy.hiddenSize = hiddenSize;
    copy.outputSize = outputSize;
    copy.numTables = numTables;
    copy.tableSize = tableSize;
    copy.projection = projection;
    copy.blockSize = blockSize;
    copy.activation = activation;
    copy.numProbes = numProbes;
    copy.layerNorm = layerNorm;
    copy.decayCoeff = decayCoeff;
    copy.layerNormEps = layerNormEps;
    copy.seed = seed;
    return copy;
  }

  private Object[] values() {
    return new Object[] {
      hiddenSize, outputSize, numTables, tableSize, projection, blockSize, activation, numProbes, layerNorm, decayCoeff,
      layerNormEps, seed
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LayerConfig && Arrays.equals(values(), ((LayerConfig) other).values());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values());
  }

  @Override
  public String toString() {
    return "LayerConfig[" + hiddenSize + " -> " + outputSize + " floats, " + numTables + " tables of " + tableSize
        + " rows, " + numProbes + " probes, " + activation + ", seed " + seed + "]";
  }
}
