// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/normalizer.h"

#include <algorithm>
#include <iterator>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
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

// One text that is being normalised.
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

  // Writes the waiting marks, sorted. The n-th mark that starts a character stands for the n-th character, however
  // sorting has mixed them: so the reference counts.
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
  TextSpan last_ = {0, 0};  // of the character that was written last
  std::string character_;
  AlignedText& to_;
  WaitingMarks& waiting_;
};

void Normalizer::normalize(std::string_view text, size_t begin, bool aligned, AlignedText& to, WaitingMarks& waiting,
                           const int32_t* cancel) const {
  to.limit_growth(text.size());
  to.clear(aligned);
  if (is_identity_ && !aligned) {
    to.assign(text);
    return;
  }
  waiting.marks.clear();
  waiting.from.clear();
  Run run(settings_, to, waiting);
  size_t at = 0;
  while (at < text.size()) {
    poll(cancel);
    const size_t start = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 128) {
      // Nearly all text is ASCII: nothing to decompose, and marks that follow are not sorted with it.
      ++at;
      if (ascii_[byte] != 0 || !settings_.clean_text) run.add_ascii(ascii_[byte], {begin + start, begin + at});
      continue;
    }
    const uint32_t code_point = next_character(text, at);
    run.add(code_point, {begin + start, begin + at});
  }
  run.flush();
}

namespace {

using Kind = NormalizerStep::Kind;

// The most bytes that a step makes of a text of one byte.
size_t growth(const NormalizerStep& step) {
  switch (step.kind) {
    case Kind::kPrecompiled:
      return std::max<size_t>(1, step.map->longest_text());
    case Kind::kForm:
      return step.form == UnicodeForm::kC || step.form == UnicodeForm::kD ? 3 : 11;
    case Kind::kReplace:
    case Kind::kPrepend:
      return step.text.size() + (step.kind == Kind::kPrepend ? 1 : 0);
    case Kind::kLowercase:
      return 2;
    default:
      return 1;
  }
}

// Each of these fills `to` and returns true, or returns false if nothing changes.
bool replace(const NormalizerStep& step, const AlignedText& text, AlignedText& to, const int32_t* cancel) {
  size_t done = 0;
  Pattern::Scratch search;
  search.begin(text.text().size());
  while (const std::optional<Pattern::Match> match = step.pattern.find(text.text(), done, search, cancel)) {
    poll(cancel);
    if (done == 0) to.clear(text.aligned());
    to.append(text, done, match->begin);
    // As the reference counts, the replacement comes from the last character that it replaces.
    to.append(step.text, text.at(match->end - 1));
    done = match->end;
  }
  if (done == 0) return false;
  to.append(text, done, text.text().size());
  return true;
}

bool prepend(const NormalizerStep& step, const AlignedText& text, AlignedText& to) {
  if (text.text().empty() || step.text.empty()) return false;
  to.clear(text.aligned());
  to.append(step.text, text.at(0));
  to.append(text, 0, text.text().size());
  return true;
}

bool strip(const NormalizerStep& step, const AlignedText& text, AlignedText& to, const int32_t* cancel) {
  const std::string_view all = text.text();
  size_t begin = 0, end = all.size();
  const auto is_blank = [&](size_t at) {
    poll(cancel);
    return unicode_record(next_character(all, at)).is_space();
  };
  while (step.right && end > 0 && is_blank(character_before(all, end))) end = character_before(all, end);
  while (step.left && begin < end && is_blank(begin)) next_character(all, begin);
  if (begin == 0 && end == all.size()) return false;
  to.clear(text.aligned());
  to.append(text, begin, end);
  return true;
}

bool lowercase(const AlignedText& text, AlignedText& to, const int32_t* cancel) {
  Rewriter rewriter(text, to);
  for (size_t at = 0; at < text.text().size();) {
    poll(cancel);
    const CodePoints lowered = lower_case(next_character(text.text(), at));
    for (size_t i = 0; i < lowered.size; ++i) rewriter.put(lowered.values[i], i == 0 ? 1 : 0);
  }
  return true;
}

bool strip_accents(const AlignedText& text, AlignedText& to, const int32_t* cancel) {
  to.clear(text.aligned());
  for (size_t at = 0; at < text.text().size();) {
    poll(cancel);
    const size_t begin = at;
    if (!unicode_record(next_character(text.text(), at)).is_any_mark()) to.append(text, begin, at);
  }
  return true;
}

// What the normalizer Nmt removes or makes a blank: SentencePiece's rules for translation, without those of NFKC.
struct NmtRule {
  uint32_t first, last;
  bool is_blank;  // else it is removed
};
constexpr NmtRule kNmtRules[] = {{0x1, 0x8, false},      {0x9, 0xA, true},       {0xB, 0xB, false},
                                 {0xC, 0xD, true},       {0xE, 0x1F, false},     {0x7F, 0x7F, false},
                                 {0x8F, 0x8F, false},    {0x9F, 0x9F, false},    {0x1680, 0x1680, true},
                                 {0x200B, 0x200F, true}, {0x2028, 0x2029, true}, {0x2581, 0x2581, true},
                                 {0xFEFF, 0xFEFF, true}, {0xFFFD, 0xFFFD, true}};

bool prepare_for_translation(const AlignedText& text, AlignedText& to, const int32_t* cancel) {
  to.clear(text.aligned());
  for (size_t at = 0; at < text.text().size();) {
    poll(cancel);
    const size_t begin = at;
    const uint32_t code_point = next_character(text.text(), at);
    const auto* const rule = std::find_if(std::begin(kNmtRules), std::end(kNmtRules), [&](const NmtRule& each) {
      return code_point >= each.first && code_point <= each.last;
    });
    if (rule == std::end(kNmtRules)) {
      to.append(text, begin, at);
    } else if (rule->is_blank) {
      to.append(' ', text.at(begin));
    }
  }
  return true;
}

bool apply(const NormalizerStep& step, const AlignedText& text, AlignedText& to, const int32_t* cancel) {
  switch (step.kind) {
    case Kind::kPrecompiled:
      return step.map->apply(text, to, cancel);
    case Kind::kForm:
      return bring_into_form(text, step.form, to, cancel);
    case Kind::kReplace:
      return replace(step, text, to, cancel);
    case Kind::kPrepend:
      return prepend(step, text, to);
    case Kind::kStrip:
      return strip(step, text, to, cancel);
    case Kind::kLowercase:
      return lowercase(text, to, cancel);
    case Kind::kStripAccents:
      return strip_accents(text, to, cancel);
    case Kind::kNmt:
      return prepare_for_translation(text, to, cancel);
  }
  return false;
}

// Whether the step can neither touch a single blank between two texts that stand_alone(), nor look past it. Strip is
// not applied to them, because their ends are not blanks.
bool is_local_step(const NormalizerStep& step) {
  switch (step.kind) {
    case Kind::kPrecompiled:
      return !step.map->find(" ");
    case Kind::kReplace:
      return !step.pattern.may_match_single_blank();
    default:
      return step.kind != Kind::kPrepend;
  }
}

// Whether neither end of the text is a blank, or joins a blank beside it.
bool stands_alone(std::string_view text) {
  if (text.empty()) return false;
  size_t at = 0, last_at = character_before(text, text.size());
  const uint32_t first = next_character(text, at), last = next_character(text, last_at);
  if (first > ' ' && first < 0x7F && last > ' ' && last < 0x7F) return true;
  const UnicodeRecord record = unicode_record(first);
  if (record.is_space() || record.order != 0 || unicode_record(last).is_space()) return false;
  const GraphemeBreak kind = grapheme_break(first);
  const bool joins_blank = kind == GraphemeBreak::kExtend || kind == GraphemeBreak::kJoiner ||
                           kind == GraphemeBreak::kSpacingMark || grapheme_break(last) == GraphemeBreak::kPrepend;
  return !joins_blank;
}

}  // namespace

NormalizerChain::NormalizerChain(const std::vector<NormalizerStep>& steps, const std::string& where) : steps_(steps) {
  constexpr size_t kMostGrowth = 4096, kMostSteps = 64;
  size_t product = 1;
  for (const NormalizerStep& step : steps) {
    product = std::min(product, kMostGrowth + 1) * std::max<size_t>(1, growth(step));
  }
  if (product > kMostGrowth || steps.size() > kMostSteps) {
    fail(LFFN_ERROR_BAD_MODEL,
         "%s: the normalizers could make a text more than %zu times as long, or are more than %zu", where.c_str(),
         kMostGrowth, kMostSteps);
  }
  is_local_ = std::all_of(steps.begin(), steps.end(), is_local_step);
}

bool NormalizerChain::normalize_part(std::string_view part, AlignedText& to, AlignedText& spare,
                                     const int32_t* cancel) const {
  if (!stands_alone(part)) return false;
  to.limit_growth(part.size());
  spare.limit_growth(part.size());
  to.assign(part);
  for (const NormalizerStep& step : steps_) {
    poll(cancel);
    if (step.kind == Kind::kStrip || !apply(step, to, spare, cancel)) continue;
    to.swap(spare);
    if (!stands_alone(to.text())) return false;
  }
  return true;
}

void NormalizerChain::normalize(std::string_view text, size_t begin, bool aligned, AlignedText& to, AlignedText& spare,
                                const int32_t* cancel) const {
  to.limit_growth(text.size());
  spare.limit_growth(text.size());
  if (aligned) {
    to.clear(true);
    for (size_t at = 0; at < text.size();) {
      poll(cancel);
      const size_t start = at;
      next_character(text, at);
      to.append(text.substr(start, at - start), {begin + start, begin + at});
    }
  } else {
    to.assign(text);
  }
  for (const NormalizerStep& step : steps_) {
    poll(cancel);
    if (apply(step, to, spare, cancel)) to.swap(spare);
  }
}

}  // namespace lffn
