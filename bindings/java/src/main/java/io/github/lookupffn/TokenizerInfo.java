// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What a tokenizer is. */
public final class TokenizerInfo extends NativeFacts {
  TokenizerInfo(long[] numbers) {
    super(numbers);
  }

  /** {@return one more than the largest id} */
  public int vocabSize() {
    return (int) numbers[Abi.TOKENIZER_VOCAB_SIZE];
  }

  /** {@return the id of the token that begins a text; -1 for none, as with the other ids} */
  public int bosId() {
    return (int) numbers[Abi.TOKENIZER_BOS_ID];
  }

  /** {@return the id of the token that ends a text} */
  public int eosId() {
    return (int) numbers[Abi.TOKENIZER_EOS_ID];
  }

  /** {@return the id of the padding token, which is never needed here} */
  public int padId() {
    return (int) numbers[Abi.TOKENIZER_PAD_ID];
  }

  /** {@return the id of the token for text that the vocabulary lacks} */
  public int unkId() {
    return (int) numbers[Abi.TOKENIZER_UNK_ID];
  }

  /** {@return the id of the token for a blank to be filled} */
  public int maskId() {
    return (int) numbers[Abi.TOKENIZER_MASK_ID];
  }

  /** {@return how many special tokens are put around a text} */
  public int addedToText() {
    return (int) numbers[Abi.TOKENIZER_ADDED_TO_TEXT];
  }

  /** {@return how many special tokens are put around a pair of texts} */
  public int addedToPair() {
    return (int) numbers[Abi.TOKENIZER_ADDED_TO_PAIR];
  }

  /** {@return how it makes tokens of words} */
  public TokenizerKind kind() {
    return TokenizerKind.ofCode((int) numbers[Abi.TOKENIZER_KIND]);
  }

  /** {@return whether it is a WordPiece, as BERT has it: see {@link #kind}} */
  public boolean isWordPiece() {
    return numbers[Abi.TOKENIZER_KIND] == Abi.TOKENIZER_KIND_WORD_PIECE;
  }

  /**
   * {@return the most tokens of a text according to the tokenizer's files, special ones counted; 0 if these tell none}
   */
  public long ownMaxTokens() {
    return numbers[Abi.TOKENIZER_OWN_MAX_TOKENS];
  }

  /** {@return about how many bytes of memory the tokenizer takes} */
  public long memoryBytes() {
    return numbers[Abi.TOKENIZER_MEMORY_BYTES];
  }

  @Override
  public String toString() {
    return "TokenizerInfo[vocabulary " + vocabSize() + ", " + kind() + "]";
  }
}
