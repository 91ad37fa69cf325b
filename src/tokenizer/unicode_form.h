// SPDX-License-Identifier: Apache-2.0
// Unicode's four normal forms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "format/utf8.h"
#include "tokenizer/aligned_text.h"

namespace lffn {

enum class UnicodeForm : uint8_t { kC, kD, kKc, kKd };

// Replaces `to` by the text in that form, in n log n time at most: marks behind a character are sorted. Returns false,
// and leaves `to` alone, if it is ASCII, which all forms leave alone. Throws Error(LFFN_ERROR_CANCELLED) if the flag is
// set; it may be nullptr.
bool bring_into_form(const AlignedText& text, UnicodeForm form, AlignedText& to, const int32_t* cancel);

// Writes a text anew, character by character, and keeps count of where each came from.
class Rewriter {
 public:
  Rewriter(const AlignedText& from, AlignedText& to) : from_(from), to_(to) { to.clear(from.aligned()); }

  // The character stands for so many of the old text, and comes from the first of them; for none: it comes from where
  // the character before it in the old text did.
  void put(std::string_view character, size_t taken) {
    to_.append(character, from_.aligned() ? take(taken) : TextSpan{0, 0});
  }
  void put(uint32_t code_point, size_t taken) {
    character_.clear();
    append_utf8(character_, code_point);
    put(character_, taken);
  }

 private:
  TextSpan take(size_t taken) {
    const std::string_view old = from_.text();
    const size_t at = taken == 0 || at_ >= old.size() ? (at_ > 0 ? at_ - 1 : 0) : at_;
    for (; taken > 0 && at_ < old.size(); --taken) next_character(old, at_);
    return from_.at(at);
  }

  const AlignedText& from_;
  AlignedText& to_;
  size_t at_ = 0;  // in the old text
  std::string character_;
};

}  // namespace lffn
