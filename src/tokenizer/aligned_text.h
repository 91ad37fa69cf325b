// SPDX-License-Identifier: Apache-2.0
// Text on its way to tokens, which knows where in the caller's text it came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/error.h"

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
  // For a text that had so many bytes: growing beyond most_bytes() of them throws Error(LFFN_ERROR_BAD_TEXT).
  void limit_growth(size_t bytes) { most_ = most_bytes(bytes); }
  void limit_as(const AlignedText& other) { most_ = other.most_; }
  // How long the steps together may make a text of so many bytes. Decomposed Korean is three times as long.
  static size_t most_bytes(size_t bytes) { return bytes < (SIZE_MAX >> 3) ? 4 * bytes + (size_t{1} << 18) : SIZE_MAX; }

  void append(std::string_view text, const TextSpan& from) {
    check(text.size());
    text_ += text;
    if (aligned_) from_.resize(text_.size(), from);
  }
  void append(char byte, const TextSpan& from) {
    check(1);
    text_ += byte;
    if (aligned_) from_.push_back(from);
  }
  // Appends a part of another text, which must be aligned if this one is.
  void append(const AlignedText& other, size_t begin, size_t end) {
    check(end - begin);
    text_.append(other.text_, begin, end - begin);
    if (!aligned_) return;
    const auto first = other.from_.begin();
    from_.insert(from_.end(), first + static_cast<ptrdiff_t>(begin), first + static_cast<ptrdiff_t>(end));
  }
  void swap(AlignedText& other) {
    std::swap(aligned_, other.aligned_);
    text_.swap(other.text_);
    from_.swap(other.from_);
  }

  bool aligned() const { return aligned_; }
  std::string_view text() const { return text_; }
  // Becomes another text, without spans.
  void assign(std::string_view text) {
    clear(false);
    text_ = text;
  }

  // Where a part of the text came from. The part must not be empty, and the text must be aligned.
  TextSpan from(size_t begin, size_t end) const { return {from_[begin].begin, from_[end - 1].end}; }
  // Where one byte came from; an empty span if the text is not aligned.
  TextSpan at(size_t byte) const { return aligned_ ? from_[byte] : TextSpan{0, 0}; }

 private:
  void check(size_t more) const {
    if (more <= most_ - text_.size()) return;
    fail(LFFN_ERROR_BAD_TEXT, "the steps of the tokenizer make the text longer than %zu bytes; give it in parts",
         most_);
  }

  bool aligned_ = false;
  size_t most_ = SIZE_MAX;
  std::string text_;
  std::vector<TextSpan> from_;  // of each byte, if aligned: all of the character that it came from
};

}  // namespace lffn
