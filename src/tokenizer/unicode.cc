// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/unicode.h"

#include <algorithm>
#include <iterator>

namespace lffn {

namespace {

// The place of a code point that is there.
size_t place_in(const uint32_t* sorted, size_t count, uint32_t code_point) {
  return static_cast<size_t>(std::lower_bound(sorted, sorted + count, code_point) - sorted);
}

}  // namespace

CodePoints lower_case(uint32_t code_point) {
  if (code_point < 0x80) return {{code_point - 'A' < 26 ? code_point + 32 : code_point}, 1};
  if (!unicode_record(code_point).has_lower()) return {{code_point}, 1};
  if (code_point == 0x130) return {{'i', 0x307}, 2};  // the only one that becomes two
  return {{kLowerTo[place_in(kLowerFrom, kLowerCount, code_point)]}, 1};
}

CodePoints decompose(uint32_t code_point) {
  if (!unicode_record(code_point).decomposes()) return {{code_point}, 1};
  constexpr uint32_t kHangul = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11A7, kVowels = 21, kTails = 28;
  const uint32_t syllable = code_point - kHangul;
  if (syllable < 19 * kVowels * kTails) {
    const uint32_t tail = syllable % kTails;
    return {{kLead + syllable / (kVowels * kTails), kVowel + syllable / kTails % kVowels, kTail + tail},
            tail == 0 ? size_t{2} : size_t{3}};
  }
  const size_t place = place_in(kDecomposed, kDecomposedCount, code_point);
  const size_t begin = place == 0 ? 0 : kDecomposedEnds[place - 1];
  CodePoints result = {{}, kDecomposedEnds[place] - begin};
  std::copy_n(kDecomposedParts + begin, result.size, result.values);
  return result;
}

bool is_chinese(uint32_t code_point) {
  constexpr uint32_t kRanges[][2] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},  {0x20000, 0x2A6DF},
                                     {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [&](const uint32_t* range) { return code_point >= range[0] && code_point <= range[1]; });
}

}  // namespace lffn
