// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What a model costs. */
abstract class ModelCosts extends NativeFacts {
  ModelCosts(long[] numbers) {
    super(numbers);
  }

  /**
   * Floating point operations of all FFNs for a token, as the paper counts them.
   *
   * @return the number
   */
  public long ffnFlopPerToken() {
    return numbers[Abi.MODEL_FFN_FLOP_PER_TOKEN];
  }

  /**
   * Floating point operations of the linear layers of all attentions for a token.
   *
   * @return the number
   */
  public long attentionFlopPerToken() {
    return numbers[Abi.MODEL_ATTENTION_FLOP_PER_TOKEN];
  }

  /**
   * Floating point operations for a token and each token it attends to.
   *
   * @return the number
   */
  public long attentionFlopPerPair() {
    return numbers[Abi.MODEL_ATTENTION_FLOP_PER_PAIR];
  }

  /**
   * Floating point operations of all the rest for a token.
   *
   * @return the number
   */
  public long otherFlopPerToken() {
    return numbers[Abi.MODEL_OTHER_FLOP_PER_TOKEN];
  }

  /**
   * Floating point operations of the logits of one position; 0 without that head.
   *
   * @return the number
   */
  public long lmHeadFlopPerToken() {
    return numbers[Abi.MODEL_LM_HEAD_FLOP_PER_TOKEN];
  }

  /**
   * How many numbers were learned.
   *
   * @return the number
   */
  public long numParameters() {
    return numbers[Abi.MODEL_NUM_PARAMETERS];
  }

  /**
   * How many tensor bytes {@link Model#save} writes.
   *
   * @return the number
   */
  public long fileBytes() {
    return numbers[Abi.MODEL_FILE_BYTES];
  }

  /**
   * How many bytes of weights are in memory.
   *
   * @return the number
   */
  public long memoryBytes() {
    return numbers[Abi.MODEL_MEMORY_BYTES];
  }

  /**
   * How many bytes of scratch memory a call in flight takes at most, beside its results.
   *
   * @return the number
   */
  public long scratchBytes() {
    return numbers[Abi.MODEL_SCRATCH_BYTES];
  }

  /**
   * About how many bytes the tokenizer holds in memory, not among {@link #memoryBytes}.
   *
   * @return the number
   */
  public long tokenizerBytes() {
    return numbers[Abi.MODEL_TOKENIZER_BYTES];
  }
}
