// SPDX-License-Identifier: Apache-2.0
// Text to ids and back, as Hugging Face's tokenizers do it for WordPiece, BPE of bytes or characters, and Unigram. A
// text goes through added_tokens, normalizer, pre_tokenizer, word_pieces or byte_pairs or unigram, and post_processor;
// decoder leads back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/byte_pairs.h"
#include "tokenizer/description.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/piece_cache.h"
#include "tokenizer/post_processor.h"
#include "tokenizer/pre_tokenizer_chain.h"
#include "tokenizer/unigram.h"
#include "tokenizer/vocabulary.h"
#include "tokenizer/word_pieces.h"

namespace lffn {

// Throws Error(LFFN_ERROR_BAD_TEXT) with a message that names the text and its first bad byte.
void check_utf8(std::string_view text, const char* name);

// Never changes once made, except for its cache of words; any number of threads may use it at once.
class Tokenizer {
 public:
  // From the contents of the files. Throw Error(LFFN_ERROR_BAD_MODEL).
  static std::unique_ptr<const Tokenizer> from_files(const TokenizerFiles& files);
  static std::unique_ptr<const Tokenizer> from_tokenizer_json(std::string_view text, const int32_t* cancel = nullptr);
  explicit Tokenizer(TokenizerDescription&& description);
  Tokenizer(const Tokenizer&) = delete;  // it points into itself
  Tokenizer& operator=(const Tokenizer&) = delete;

  // A tokenizer.json from which from_tokenizer_json makes an equal tokenizer.
  std::string to_json() const;

  size_t bytes() const;  // in memory, calls aside

  TokenizerKind kind() const { return description_.kind; }
  int32_t size() const { return size_; }                                // the largest id + 1
  int32_t cls_id() const { return role_id("cls_token"); }               // -1, here and below: none
  int32_t bos_id() const { return role_id("cls_token", "bos_token"); }  // before a text
  int32_t eos_id() const { return role_id("sep_token", "eos_token"); }  // behind it
  int32_t unk_id() const { return role_id("unk_token"); }
  // The id that encode() gives for text that no token fits, whatever the files call special; -1: none.
  int32_t unknown_id() const;
  int32_t pad_id() const { return role_id("pad_token"); }
  int32_t mask_id() const { return role_id("mask_token"); }
  // The most tokens of a text by the files, special ones included; 0: they set no limit. Texts are not truncated
  // unasked.
  size_t max_length() const { return description_.max_length; }

  int32_t id_of(std::string_view token) const;  // -1: none
  // As it is in the vocabulary: "##ing"; a zero byte follows.
  std::optional<std::string_view> token_of(int32_t id) const;
  // The prefix of tokens that continue a word; "" where they have none.
  std::string_view inner_prefix() const;
  bool truncates_left() const { return description_.truncates_left; }
  bool is_special(int32_t id) const;    // left out on request when ids become text
  size_t num_special(bool pair) const;  // how many the template adds

  struct Options {
    bool special = false;    // with the special tokens of the template
    size_t most = SIZE_MAX;  // tokens, special ones included; longer texts are cut, of a pair the longer one first
    bool spans = false;      // with the bytes of the text that each token comes from, and of which word it is a part
    const int32_t* cancel = nullptr;  // looked at now and then; not 0: Error(LFFN_ERROR_CANCELLED)
    bool checked = false;             // the caller knows that the texts are UTF-8
    bool first_only = false;          // of a pair only the first one is cut
    bool uncut = true;  // with num_tokens of the whole text; else no more of a long text need be read than is kept
  };
  // What encode() works with; it may be used again and again, by one call at a time, and then allocates little.
  struct Scratch {
    Sequence sequences[2];
    AlignedText text, spare;
    WaitingMarks marks;
    Pieces parts;
    Unigram::Scratch unigram;
    std::vector<WordPiece> pieces;
    PieceCache::Tokens tokens, part;
    BytePairs::Scratch pairs;
    std::string prefixed;
  };
  // The tokens of a text, or of two if `pair` is not nullptr. Replaces what is in `to`. Throws
  // Error(LFFN_ERROR_BAD_TEXT) for text that is not UTF-8, LFFN_ERROR_INVALID_ARGUMENT for a `most` below the number of
  // special tokens.
  // Takes n log n time for n bytes with ordinary tokens. Hostile files can multiply that by the bytes of their longest
  // token, and make it n * n where spans of tokens that swallow the same blanks are trimmed, but never without a look
  // at `cancel`.
  void encode(std::string_view text, const std::string_view* pair, const Options& options, Scratch& scratch,
              Encoding& to) const;

  // The text of the ids, with U+FFFD where bytes are not UTF-8: one for each longest valid beginning of a character, as
  // Unicode advises. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) for an id that is not in the vocabulary.
  std::string decode(const int32_t* ids, size_t count, bool skip_special) const;

 private:
  class Run;
  class Parts;

  int32_t role_id(std::string_view name, std::string_view otherwise = {}) const;
  const AddedToken* added_of(int32_t id) const;
  void make_chains();
  void add_added_tokens();

  TokenizerDescription description_;  // without tokens and merges, which the members below hold
  std::optional<Vocabulary> vocabulary_;
  std::vector<std::pair<int32_t, size_t>> added_by_id_;  // sorted; places in description_.added
  int32_t size_ = 0;
  std::optional<Normalizer> normalizer_;
  std::optional<NormalizerChain> normalizer_chain_;
  bool wants_start_ = false;       // must know whether a piece is the start of the text
  bool is_plain_bytes_ = false;    // byte-level BPE of a text as it came, cut as GPT-2 does
  bool has_local_pieces_ = false;  // parts between single blanks need not know their neighbours
  AddedTokenFinder plain_tokens_;
  AddedTokenFinder normalized_tokens_;
  std::optional<WordPieces> word_pieces_;
  std::optional<BytePairs> byte_pairs_;
  std::optional<Unigram> unigram_;
  PieceCache cache_;
};

}  // namespace lffn
