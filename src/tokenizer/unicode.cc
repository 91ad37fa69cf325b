// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/unicode.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"

namespace lffn {
namespace {

// Hangul syllables are calculated, not listed.
constexpr uint32_t kHangul = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11A7;
constexpr uint32_t kLeads = 19, kVowels = 21, kTails = 28;

// The place of a code point that the table has.
size_t place_in(const uint32_t* sorted, size_t count, uint32_t code_point) {
  return static_cast<size_t>(std::lower_bound(sorted, sorted + count, code_point) - sorted);
}

// Whether two neighbours stay together, whatever stands before them.
bool joins(GraphemeBreak left, GraphemeBreak right) {
  using Break = GraphemeBreak;
  if (left == Break::kCarriageReturn) return right == Break::kLineFeed;
  const auto is_control = [](Break kind) {
    return kind == Break::kCarriageReturn || kind == Break::kLineFeed || kind == Break::kControl;
  };
  if (is_control(left) || is_control(right)) return false;
  if (right == Break::kExtend || right == Break::kJoiner || right == Break::kSpacingMark) return true;
  switch (left) {
    case Break::kPrepend:
      return true;
    case Break::kLead:
      return right == Break::kLead || right == Break::kVowel || right == Break::kLeadVowel ||
             right == Break::kLeadVowelTail;
    case Break::kVowel:
    case Break::kLeadVowel:
      return right == Break::kVowel || right == Break::kTail;
    case Break::kTail:
    case Break::kLeadVowelTail:
      return right == Break::kTail;
    default:
      return false;
  }
}

}  // namespace

CodePoints lower_case(uint32_t code_point) {
  if (code_point < 0x80) return {{code_point - 'A' < 26 ? code_point + 32 : code_point}, 1};
  if (!unicode_record(code_point).has_lower()) return {{code_point}, 1};
  if (code_point == 0x130) return {{'i', 0x307}, 2};  // the only one that becomes two
  return {{kLowerTo[place_in(kLowerFrom, kLowerCount, code_point)]}, 1};
}

CodePoints decompose(uint32_t code_point) {
  if (!unicode_record(code_point).decomposes()) return {{code_point}, 1};
  const uint32_t syllable = code_point - kHangul;
  if (syllable < kLeads * kVowels * kTails) {
    const uint32_t tail = syllable % kTails;
    return {{kLead + syllable / (kVowels * kTails), kVowel + syllable / kTails % kVowels, kTail + tail},
            tail == 0 ? size_t{2} : size_t{3}};
  }
  const size_t place = place_in(kDecomposed, kDecomposedCount, code_point);
  const size_t begin = place == 0 ? 0 : kDecomposedEnds[place - 1];
  CodePoints result = {{}, kDecomposedEnds[place] - begin};
  std::copy_n(kDecomposedParts + begin, result.size, result.values);
  return result;
}

std::string_view decompose_compatibly(uint32_t code_point) {
  const size_t place = place_in(kCompatible, kCompatibleCount, code_point);
  const size_t begin = place == 0 ? 0 : kCompatibleEnds[place - 1];
  return {reinterpret_cast<const char*>(kCompatibleText) + begin, kCompatibleEnds[place] - begin};
}

uint32_t compose(uint32_t first, uint32_t second) {
  if (second < 0x300) return 0;  // nearly all pairs
  if (first - kLead < kLeads && second - kVowel < kVowels) {
    return kHangul + ((first - kLead) * kVowels + (second - kVowel)) * kTails;
  }
  const uint32_t syllable = first - kHangul;
  if (syllable < kLeads * kVowels * kTails && syllable % kTails == 0 && second - kTail - 1 < kTails - 1) {
    return first + (second - kTail);
  }
  const Composition* end = kCompositions + kCompositionCount;
  const Composition* found = std::lower_bound(
      kCompositions, end, Composition{first, second, 0},
      [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.second < b.second; });
  return found != end && found->first == first && found->second == second ? found->whole : 0;
}

GraphemeBreak grapheme_break(uint32_t code_point) {
  if (code_point < 0x7F && code_point >= 0x20) return GraphemeBreak::kOther;
  const uint32_t syllable = code_point - kHangul;
  if (syllable < kLeads * kVowels * kTails) {
    return syllable % kTails == 0 ? GraphemeBreak::kLeadVowel : GraphemeBreak::kLeadVowelTail;
  }
  const BreakRange* end = kBreakRanges + kBreakRangeCount;
  const BreakRange* found = std::lower_bound(
      kBreakRanges, end, code_point, [](const BreakRange& range, uint32_t wanted) { return range.last < wanted; });
  return found != end && found->first <= code_point ? static_cast<GraphemeBreak>(found->kind) : GraphemeBreak::kOther;
}

size_t cluster_end(std::string_view text, size_t at) {
  using Break = GraphemeBreak;
  Break left = grapheme_break(next_character(text, at));
  bool is_picture = left == Break::kPictograph;     // and marks behind it
  bool is_joined = false;                           // and a joiner
  bool is_odd = left == Break::kRegionalIndicator;  // two such make a flag
  while (at < text.size()) {
    size_t next = at;
    const Break right = grapheme_break(next_character(text, next));
    const bool is_flag = is_odd && right == Break::kRegionalIndicator;
    if (!joins(left, right) && !(is_joined && right == Break::kPictograph) && !is_flag) break;
    is_joined = is_picture && right == Break::kJoiner;
    is_picture = right == Break::kPictograph || (is_picture && right == Break::kExtend);
    is_odd = right == Break::kRegionalIndicator && !is_flag;
    left = right;
    at = next;
  }
  return at;
}

bool is_chinese(uint32_t code_point) {
  constexpr uint32_t kRanges[][2] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},  {0x20000, 0x2A6DF},
                                     {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [&](const uint32_t* range) { return code_point >= range[0] && code_point <= range[1]; });
}

namespace {

// A character of the new text, and how many of the old one it stands for.
struct Part {
  uint32_t code_point;
  uint8_t order;
  size_t taken;
};

// Puts together what was taken apart.
class Composer {
 public:
  explicit Composer(Rewriter& to) : to_(to) {}

  void add(const Part& part) {
    if (!base_) {
      if (part.order != 0) return put(part);
      base_ = part;
      return;
    }
    // A mark that stays may stand between the base and what follows.
    const bool is_blocked = !waiting_.empty() && waiting_.back().order >= part.order;
    const uint32_t whole = is_blocked ? 0 : compose(base_->code_point, part.code_point);
    if (whole != 0) {
      // As the reference counts: two characters that became one stand for both.
      base_->code_point = whole;
      base_->taken += part.taken;
      return;
    }
    if (part.order != 0) return waiting_.push_back(part);
    finish();
    base_ = part;
  }

  void finish() {
    if (base_) put(*base_);
    base_.reset();
    for (const Part& part : waiting_) put(part);
    waiting_.clear();
  }

 private:
  void put(const Part& part) { to_.put(part.code_point, part.taken); }

  Rewriter& to_;
  std::optional<Part> base_;
  std::vector<Part> waiting_;
};

// Takes characters apart and sorts the marks behind each.
class Decomposer {
 public:
  Decomposer(UnicodeForm form, Rewriter& to)
      : compatibly_(form == UnicodeForm::kKc || form == UnicodeForm::kKd),
        composes_(form == UnicodeForm::kC || form == UnicodeForm::kKc),
        to_(to),
        composer_(to) {}

  void add(uint32_t code_point) {
    size_t taken = 1;
    const auto add_part = [&](uint32_t part) {
      add_sorted({part, unicode_record(part).order, taken});
      taken = 0;
    };
    if (compatibly_ && unicode_record(code_point).is_compatible()) {
      const std::string_view parts = decompose_compatibly(code_point);
      for (size_t at = 0; at < parts.size();) add_part(next_character(parts, at));
      return;
    }
    const CodePoints parts = decompose(code_point);
    for (size_t i = 0; i < parts.size; ++i) add_part(parts.values[i]);
  }

  void finish() {
    flush();
    composer_.finish();
  }

 private:
  void add_sorted(const Part& part) {
    if (part.order != 0) return marks_.push_back(part);
    flush();
    put(part);
  }
  void flush() {
    if (marks_.empty()) return;
    std::stable_sort(marks_.begin(), marks_.end(), [](const Part& a, const Part& b) { return a.order < b.order; });
    for (const Part& mark : marks_) put(mark);
    marks_.clear();
  }
  void put(const Part& part) {
    if (composes_) {
      composer_.add(part);
    } else {
      to_.put(part.code_point, part.taken);
    }
  }

  bool compatibly_, composes_;
  Rewriter& to_;
  Composer composer_;
  std::vector<Part> marks_;
};

}  // namespace

bool bring_into_form(const AlignedText& text, UnicodeForm form, AlignedText& to, const int32_t* cancel) {
  const std::string_view all = text.text();
  const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 128; };
  if (std::all_of(all.begin(), all.end(), is_ascii)) return false;
  Rewriter rewriter(text, to);
  Decomposer decomposer(form, rewriter);
  for (size_t at = 0; at < all.size();) {
    poll(cancel);
    decomposer.add(next_character(all, at));
  }
  decomposer.finish();
  return true;
}

}  // namespace lffn
