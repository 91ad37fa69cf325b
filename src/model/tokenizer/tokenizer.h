// RoBERTa's byte-level BPE: text to ids and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/merger.h"
#include "model/tokenizer/vocabulary.h"

namespace lffn {

// The bytes of a text that a token stands for.
struct TextSpan {
  size_t begin;
  size_t end;
};

// Never changes once made; any number of threads may use it at once.
class Tokenizer {
 public:
  // From the contents of the files. Throw Error(LFFN_ERROR_BAD_MODEL).
  static std::unique_ptr<const Tokenizer> from_vocab_merges(std::string_view vocab_json, std::string_view merges_txt);
  static std::unique_ptr<const Tokenizer> from_tokenizer_json(std::string_view text);
  // `where` begins the messages: the name of the file.
  Tokenizer(VocabularyText&& vocabulary, const std::string& where);

  // A tokenizer.json that from_tokenizer_json makes an equal tokenizer of.
  std::string to_json() const;

  int32_t size() const { return static_cast<int32_t>(place_of_id_.size()); }  // the largest id + 1
  int32_t bos_id() const { return bos_id_; }
  int32_t eos_id() const { return eos_id_; }
  int32_t unk_id() const { return unk_id_; }
  int32_t pad_id() const { return pad_id_; }    // -1: none
  int32_t mask_id() const { return mask_id_; }  // -1: none

  struct Options {
    bool special = false;    // <s> before the text and </s> behind it
    size_t most = SIZE_MAX;  // of the text's first tokens as many ids at most; at least 2 with `special`
  };
  // Replaces `ids`, and `spans` if given. The spans of a whole text lie side by side from its first byte to its last; a
  // blank belongs to the token that swallowed it. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) for text that is not UTF-8.
  void encode(std::string_view text, const Options& options, std::vector<int32_t>& ids,
              std::vector<TextSpan>* spans = nullptr) const;

  // The text of the ids, with U+FFFD where bytes are not UTF-8: one for each longest start of a character, as Unicode
  // advises. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) for an id that is not in the vocabulary.
  std::string decode(const int32_t* ids, size_t count, bool skip_special) const;

 private:
  // Where an id's text is: in symbols_, or in special_ where that is set.
  struct Place {
    uint32_t symbol;
    uint32_t special;
  };
  struct Found {
    const SpecialToken* token;  // nullptr: none
    size_t begin;
    size_t end;
  };

  void add_special(const std::string& where);
  Found next_special(std::string_view text, size_t from) const;

  std::vector<std::string> symbols_;   // in the byte alphabet; the vocabulary by id, then what else pairs merge to
  std::vector<int32_t> id_of_symbol_;  // <unk> for symbols outside the vocabulary
  size_t num_tokens_ = 0;              // symbols in the vocabulary
  std::vector<SpecialToken> special_;  // the longest first
  std::string first_bytes_;            // of the special tokens
  std::vector<Place> place_of_id_;
  std::optional<Merger> merger_;
  int32_t bos_id_ = -1, eos_id_ = -1, unk_id_ = -1, pad_id_ = -1, mask_id_ = -1;
};

}  // namespace lffn
