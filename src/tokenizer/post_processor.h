// SPDX-License-Identifier: Apache-2.0
// What becomes of the tokens of a text or a pair: truncated, and put between special tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tokenizer/aligned_text.h"

namespace lffn {

struct TemplatePart {
  enum class Kind : uint8_t { kSpecial, kFirst, kSecond } kind;
  int32_t type = 0;
  int32_t id = -1;  // of kSpecial
};
using Template = std::vector<TemplatePart>;

struct PostProcessing {
  Template single = {{TemplatePart::Kind::kFirst, 0, -1}};
  Template pair = {{TemplatePart::Kind::kFirst, 0, -1}, {TemplatePart::Kind::kSecond, 1, -1}};
  bool trims_spans = false;         // blanks at both ends of a token are left out of its span
  bool trims_after_prefix = false;  // but not a single leading one of a first token
  bool has_trimming = false;        // the kind of post-processor that has these settings
  bool is_roberta = false;
};

// The tokens of one text.
struct Sequence {
  std::vector<int32_t> ids;
  std::vector<TextSpan> spans;  // if wanted
  std::vector<int32_t> words;   // likewise: the word, or other piece of the text, that each token is a part of
  void clear() {
    ids.clear();
    spans.clear();
    words.clear();
  }
};

// The tokens of a text or a pair.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> types;
  std::vector<TextSpan> spans;   // if wanted; of special tokens that the template adds: 0, 0
  std::vector<int32_t> words;    // likewise; of those: -1
  std::vector<int8_t> texts;     // likewise: 0 or 1, of which text; of those: -1
  size_t num_tokens = 0;         // before truncation
  bool cut[2] = {false, false};  // which texts lost tokens
};

size_t count_special(const Template& parts);

// How many tokens each of two texts keeps, so that they have at most `most` together: the longer one loses tokens
// first.
struct Kept {
  size_t first;
  size_t second;
};
Kept cut_longest_first(size_t first, size_t second, size_t most);

struct Cutting {
  size_t most;              // tokens, special ones included
  bool left;                // the first tokens are cut, not the last
  bool first_only = false;  // the second text stays whole
};

// Fills all of the encoding. `second` may be nullptr. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) if the special tokens
// alone do not fit, or, with `first_only`, the special tokens and the second text do not.
void assemble(const PostProcessing& processing, const Sequence& first, const Sequence* second, bool special,
              bool want_spans, const Cutting& cutting, Encoding& to);

}  // namespace lffn
