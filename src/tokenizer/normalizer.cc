// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/normalizer.h"

#include <algorithm>

#include "format/utf8.h"
#include "tokenizer/unicode.h"

namespace lffn {

Normalizer::Normalizer(const NormalizerSettings& settings) : settings_(settings) {
  for (uint32_t byte = 0; byte < 128; ++byte) {
    uint32_t becomes = byte;
    if (settings_.clean_text && unicode_record(byte).is_dropped()) becomes = 0;
    if (settings_.clean_text && becomes != 0 && unicode_record(byte).is_space()) becomes = ' ';
    if (settings_.lowercase) becomes = lower_case(becomes).values[0];
    ascii_[byte] = static_cast<uint8_t>(becomes);
  }
  is_identity_ =
      !settings_.clean_text && !settings_.separate_chinese && !settings_.strip_accents && !settings_.lowercase;
}

// One text on its way.
class Normalizer::Run {
 public:
  Run(const NormalizerSettings& settings, AlignedText& to, WaitingMarks& waiting)
      : settings_(settings), to_(to), waiting_(waiting) {}

  void add(uint32_t code_point, const TextSpan& from) {
    if (settings_.clean_text) {
      const UnicodeRecord record = unicode_record(code_point);
      if (record.is_dropped()) return;
      if (record.is_space()) code_point = ' ';
    }
    if (settings_.separate_chinese && is_chinese(code_point)) {
      add_ascii(' ', from);
      add_decomposed(code_point, from);
      add_ascii(' ', from);
    } else {
      add_decomposed(code_point, from);
    }
  }

  void add_ascii(uint8_t becomes, const TextSpan& from) {
    flush();
    last_ = from;
    to_.append(static_cast<char>(becomes), from);
  }

  // Puts out the marks that wait, sorted. Each character's first mark stands for that character, in their order,
  // however the sorting mixes them: so the reference counts.
  void flush() {
    std::vector<WaitingMarks::Mark>& marks = waiting_.marks;
    if (marks.empty()) return;
    const auto before = [](const auto& a, const auto& b) { return a.order < b.order; };
    if (!std::is_sorted(marks.begin(), marks.end(), before)) std::stable_sort(marks.begin(), marks.end(), before);
    size_t character = 0;
    for (const WaitingMarks::Mark& mark : marks) {
      if (mark.starts && character < waiting_.from.size()) last_ = waiting_.from[character++];
      add_unaccented(mark.code_point, last_);
    }
    marks.clear();
    waiting_.from.clear();
  }

 private:
  void add_decomposed(uint32_t code_point, const TextSpan& from) {
    if (!settings_.strip_accents) return add_lowered(code_point, from);
    const CodePoints parts = decompose(code_point);
    for (size_t i = 0; i < parts.size; ++i) {
      const uint8_t order = unicode_record(parts.values[i]).order;
      if (order != 0) {
        waiting_.marks.push_back({parts.values[i], order, i == 0});
        if (i == 0) waiting_.from.push_back(from);
        continue;
      }
      flush();
      last_ = from;
      add_unaccented(parts.values[i], from);
    }
  }
  void add_unaccented(uint32_t code_point, const TextSpan& from) {
    if (!unicode_record(code_point).is_mark()) add_lowered(code_point, from);
  }
  void add_lowered(uint32_t code_point, const TextSpan& from) {
    const CodePoints lowered = settings_.lowercase ? lower_case(code_point) : CodePoints{{code_point}, 1};
    for (size_t i = 0; i < lowered.size; ++i) {
      character_.clear();
      append_utf8(character_, lowered.values[i]);
      to_.append(character_, from);
    }
  }

  const NormalizerSettings& settings_;
  TextSpan last_ = {0, 0};  // of the last one that was put out
  std::string character_;
  AlignedText& to_;
  WaitingMarks& waiting_;
};

void Normalizer::normalize(std::string_view text, size_t begin, bool aligned, AlignedText& to,
                           WaitingMarks& waiting) const {
  to.clear(aligned);
  if (is_identity_ && !aligned) {
    to.bytes() = text;
    return;
  }
  waiting.marks.clear();
  waiting.from.clear();
  Run run(settings_, to, waiting);
  size_t at = 0;
  while (at < text.size()) {
    const size_t start = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 128) {
      // Nearly all text: no decomposing, and marks that follow are not sorted with it.
      ++at;
      if (ascii_[byte] != 0 || !settings_.clean_text) run.add_ascii(ascii_[byte], {begin + start, begin + at});
      continue;
    }
    const uint32_t code_point = next_character(text, at);
    run.add(code_point, {begin + start, begin + at});
  }
  run.flush();
}

}  // namespace lffn
