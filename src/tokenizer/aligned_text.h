// SPDX-License-Identifier: Apache-2.0
// Text on its way to tokens, which knows where in the caller's text it came from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lffn {

// Bytes of the caller's text.
struct TextSpan {
  size_t begin;
  size_t end;
};

class AlignedText {
 public:
  void clear(bool aligned) {
    aligned_ = aligned;
    text_.clear();
    from_.clear();
  }
  void append(std::string_view text, const TextSpan& from) {
    text_ += text;
    if (aligned_) from_.resize(text_.size(), from);
  }
  void append(char byte, const TextSpan& from) {
    text_ += byte;
    if (aligned_) from_.push_back(from);
  }

  bool aligned() const { return aligned_; }
  std::string_view text() const { return text_; }
  std::string& bytes() { return text_; }  // for appending more than one character that have no spans

  // Where a part of the text that is not empty came from. Only if aligned.
  TextSpan from(size_t begin, size_t end) const { return {from_[begin].begin, from_[end - 1].end}; }

 private:
  bool aligned_ = false;
  std::string text_;
  std::vector<TextSpan> from_;  // of each byte, if aligned: all of the character that it came from
};

}  // namespace lffn
