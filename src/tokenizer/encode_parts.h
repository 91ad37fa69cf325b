// SPDX-License-Identifier: Apache-2.0
// From text to ids only, part by part. What stands between blanks becomes the same ids wherever it stands, so a part
// that was there lately need not be normalised or cut again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace lffn {

class Tokenizer::Parts {
 public:
  // Ids are appended, until there are more than `enough`.
  Parts(const Tokenizer& tokenizer, Scratch& scratch, const int32_t* cancel, size_t enough, std::vector<int32_t>& ids)
      : tokenizer_(tokenizer), scratch_(scratch), cancel_(cancel), enough_(enough), ids_(ids) {}

  // Each of these is for one kind of tokenizer, and for a text without added tokens.
  void add_byte_pairs(std::string_view text);  // the vocabulary must have all bytes
  // For BERT's normaliser: one part of at most PieceCache::kLongest bytes, without blanks around it.
  void add_words(std::string_view part);
  // false: a part depends on its neighbours, and no ids were added. The normaliser and the pre-tokenizers must be
  // local.
  bool add_pieces(std::string_view text);

 private:
  bool is_enough() const { return ids_.size() > enough_; }
  size_t add_new_byte_pairs(std::string_view text, size_t begin, size_t end);
  bool add_new_pieces(std::string_view part);

  const Tokenizer& tokenizer_;
  Scratch& scratch_;
  const int32_t* cancel_;
  size_t enough_;
  std::vector<int32_t>& ids_;
};

}  // namespace lffn
