// SPDX-License-Identifier: Apache-2.0
// What is done to a text before a tokenizer sees it, and which of the given bytes the result comes from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "format/utf8.h"
#include "tokenizer/aligned_text.h"

namespace lffn {

struct ReadingRules {
  bool repairs = false;  // what is not UTF-8 becomes U+FFFD; else it is an error
  bool strips = false;   // white space at both ends, as Python's str.strip() does it
  bool lowers = false;   // as Python's str.lower() does it
};

// One text at a time. It keeps its memory.
class TextReading {
 public:
  // The result is valid until the next call; `given` must last as long. Throws Error(LFFN_ERROR_BAD_TEXT) that names
  // the text.
  std::string_view read(std::string_view given, const char* name, std::string_view prompt, const ReadingRules& rules);

  // The bytes of the given text that a part of what was read stands for; none of the prompt.
  TextSpan given(const TextSpan& span) const;
  // Whether that part is the prompt's alone.
  bool in_prompt(const TextSpan& span) const;
  size_t given_size() const { return given_; }

 private:
  std::string repaired_, prompted_, lowered_;
  ByteShifts repairs_, shifts_;  // of the given text; of the stripped one with its prompt
  size_t given_ = 0, prompt_ = 0, stripped_ = 0;
};

// As Python's str.lower() does it. The text must be UTF-8; `shifts` may be nullptr.
void lower(std::string_view text, std::string& to, ByteShifts* shifts = nullptr);

}  // namespace lffn
