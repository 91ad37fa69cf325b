// SPDX-License-Identifier: Apache-2.0
// A text of too many tokens as several sequences that overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tokenizer/post_processor.h"

namespace lffn {

// A window has all of an encoding but some tokens of the run [first, last), which is cut.
class Windows {
 public:
  struct Sizes {
    int64_t most;    // tokens of a window
    int64_t stride;  // of the run's, that a window has in common with the one before
    bool left;       // the first window ends with the text, else it begins with it
  };

  // As Hugging Face's tokenizers cut: each window begins so far behind the one before that they share `stride` tokens,
  // and the last one ends with the text. `what` names in messages what all windows have. Throws
  // Error(LFFN_ERROR_INVALID_ARGUMENT) where that leaves no room for the run, or for a stride that is as large.
  void cut(int64_t tokens, int64_t first, int64_t last, const Sizes& sizes, const char* what);

  size_t count() const { return parts_.size(); }
  // What window w has of the run.
  std::pair<int64_t, int64_t> part(size_t w) const { return parts_[w]; }
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  int64_t length(size_t w) const { return tokens_ - (last_ - first_) + parts_[w].second - parts_[w].first; }
  // The place in the encoding of a window's token.
  int64_t place(size_t w, int64_t token) const;

 private:
  int64_t tokens_ = 0, first_ = 0, last_ = 0;
  std::vector<std::pair<int64_t, int64_t>> parts_;
};

// The tokens of one of an encoding's texts, which are one behind the other. Throws Error(LFFN_ERROR_UNSUPPORTED) for a
// template that tears them apart.
std::pair<int64_t, int64_t> tokens_of_text(const Encoding& encoding, int8_t text);

// Half of a window, at most 128, where the caller names no number.
int64_t stride_of(int64_t asked, int64_t most);

}  // namespace lffn
