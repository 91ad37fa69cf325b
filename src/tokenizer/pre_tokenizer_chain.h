// SPDX-License-Identifier: Apache-2.0
// Pre-tokenizers one after another, as Unigram's vocabularies want them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tokenizer/aligned_text.h"
#include "tokenizer/pre_tokenizer.h"

namespace lffn {

// What comes before a piece of text that does not begin with the sign for blanks: that sign always, only at the
// caller's text's start, or never.
enum class PrependScheme : uint8_t { kAlways, kFirst, kNever };

struct PreTokenizerStep {
  enum class Kind : uint8_t { kMetaspace, kWhitespaceSplit, kPunctuation } kind;
  // Of kMetaspace: blanks become this character.
  std::string replacement = "\u2581";
  PrependScheme scheme = PrependScheme::kAlways;
  bool split = true;  // before each such character
};

// What cut_pieces() works with and gives: the pieces lie in `text`, which is one of the others or the text given.
struct Pieces {
  const AlignedText* text = nullptr;
  std::vector<Word> pieces;
  AlignedText texts[2];
  std::vector<Word> spare;
};

// Whether pieces end at each single blank, and what stands behind one becomes what it becomes alone, unless it begins
// with the sign for blanks.
bool is_local(const std::vector<PreTokenizerStep>& steps);

// Cuts the part of the text. With a scheme kFirst the text must be aligned if it may be the start of the caller's.
void cut_pieces(const std::vector<PreTokenizerStep>& steps, const AlignedText& text, Word part, Pieces& to);

}  // namespace lffn
