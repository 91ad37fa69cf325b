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

  /** {@return the number of attention heads; 0 where attention gives its output bias alone} */
  public int numHeads() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_ATTENTION_HEADS];
  }

  /** {@return the number of floats per head} */
  public int headSize() {
    return (int) numbers[Abi.MODEL_LAYER_ATTENTION_HEAD_SIZE];
  }

  /** {@return the number of neurons; 0 for none} */
  public int numNeurons() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_NEURONS];
  }

  /** {@return the number of tables whose rows a hash chooses; 0 for none} */
  public int numTables() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_TABLES];
  }

  /** {@return the number of rows of each table} */
  public int tableSize() {
    return (int) numbers[Abi.MODEL_LAYER_TABLE_SIZE];
  }

  /** {@return the kind of the hash's projection: "dense" or "bh1" to "bh9"; "" without tables} */
  public String projection() {
    return numTables() == 0 ? "" : LayerInfo.projectionName(numbers[Abi.MODEL_LAYER_PROJECTION]);
  }

  /** {@return the block size of a BH projection} */
  public int blockSize() {
    return (int) numbers[Abi.MODEL_LAYER_BLOCK_SIZE];
  }

  /** {@return the number of rows read of each table} */
  public int numProbes() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_PROBES];
  }

  /** {@return whether a linear map stands beside the tables} */
  public boolean hasLinearMap() {
    return numbers[Abi.MODEL_LAYER_HAS_LINEAR_MAP] != 0;
  }

  /** {@return the number of rows that a token's id chooses from; 0 for none} */
  public int numWordRows() {
    return (int) numbers[Abi.MODEL_LAYER_NUM_WORD_ROWS];
  }

  /** {@return how the linear layers of attention, neurons and linear map are held} */
  public ElementType linearType() {
    return ElementType.ofCode((int) numbers[Abi.MODEL_LAYER_LINEAR_DTYPE]);
  }

  /** {@return how the tables are held; null without tables} */
  public @Nullable ElementType tableType() {
    return numTables() == 0 ? null : ElementType.ofCode((int) numbers[Abi.MODEL_LAYER_TABLE_DTYPE]);
  }

  /** {@return how the hash weights are held; null without tables} */
  public @Nullable ElementType hashType() {
    return numTables() == 0 ? null : ElementType.ofCode((int) numbers[Abi.MODEL_LAYER_HASH_DTYPE]);
  }

  /** {@return how the rows by word are held; null without such rows} */
  public @Nullable ElementType wordType() {
    return numWordRows() == 0 ? null : ElementType.ofCode((int) numbers[Abi.MODEL_LAYER_WORD_ROW_DTYPE]);
  }

  /** {@return the number of floating point operations of attention's linear layers for a token} */
  public long attentionFlopPerToken() {
    return numbers[Abi.MODEL_LAYER_ATTENTION_FLOP_PER_TOKEN];
  }

  /** {@return the number of floating point operations for a token and each token it attends to} */
  public long attentionFlopPerPair() {
    return numbers[Abi.MODEL_LAYER_ATTENTION_FLOP_PER_PAIR];
  }

  /** {@return the number of floating point operations of the feed-forward block for a token} */
  public long ffnFlopPerToken() {
    return numbers[Abi.MODEL_LAYER_FFN_FLOP_PER_TOKEN];
  }

  /** {@return the number of floating point operations of layer norms and residuals for a token} */
  public long otherFlopPerToken() {
    return numbers[Abi.MODEL_LAYER_OTHER_FLOP_PER_TOKEN];
  }

  /** {@return how many numbers were learned} */
  public long numParameters() {
    return numbers[Abi.MODEL_LAYER_NUM_PARAMETERS];
  }

  /** {@return the number of bytes of attention's weights in memory} */
  public long attentionBytes() {
    return numbers[Abi.MODEL_LAYER_ATTENTION_BYTES];
  }

  /** {@return the number of bytes of the feed-forward block's weights in memory; mapped rows lie in the file} */
  public long ffnBytes() {
    return numbers[Abi.MODEL_LAYER_FFN_BYTES];
  }

  /** {@return the number of bytes of all rows by word with their scales, in memory or mapped} */
  public long wordBytes() {
    return numbers[Abi.MODEL_LAYER_WORD_ROW_BYTES];
  }

  /** {@return how many tensor bytes {@link Model#save} writes of the layer} */
  public long fileBytes() {
    return numbers[Abi.MODEL_LAYER_FILE_BYTES];
  }

  /**
   * How far its tokens attend, as {@link ModelInfo#window} tells.
   *
   * @return the number; 0 if they attend to all
   */
  public int window() {
    return (int) numbers[Abi.MODEL_LAYER_ATTENTION_WINDOW];
  }

  /**
   * The base of its rotary positions.
   *
   * @return the base; 0 without such positions
   */
  public float theta() {
    return Float.intBitsToFloat((int) numbers[Abi.MODEL_LAYER_ROPE_THETA_BITS]);
  }

  @Override
  public String toString() {
    return numHeads() + " heads, " + numNeurons() + " neurons, " + numTables() + " tables, " + numWordRows()
        + " rows by word";
  }
}
