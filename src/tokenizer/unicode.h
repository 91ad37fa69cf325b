// SPDX-License-Identifier: Apache-2.0
// What the tokenizers need to know of a character, by the Unicode version that the reference uses (see
// make_unicode_tables.py), and the normal forms of texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "format/utf8.h"
#include "tokenizer/aligned_text.h"

namespace lffn {

enum class UnicodeClass : uint8_t { kOther = 0, kLetter = 1, kNumber = 2, kSpace = 3 };  // \p{L}, \p{N}, \s

// The general categories that expressions name, \p{Lu}; marks, punctuation, signs and separators have one value each.
enum class UnicodeCategory : uint8_t {
  kOther,
  kUpperLetter,
  kLowerLetter,
  kTitleLetter,
  kModifierLetter,
  kOtherLetter,
  kMark,
  kDigit,
  kLetterNumber,
  kOtherNumber,
  kPunctuation,
  kSymbol,
  kSeparator
};

struct UnicodeRecord {
  uint16_t flags;
  uint8_t order;  // the canonical combining class: marks behind a character are sorted by it; 0 ends such a run

  UnicodeCategory category() const { return static_cast<UnicodeCategory>(flags >> 12); }
  UnicodeClass kind() const { return static_cast<UnicodeClass>(flags & 3); }
  bool is_space() const { return kind() == UnicodeClass::kSpace; }
  bool is_dropped() const { return (flags & 4) != 0; }       // control, format, private use, U+FFFD
  bool is_mark() const { return (flags & 8) != 0; }          // one that takes no room: an accent
  bool is_punctuation() const { return (flags & 16) != 0; }  // and ASCII's other signs
  bool has_lower() const { return (flags & 32) != 0; }
  bool decomposes() const { return (flags & 64) != 0; }
  bool is_word() const { return (flags & 128) != 0; }  // \w
  bool is_cased() const { return (flags & 256) != 0; }
  bool is_case_ignorable() const { return (flags & 512) != 0; }  // skipped: accents, apostrophes, full stops
  bool is_any_mark() const { return (flags & 1024) != 0; }       // also those that take room
  bool is_compatible() const { return (flags & 2048) != 0; }     // for compatibility: a ligature, a full-width letter
};

// Blocks that are alike are stored once.
extern const uint16_t kUnicodeBlockOf[];
extern const uint8_t kUnicodeBlocks[][128];
extern const UnicodeRecord kUnicodeRecords[];
extern const size_t kUnicodeRecordCount;

// What characters become; the tables are sorted by the characters in kLowerFrom, kDecomposed and kCompatible.
extern const uint32_t kLowerFrom[];
extern const uint32_t kLowerTo[];
extern const size_t kLowerCount;
extern const uint32_t kDecomposed[];
extern const uint16_t kDecomposedEnds[];
extern const uint32_t kDecomposedParts[];
extern const size_t kDecomposedCount;

extern const uint32_t kCompatible[];
extern const uint16_t kCompatibleEnds[];  // in kCompatibleText, which is UTF-8
extern const uint8_t kCompatibleText[];
extern const size_t kCompatibleCount;

struct Composition {
  uint32_t first;
  uint32_t second;
  uint32_t whole;
};
extern const Composition kCompositions[];
extern const size_t kCompositionCount;

struct BreakRange {
  uint32_t first;
  uint32_t last;
  uint8_t kind;
};
extern const BreakRange kBreakRanges[];
extern const size_t kBreakRangeCount;

// Characters of one kind have the same record.
inline uint8_t unicode_kind(uint32_t code_point) {
  return kUnicodeBlocks[kUnicodeBlockOf[code_point >> 7]][code_point & 127];
}
inline UnicodeRecord unicode_record(uint32_t code_point) { return kUnicodeRecords[unicode_kind(code_point)]; }

// A character becomes at most four.
struct CodePoints {
  uint32_t values[4];
  size_t size;
};
CodePoints lower_case(uint32_t code_point);  // whatever its neighbours are
CodePoints decompose(uint32_t code_point);   // canonically and fully
// What a character that is_compatible() decomposes into, as UTF-8.
std::string_view decompose_compatibly(uint32_t code_point);
uint32_t compose(uint32_t first, uint32_t second);  // 0: they stay two

// How a character joins its neighbours in a grapheme cluster, what a reader sees as one character.
enum class GraphemeBreak : uint8_t {
  kOther,
  kCarriageReturn,
  kLineFeed,
  kControl,
  kExtend,
  kJoiner,
  kRegionalIndicator,
  kPrepend,
  kSpacingMark,
  kLead,
  kVowel,
  kTail,
  kLeadVowel,
  kLeadVowelTail,
  kPictograph
};
GraphemeBreak grapheme_break(uint32_t code_point);

// The end of the cluster that begins at `at`, inside the text, which must be UTF-8. Follows all of Unicode's rules but
// the one on conjuncts of Indic scripts.
size_t cluster_end(std::string_view text, size_t at);

bool is_chinese(uint32_t code_point);  // what BERT sets apart: ideographs, no kana, no Hangul

// The four normal forms.
enum class UnicodeForm : uint8_t { kC, kD, kKc, kKd };

// Replaces `to` by the text in that form, in n log n time at most: marks behind a character are sorted. Returns false,
// and leaves `to` alone, if it is ASCII, which all forms leave alone. Throws Error(LFFN_ERROR_CANCELLED) if the flag is
// set; it may be nullptr.
bool bring_into_form(const AlignedText& text, UnicodeForm form, AlignedText& to, const int32_t* cancel);

// Writes a text anew, character by character, and records where each came from.
class Rewriter {
 public:
  Rewriter(const AlignedText& from, AlignedText& to) : from_(from), to_(to) { to.clear(from.aligned()); }

  // The character stands for the next `taken` characters of the old text and gets the span of the first of them. If it
  // stands for none, it gets the span of the character before them.
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
