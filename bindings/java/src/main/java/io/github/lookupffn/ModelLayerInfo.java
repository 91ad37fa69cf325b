// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import org.jspecify.annotations.Nullable;

/**
 * What one encoder layer of a model is made of and costs. Its feed-forward block is the sum of the parts that it has:
 * neurons, tables, a linear map, and a row chosen by the token's id.
 */
public final class ModelLayerInfo extends NativeFacts {
  ModelLayerInfo(long[] numbers) {
    super(numbers);
  }

  /**
   * Attention heads; 0 where attention gives its output bias alone.
   *
   * @return the number
   */
  public int numHeads() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_HEADS];
  }

  /**
   * Floats per head.
   *
   * @return the size
   */
  public int headSize() {
    return (int) numbers[Abi.MODEL_LAYER_HEAD_SIZE];
  }

  /**
   * Neurons; 0 for none.
   *
   * @return the number
   */
  public int numNeurons() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_NEURONS];
  }

  /**
   * Tables whose rows a hash chooses; 0 for none.
   *
   * @return the number
   */
  public int numTables() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_TABLES];
  }

  /**
   * Rows of each table.
   *
   * @return the number
   */
  public int tableSize() {
    return (int) numbers[Abi.MODEL_LAYER_TABLE_SIZE];
  }

  /**
   * The kind of the hash's projection: "dense" or "bh1" to "bh9"; "" without tables.
   *
   * @return the kind
   */
  public String projection() {
    return numTables() == 0 ? "" : LayerInfo.projectionName(numbers[Abi.MODEL_LAYER_PROJECTION]);
  }

  /**
   * Block size of a BH projection.
   *
   * @return the size
   */
  public int blockSize() {
    return (int) numbers[Abi.MODEL_LAYER_BLOCK_SIZE];
  }

  /**
   * Rows read of each table.
   *
   * @return the number
   */
  public int numProbes() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_PROBES];
  }

  /**
   * Whether a linear map stands beside the tables.
   *
   * @return whether one does
   */
  public boolean hasLinearMap() {
    return numbers[Abi.MODEL_LAYER_HAS_LINEAR_MAP] != 0;
  }

  /**
   * Rows that a token's id chooses from; 0 for none.
   *
   * @return the number
   */
  public int numWordRows() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_WORD_ROWS];
  }

  /**
   * How the linear layers of attention, neurons and linear map are held.
   *
   * @return the type
   */
  public ElementType linearType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_LAYER_LINEAR_DTYPE]);
  }

  /**
   * How the tables are held.
   *
   * @return the type; null without tables
   */
  public @Nullable ElementType tableType() {
    return numTables() == 0 ? null : ElementType.ofCode((int) numbers[Abi.MODEL_LAYER_TABLE_DTYPE]);
  }

  /**
   * How the hash weights are held.
   *
   * @return the type; null without tables
   */
  public @Nullable ElementType hashType() {
    return numTables() == 0 ? null : ElementType.ofCode((int) numbers[Abi.MODEL_LAYER_HASH_DTYPE]);
  }

  /**
   * How the rows by word are held.
   *
   * @return the type; null without such rows
   */
  public @Nullable ElementType wordType() {
    return numWordRows() == 0 ? null : ElementType.ofCode((int) numbers[Abi.MODEL_LAYER_WORD_DTYPE]);
  }

  /**
   * Floating point operations of attention's linear layers for a token.
   *
   * @return the number
   */
  public long attentionFlopPerToken() {
    return numbers[Abi.MODEL_LAYER_ATTENTION_FLOP_PER_TOKEN];
  }

  /**
   * Floating point operations for a token and each token it attends to.
   *
   * @return the number
   */
  public long attentionFlopPerPair() {
    return numbers[Abi.MODEL_LAYER_ATTENTION_FLOP_PER_PAIR];
  }

  /**
   * Floating point operations of the feed-forward block for a token.
   *
   * @return the number
   */
  public long ffnFlopPerToken() {
    return numbers[Abi.MODEL_LAYER_FFN_FLOP_PER_TOKEN];
  }

  /**
   * Floating point operations of layer norms and residuals for a token.
   *
   * @return the number
   */
  public long otherFlopPerToken() {
    return numbers[Abi.MODEL_LAYER_OTHER_FLOP_PER_TOKEN];
  }

  /**
   * How many numbers were learned.
   *
   * @return the number
   */
  public long numParameters() {
    return numbers[Abi.MODEL_LAYER_NUM_PARAMETERS];
  }

  /**
   * Bytes of attention's weights in memory.
   *
   * @return the number
   */
  public long attentionBytes() {
    return numbers[Abi.MODEL_LAYER_ATTENTION_BYTES];
  }

  /**
   * Bytes of the feed-forward block's weights in memory; mapped rows lie in the file.
   *
   * @return the number
   */
  public long ffnBytes() {
    return numbers[Abi.MODEL_LAYER_FFN_BYTES];
  }

  /**
   * Bytes of all rows by word with their scales, in memory or mapped.
   *
   * @return the number
   */
  public long wordBytes() {
    return numbers[Abi.MODEL_LAYER_WORD_BYTES];
  }

  /**
   * How many tensor bytes {@link Model#save} writes of the layer.
   *
   * @return the number
   */
  public long fileBytes() {
    return numbers[Abi.MODEL_LAYER_FILE_BYTES];
  }

  /**
   * How far its tokens attend, as {@link ModelInfo#window} tells.
   *
   * @return the number; 0 if they attend to all
   */
  public int window() {
    return (int) numbers[Abi.MODEL_LAYER_WINDOW];
  }

  /**
   * The base of its rotary positions.
   *
   * @return the base; 0 without such positions
   */
  public float theta() {
    return Float.intBitsToFloat((int) numbers[Abi.MODEL_LAYER_THETA_BITS]);
  }

  @Override
  public String toString() {
    return numHeads() + " heads, " + numNeurons() + " neurons, " + numTables() + " tables, " + numWordRows()
        + " rows by word";
  }
}
