// SPDX-License-Identifier: Apache-2.0
// Sets of characters, as expressions name them: characters, ranges, categories, and what is made of these.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "tokenizer/unicode.h"

namespace lffn {

class CharacterSet {
 public:
  CharacterSet() : CharacterSet(Kinds()) {}  // empty

  static CharacterSet range(uint32_t first, uint32_t last);
  template <typename Holds>  // holds(record): whether the set has all characters with this record
  static CharacterSet of_records(const Holds& holds) {
    Kinds kinds;
    for (size_t kind = 0; kind < kUnicodeRecordCount; ++kind) kinds[kind] = holds(kUnicodeRecords[kind]);
    return CharacterSet(kinds);
  }

  CharacterSet united(const CharacterSet& other) const;
  CharacterSet both(const CharacterSet& other) const;  // what is in both
  CharacterSet negated() const;

  bool has(uint32_t code_point) const {
    if (code_point < 128) return (ascii_[code_point / 64] >> code_point % 64 & 1) != 0;
    return has_wide(code_point);
  }
  // The end of the character that starts at `at`, inside the text, if the set has it; else `at`.
  size_t end_of(std::string_view text, size_t at) const {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 128) return (ascii_[byte / 64] >> byte % 64 & 1) != 0 ? at + 1 : at;
    size_t end = at;
    return has_wide(next_character(text, end)) ? end : at;
  }
  bool has_spaces_only() const;
  bool has_beyond_ascii() const;

 private:
  // Characters with the same record are alike, except where a range says otherwise.
  using Kinds = std::bitset<256>;
  struct Part {
    uint32_t end;  // behind the last character of this part
    Kinds kinds;
  };

  explicit CharacterSet(const Kinds& kinds) : parts_({{kUnicodeEnd, kinds}}) { note_ascii(); }
  static constexpr uint32_t kUnicodeEnd = 0x110000;

  template <typename Join>
  static CharacterSet joined(const CharacterSet& a, const CharacterSet& b, const Join& join);
  bool has_wide(uint32_t code_point) const;
  void note_ascii();

  std::vector<Part> parts_;  // side by side
  std::array<uint64_t, 2> ascii_ = {};
};

}  // namespace lffn
