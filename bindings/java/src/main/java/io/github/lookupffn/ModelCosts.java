// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What a model costs. */
abstract class ModelCosts extends NativeFacts {
  ModelCosts(long[] numbers) {
    super(numbers);
  }

  /** {@return the number of floating point operations of all FFNs for a token, as the paper counts them} */
  public long ffnFlopPerToken() {
    return numbers[Abi.MODEL_FFN_FLOP_PER_TOKEN];
  }

  /** {@return the number of floating point operations of the linear layers of all attentions for a token} */
  public long attentionFlopPerToken() {
    return numbers[Abi.MODEL_ATTENTION_FLOP_PER_TOKEN];
  }

  /** {@return the number of floating point operations for a token and each token it attends to} */
  public long attentionFlopPerPair() {
    return numbers[Abi.MODEL_ATTENTION_FLOP_PER_PAIR];
  }

  /** {@return the number of floating point operations of all the rest for a token} */
  public long otherFlopPerToken() {
    return numbers[Abi.MODEL_OTHER_FLOP_PER_TOKEN];
  }

  /** {@return the number of floating point operations of the logits of one position; 0 without that head} */
  public long lmHeadFlopPerToken() {
    return numbers[Abi.MODEL_LM_HEAD_FLOP_PER_TOKEN];
  }

  /** {@return how many numbers were learned} */
  public long numParameters() {
    return numbers[Abi.MODEL_NUM_PARAMETERS];
  }

  /** {@return how many tensor bytes {@link Model#save} writes} */
  public long fileBytes() {
    return numbers[Abi.MODEL_FILE_BYTES];
  }

  /** {@return how many bytes of weights are in memory} */
  public long memoryBytes() {
    return numbers[Abi.MODEL_MEMORY_BYTES];
  }

  /** {@return how many bytes of scratch memory a call in flight takes at most, beside its results} */
  public long scratchBytes() {
    return numbers[Abi.MODEL_SCRATCH_BYTES];
  }

  /** {@return about how many bytes the tokenizer holds in memory, not among {@link #memoryBytes}} */
  public long tokenizerBytes() {
    return numbers[Abi.MODEL_TOKENIZER_BYTES];
  }
}
