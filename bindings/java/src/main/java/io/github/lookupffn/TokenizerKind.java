// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How a tokenizer makes tokens of words. Later versions may add some. */
public enum TokenizerKind {
  /** BPE, of bytes or of characters. */
  BYTE_PAIRS(Abi.TOKENIZER_KIND_BYTE_PAIRS),
  /** WordPiece. */
  WORD_PIECE(Abi.TOKENIZER_KIND_WORD_PIECE),
  /** Unigram. */
  UNIGRAM(Abi.TOKENIZER_KIND_UNIGRAM);

  private final int code;

  TokenizerKind(int code) {
    this.code = code;
  }

  static TokenizerKind ofCode(int code) {
    for (TokenizerKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    throw new IllegalArgumentException("no kind of tokenizer has the code " + code);
  }
}
