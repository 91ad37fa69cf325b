// What the pre-tokenising pattern asks of a character: \p{L}, \p{N}, \s or none of them.
#pragma once

#include <cstdint>

namespace lffn {

enum class UnicodeClass : uint8_t { kOther = 0, kLetter = 1, kNumber = 2, kSpace = 3 };

// Two bits for each character of a block; blocks that are alike are stored once. From kUnicodeEnd on all are kOther.
extern const uint32_t kUnicodeEnd;
extern const uint8_t kUnicodeBlockOf[];
extern const uint64_t kUnicodeBlocks[];  // eight for each block

inline UnicodeClass unicode_class(uint32_t code_point) {
  if (code_point >= kUnicodeEnd) return UnicodeClass::kOther;
  const uint64_t word = kUnicodeBlocks[kUnicodeBlockOf[code_point >> 8] * 8 + (code_point >> 5 & 7)];
  return static_cast<UnicodeClass>(word >> 2 * (code_point & 31) & 3);
}

}  // namespace lffn
