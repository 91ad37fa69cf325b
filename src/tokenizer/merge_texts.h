// SPDX-License-Identifier: Apache-2.0
// The merges of BPE as files have them: pairs of texts. They share one buffer, because a vocabulary may have half a
// million of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lffn {

class MergeTexts {
 public:
  size_t size() const { return pairs_.size(); }
  std::string_view left(size_t i) const { return part(begin(i), pairs_[i].middle); }
  std::string_view right(size_t i) const { return part(pairs_[i].middle, pairs_[i].end); }
  std::string_view both(size_t i) const { return part(begin(i), pairs_[i].end); }

  void add(std::string_view left, std::string_view right) {
    text_ += left;
    const size_t middle = text_.size();
    text_ += right;
    pairs_.push_back({middle, text_.size()});
  }

 private:
  struct Pair {
    size_t middle, end;  // the ends of the left and of the right text, in text_
  };

  size_t begin(size_t i) const { return i == 0 ? 0 : pairs_[i - 1].end; }
  std::string_view part(size_t begin, size_t end) const { return std::string_view(text_).substr(begin, end - begin); }

  std::string text_;
  std::vector<Pair> pairs_;
};

}  // namespace lffn
