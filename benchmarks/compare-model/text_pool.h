// SPDX-License-Identifier: Apache-2.0
// Texts of a certain number of tokens, and a tokenizer for engines that have none.
#pragma once

#include <lookupffn/lookupffn.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace compare {

class TextPool {
 public:
  // folder: of a model with a tokenizer; words: a file of words, one a line.
  TextPool(const std::string& folder, const std::string& words);

  // So many texts, each of exactly `length` tokens with the special ones; the words of the file in their order, short
  // of those that would be too many.
  void fill(int64_t texts, int64_t length);
  const std::string& text(int64_t i) const { return texts_[static_cast<size_t>(i) % texts_.size()]; }
  std::vector<int32_t> ids(const std::string& text) const;

 private:
  struct Free {
    void operator()(lffn_tokenizer* tokenizer) const { lffn_tokenizer_free(tokenizer); }
  };
  std::unique_ptr<lffn_tokenizer, Free> tokenizer_;
  std::vector<std::string> words_, texts_;
  size_t next_ = 0;
};

}  // namespace compare
