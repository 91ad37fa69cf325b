// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/normalizer_chain.h"

#include <algorithm>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "tokenizer/rewriter.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

using Kind = NormalizerStep::Kind;

// At most so many times as long a step makes a text of one byte.
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
  for (;;) {
    poll(cancel);
    const std::optional<Pattern::Match> match = step.pattern.find(text.text(), done);
    if (!match) break;
    if (done == 0) to.clear(text.aligned());
    to.append(text, done, match->begin);
    // As the reference counts: what comes in comes from the last character that goes.
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

bool strip(const NormalizerStep& step, const AlignedText& text, AlignedText& to) {
  const std::string_view all = text.text();
  size_t begin = 0, end = all.size();
  const auto is_blank = [&](size_t at) { return unicode_record(next_character(all, at)).is_space(); };
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
      return strip(step, text, to);
    case Kind::kLowercase:
      return lowercase(text, to, cancel);
    case Kind::kStripAccents:
      return strip_accents(text, to, cancel);
  }
  return false;
}

// Whether the step can neither touch a single blank between two texts that stand_alone(), nor look past it. What strips
// is not used for them: their ends are no blanks.
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

// Is nothing at either end of the text a part of what a blank there is?
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
  to.clear(false);
  to.bytes() = part;
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
  to.clear(aligned);
  if (aligned) {
    for (size_t at = 0; at < text.size();) {
      const size_t start = at;
      next_character(text, at);
      to.append(text.substr(start, at - start), {begin + start, begin + at});
    }
  } else {
    to.bytes() = text;
  }
  for (const NormalizerStep& step : steps_) {
    poll(cancel);
    if (apply(step, to, spare, cancel)) to.swap(spare);
  }
}

}  // namespace lffn
