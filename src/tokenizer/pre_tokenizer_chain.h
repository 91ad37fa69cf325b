// SPDX-License-Identifier: Apache-2.0
// Pre-tokenizers one after another: each cuts the pieces of the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tokenizer/aligned_text.h"
#include "tokenizer/pattern.h"
#include "tokenizer/pre_tokenizer.h"

namespace lffn {

// Whether a piece of text that does not begin with the sign for blanks gets one put before it: always, only at the
// start of the caller's text, or never.
enum class PrependScheme : uint8_t { kAlways, kFirst, kNever };

// What becomes of a match: a piece of its own; removed; one piece with the matches beside it; a part of the piece
// before it, or of the one behind it.
enum class SplitBehavior : uint8_t { kIsolated, kRemoved, kContiguous, kMergedWithPrevious, kMergedWithNext };

struct PreTokenizerStep {
  enum class Kind : uint8_t { kMetaspace, kWhitespaceSplit, kPunctuation, kDigits, kSplit, kByteLevel } kind;
  // Of kMetaspace: blanks become this character.
  std::string replacement = "\u2581";
  PrependScheme scheme = PrependScheme::kAlways;
  bool split = true;  // before each such character
  // Of kPunctuation, kDigits and kSplit.
  SplitBehavior behavior = SplitBehavior::kIsolated;
  // Of kSplit: what is looked for, or, inverted, what is between.
  Pattern pattern = {};
  bool inverted = false;
  // Of kByteLevel: put a blank before each piece that has none; cut as GPT-2 does; and in the end write the character
  // that stands for each byte, unless the merger reads bytes.
  bool add_prefix_space = false;
  bool use_regex = true;
  bool writes_bytes = true;
};

// What cut_pieces() works with and gives: the pieces lie in `text`, which is one of the others or the text given.
struct Pieces {
  const AlignedText* text = nullptr;
  std::vector<Word> pieces;
  AlignedText texts[2];
  std::vector<Word> spare;
  Pattern::Scratch search;
};

// Whether pieces end at each single blank, and the text behind it becomes the same as alone, unless it begins with the
// sign for blanks.
bool is_local(const std::vector<PreTokenizerStep>& steps);

// Cuts the part of the text. With a scheme kFirst the text must be aligned if it may be the start of the caller's.
// Throws Error(LFFN_ERROR_BAD_TEXT) where signs and blanks make the text far longer, LFFN_ERROR_CANCELLED if the flag
// is set; it may be nullptr.
void cut_pieces(const std::vector<PreTokenizerStep>& steps, const AlignedText& text, Word part, Pieces& to,
                const int32_t* cancel);

}  // namespace lffn
