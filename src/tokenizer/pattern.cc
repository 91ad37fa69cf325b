// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/pattern.h"

#include <algorithm>

#include "format/utf8.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

constexpr size_t kMostTimes = 64;  // so many characters may be looked at in vain at each place

bool is_of_kind(uint32_t code_point, char kind) {
  const UnicodeRecord record = unicode_record(code_point);
  switch (kind) {
    case 's':
      return record.is_space();
    case 'S':
      return !record.is_space();
    case 'w':
      return record.is_word();
    default:
      return !record.is_word();
  }
}

}  // namespace

bool Pattern::Set::has(uint32_t code_point) const {
  const auto holds = [&](const auto& range) { return code_point >= range.first && code_point <= range.second; };
  const auto is_kind = [&](char kind) { return is_of_kind(code_point, kind); };
  return (std::any_of(ranges.begin(), ranges.end(), holds) || std::any_of(kinds.begin(), kinds.end(), is_kind)) !=
         negated;
}

bool Pattern::Set::has_spaces_only() const {
  const auto is_space = [](const auto& range) {
    return range.first == range.second && unicode_record(range.first).is_space();
  };
  return !negated && std::all_of(ranges.begin(), ranges.end(), is_space) &&
         kinds.find_first_not_of('s') == std::string::npos;
}

bool Pattern::may_match_single_blank() const {
  return std::any_of(alternatives_.begin(), alternatives_.end(), [](const Alternative& alternative) {
    const std::vector<Set>& row = alternative.row;
    if (row.size() == 1 && alternative.least >= 2 && row[0].has_spaces_only()) return false;
    return std::any_of(row.begin(), row.end(), [](const Set& set) { return set.has(' '); });
  });
}

// Reads an expression; what it does not know makes it fail.
class Pattern::Parser {
 public:
  explicit Parser(std::string_view source) : source_(source) {}

  bool parse(std::vector<Alternative>& to) {
    do {
      Alternative alternative;
      if (!parse_row(alternative)) return false;
      to.push_back(std::move(alternative));
    } while (take('|'));
    return at_ == source_.size();
  }

 private:
  bool at_end() const { return at_ == source_.size(); }
  bool take(char wanted) {
    if (at_end() || source_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool parse_row(Alternative& to) {
    while (!at_end() && source_[at_] != '|') {
      Set set;
      if (!parse_set(set)) return false;
      to.row.push_back(std::move(set));
      if (at_end() || (source_[at_] != '+' && source_[at_] != '{')) continue;
      if (to.row.size() > 1 || !parse_times(to)) return false;
      return at_end() || source_[at_] == '|';
    }
    return !to.row.empty();
  }

  bool parse_times(Alternative& to) {
    if (take('+')) {
      to.most = SIZE_MAX;
      return true;
    }
    ++at_;
    if (!parse_number(to.least)) return false;
    to.most = to.least;
    if (take(',') && (at_end() || source_[at_] == '}')) {
      to.most = SIZE_MAX;
    } else if (source_[at_ - 1] == ',' && !parse_number(to.most)) {
      return false;
    }
    return take('}') && to.least > 0 && to.least <= to.most;
  }
  bool parse_number(size_t& number) {
    const size_t start = at_;
    for (number = 0; !at_end() && source_[at_] >= '0' && source_[at_] <= '9' && number <= kMostTimes; ++at_) {
      number = number * 10 + static_cast<size_t>(source_[at_] - '0');
    }
    return at_ > start && number <= kMostTimes;
  }

  bool parse_set(Set& to) {
    if (take('[')) return parse_listed(to);
    if (std::string_view("^$.*?+()]{}").find(source_[at_]) != std::string_view::npos) return false;
    return parse_one(to);
  }
  bool parse_listed(Set& to) {
    to.negated = take('^');
    while (!at_end() && source_[at_] != ']') {
      if (source_[at_] == '[' || source_[at_] == '&') return false;
      const size_t kinds = to.kinds.size();
      if (!parse_one(to)) return false;
      if (at_end() || source_[at_] != '-' || to.kinds.size() != kinds) continue;
      ++at_;
      if (at_end() || source_[at_] == ']' || source_[at_] == '[') return false;
      const uint32_t first = to.ranges.back().first;
      to.ranges.pop_back();
      if (!parse_one(to) || to.kinds.size() != kinds || to.ranges.back().first < first) return false;
      to.ranges.back().first = first;
    }
    return take(']') && !(to.ranges.empty() && to.kinds.empty());
  }
  // A character, or a kind of characters.
  bool parse_one(Set& to) {
    uint32_t code_point = next_character(source_, at_);
    if (code_point == '\\') {
      if (at_end()) return false;
      const uint32_t escaped = next_character(source_, at_);
      if (escaped < 128 && std::string_view("sSwW").find(static_cast<char>(escaped)) != std::string_view::npos) {
        to.kinds += static_cast<char>(escaped);
        return true;
      }
      constexpr std::string_view kNames = "nrtfv", kControls = "\n\r\t\f\v";
      const size_t control = escaped < 128 ? kNames.find(static_cast<char>(escaped)) : std::string_view::npos;
      const bool is_plain = escaped < 128 && unicode_record(escaped).is_punctuation();
      if (control == std::string_view::npos && !is_plain) return false;
      code_point = is_plain ? escaped : static_cast<unsigned char>(kControls[control]);
    }
    to.ranges.emplace_back(code_point, code_point);
    return true;
  }

  std::string_view source_;
  size_t at_ = 0;
};

Pattern Pattern::of_text(std::string text) {
  Pattern result;
  Alternative all;
  for (size_t at = 0; at < text.size();) {
    const uint32_t code_point = next_character(text, at);
    all.row.emplace_back().ranges.emplace_back(code_point, code_point);
  }
  if (!text.empty()) result.alternatives_.push_back(std::move(all));
  result.source_ = std::move(text);
  result.note_starts();
  return result;
}

std::optional<Pattern> Pattern::of_regex(std::string_view source) {
  Pattern result;
  result.source_ = source;
  result.is_regex_ = true;
  if (!Parser(source).parse(result.alternatives_)) return std::nullopt;
  result.note_starts();
  return result;
}

void Pattern::note_starts() {
  for (const Alternative& alternative : alternatives_) {
    const Set& first = alternative.row[0];
    for (uint32_t byte = 0; byte < 128; ++byte) may_start_[byte] = may_start_[byte] || first.has(byte);
    const bool has_more =
        first.negated || !first.kinds.empty() ||
        std::any_of(first.ranges.begin(), first.ranges.end(), [](const auto& range) { return range.second >= 128; });
    for (size_t byte = 0xC0; byte < 256; ++byte) may_start_[byte] = may_start_[byte] || has_more;
  }
}

size_t Pattern::match_end(std::string_view text, const Alternative& alternative, size_t at) const {
  size_t end = at;
  if (alternative.row.size() > 1) {
    for (const Set& set : alternative.row) {
      if (end == text.size() || !set.has(next_character(text, end))) return at;
    }
    return end;
  }
  size_t times = 0;
  while (times < alternative.most && end < text.size()) {
    size_t next = end;
    if (!alternative.row[0].has(next_character(text, next))) break;
    end = next;
    ++times;
  }
  return times < alternative.least ? at : end;
}

std::optional<Pattern::Match> Pattern::find(std::string_view text, size_t from) const {
  for (size_t at = from; at < text.size(); ++at) {
    if (!may_start_[static_cast<unsigned char>(text[at])]) continue;
    for (const Alternative& alternative : alternatives_) {
      const size_t end = match_end(text, alternative, at);
      if (end > at) return Match{at, end};
    }
  }
  return std::nullopt;
}

}  // namespace lffn
