// SPDX-License-Identifier: Apache-2.0
// SentencePiece's precompiled normalization rules: what characters and short runs of them become.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/aligned_text.h"

namespace lffn {

class CharacterMap {
 public:
  // The rules as they stand in files: the size of a trie, a double array of 32-bit units, then the replacements, each
  // ended by a zero byte. Throws Error(LFFN_ERROR_BAD_MODEL), which begins with `where`.
  CharacterMap(std::string_view rules, const std::string& where);

  // The replacement for the shortest beginning of the text that has a rule; nullopt: none has.
  std::optional<std::string_view> find(std::string_view text) const;

  // Replaces `to`. A grapheme cluster of fewer than six bytes whose beginning has a rule is replaced as a whole.
  // Otherwise each of its characters that has a rule is replaced. The reference does the same. Returns false, and
  // leaves `to` alone, if nothing changes. Throws Error(LFFN_ERROR_CANCELLED) if the flag is set; it may be nullptr.
  bool apply(const AlignedText& text, AlignedText& to, const int32_t* cancel) const;

  std::string rules() const;
  size_t longest_text() const { return longest_text_; }  // bytes that a rule can make of one
  size_t bytes() const {
    return units_.capacity() * sizeof(uint32_t) + texts_.capacity() + stays_.capacity() * sizeof(uint64_t);
  }

 private:
  bool stays(uint32_t code_point) const {
    return code_point < kKnown && (stays_[code_point / 64] >> code_point % 64 & 1) != 0;
  }
  size_t plain_end(std::string_view text, size_t at) const;

  std::vector<uint32_t> units_;
  std::string texts_;
  size_t longest_text_ = 0;
  // One bit for each character below kKnown, as nearly all are: it has no rule, and two such characters never join.
  static constexpr uint32_t kKnown = 1 << 16;
  std::vector<uint64_t> stays_;
};

// Bytes as text.

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);  // nullopt: it is not base64

}  // namespace lffn
