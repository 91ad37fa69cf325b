// SPDX-License-Identifier: Apache-2.0
#include "texts/text_reading.h"

#include <algorithm>

#include "texts/white_space.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

// Whether the capital sigma that ends at `end` and begins at `begin` ends a word, which has a letter with case before
// it.
bool ends_word(std::string_view text, size_t begin, size_t end) {
  UnicodeRecord before = {0, 0}, after = {0, 0};
  do {
    if (begin == 0) return false;
    begin = character_before(text, begin);
    size_t at = begin;
    before = unicode_record(next_character(text, at));
  } while (before.is_case_ignorable());
  do {
    if (end == text.size()) return before.is_cased();
    after = unicode_record(next_character(text, end));
  } while (after.is_case_ignorable());
  return before.is_cased() && !after.is_cased();
}

}  // namespace

void lower(std::string_view text, std::string& to, ByteShifts* shifts) {
  constexpr uint32_t kCapitalSigma = 0x3a3, kFinalSigma = 0x3c2;
  to.clear();
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t character = next_character(text, at);
    if (character == kCapitalSigma && ends_word(text, begin, at)) {
      append_utf8(to, kFinalSigma);
      continue;
    }
    const size_t written = to.size();
    const CodePoints lowered = lower_case(character);
    for (size_t i = 0; i < lowered.size; ++i) append_utf8(to, lowered.values[i]);
    if (shifts != nullptr && to.size() - written != at - begin) shifts->add(to.size(), at);
  }
}

std::string_view TextReading::read(std::string_view given, const char* name, std::string_view prompt,
                                   const ReadingRules& rules) {
  given_ = given.size();
  repairs_.clear();
  shifts_.clear();
  stripped_ = 0;
  prompt_ = prompt.size();
  if (rules.repairs && valid_utf8_length(given) != given.size()) {
    repair_utf8(given, repaired_, &repairs_);
    given = repaired_;
  } else {
    // Checked before anything is prepended or removed, because the message counts the caller's bytes.
    check_utf8(given, name);
  }
  std::string_view text = given;
  if (!prompt.empty()) text = prompted_.assign(prompt).append(given);
  if (rules.strips) {
    const std::string_view stripped = strip(text);
    stripped_ = stripped.empty() ? 0 : static_cast<size_t>(stripped.data() - text.data());
    text = stripped;
  }
  if (!rules.lowers) return text;
  lower(text, lowered_, &shifts_);
  return lowered_;
}

TextSpan TextReading::given(const TextSpan& span) const {
  const auto place = [this](size_t at) {
    const size_t prompted = shifts_.from(at) + stripped_;
    return std::min(repairs_.from(prompted - std::min(prompted, prompt_)), given_);
  };
  return {place(span.begin), place(span.end)};
}

bool TextReading::in_prompt(const TextSpan& span) const {
  return prompt_ > 0 && shifts_.from(span.end) + stripped_ <= prompt_;
}

}  // namespace lffn
