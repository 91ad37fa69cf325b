// SPDX-License-Identifier: Apache-2.0
// From the text of an expression to its code.
#include <algorithm>
#include <string>
#include <utility>

#include "format/utf8.h"
#include "tokenizer/expression.h"

namespace lffn {
namespace {

constexpr size_t kMostSource = 4096, kMostCode = 1024, kMostAlternatives = 32, kMostDepth = 16;
constexpr uint32_t kMostTimes = 64;

constexpr uint32_t kLongS = 0x17F, kKelvin = 0x212A;  // their other cases are in ASCII

bool is_ascii_letter(uint32_t code_point) { return (code_point | 32) - 'a' < 26; }

CharacterSet with_cases(uint32_t letter) {
  CharacterSet result = CharacterSet::range(letter, letter).united(CharacterSet::range(letter ^ 32, letter ^ 32));
  if ((letter | 32) == 's') result = result.united(CharacterSet::range(kLongS, kLongS));
  if ((letter | 32) == 'k') result = result.united(CharacterSet::range(kKelvin, kKelvin));
  return result;
}

// Whether a single character equals the two letters where case does not matter: it would match, too.
bool is_folded_pair(uint32_t first, uint32_t second) {
  const auto a = static_cast<char>(first | 32), b = static_cast<char>(second | 32);
  return (a == 's' && (b == 's' || b == 't')) || (a == 'f' && (b == 'f' || b == 'i' || b == 'l'));
}

CharacterSet words() {
  const auto is_word = [](const UnicodeRecord& record) { return record.is_word(); };
  return CharacterSet::of_records(is_word).both(CharacterSet::range(0x200C, 0x200D).negated());  // no joiners
}

// The class that the letter behind a backslash names. Outside a set, the reference's \w has six signs of Latin-1, too.
std::optional<CharacterSet> class_of(char name, bool in_set) {
  CharacterSet result;
  switch (name) {
    case 's':
    case 'S':
      result = CharacterSet::of_records([](const UnicodeRecord& record) { return record.is_space(); });
      break;
    case 'd':
    case 'D':
      result = CharacterSet::of_records(
          [](const UnicodeRecord& record) { return record.category() == UnicodeCategory::kDigit; });
      break;
    case 'w':
    case 'W':
      result = words();
      for (const uint32_t sign : {0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE}) {
        if (!in_set) result = result.united(CharacterSet::range(sign, sign));
      }
      break;
    default:
      return std::nullopt;
  }
  return name < 'a' ? result.negated() : result;
}

std::optional<CharacterSet> category_of(std::string_view name) {
  constexpr std::pair<std::string_view, std::pair<UnicodeCategory, UnicodeCategory>> kNames[] = {
      {"L", {UnicodeCategory::kUpperLetter, UnicodeCategory::kOtherLetter}},
      {"Lu", {UnicodeCategory::kUpperLetter, UnicodeCategory::kUpperLetter}},
      {"Ll", {UnicodeCategory::kLowerLetter, UnicodeCategory::kLowerLetter}},
      {"Lt", {UnicodeCategory::kTitleLetter, UnicodeCategory::kTitleLetter}},
      {"Lm", {UnicodeCategory::kModifierLetter, UnicodeCategory::kModifierLetter}},
      {"Lo", {UnicodeCategory::kOtherLetter, UnicodeCategory::kOtherLetter}},
      {"M", {UnicodeCategory::kMark, UnicodeCategory::kMark}},
      {"N", {UnicodeCategory::kDigit, UnicodeCategory::kOtherNumber}},
      {"Nd", {UnicodeCategory::kDigit, UnicodeCategory::kDigit}},
      {"Nl", {UnicodeCategory::kLetterNumber, UnicodeCategory::kLetterNumber}},
      {"No", {UnicodeCategory::kOtherNumber, UnicodeCategory::kOtherNumber}},
      {"P", {UnicodeCategory::kPunctuation, UnicodeCategory::kPunctuation}},
      {"S", {UnicodeCategory::kSymbol, UnicodeCategory::kSymbol}},
      {"Z", {UnicodeCategory::kSeparator, UnicodeCategory::kSeparator}}};
  for (const auto& [known, range] : kNames) {
    if (known != name) continue;
    return CharacterSet::of_records([&, first = range.first, last = range.second](const UnicodeRecord& record) {
      return record.category() >= first && record.category() <= last;
    });
  }
  return std::nullopt;
}

}  // namespace

// Fails for anything that it does not know.
class ExpressionParser {
 public:
  using Instruction = Expression::Instruction;
  using Kind = Instruction::Kind;
  static constexpr uint32_t kEndless = Expression::kEndless;

  ExpressionParser(std::string_view source, Expression& to) : source_(source), to_(to) {}

  bool parse() {
    for (;;) {
      if (to_.alternatives_.size() == kMostAlternatives) return false;
      to_.alternatives_.push_back(here());
      bool may_be_empty = true;
      if (!parse_row(may_be_empty) || may_be_empty) return false;
      add({Kind::kMatch});
      if (at_end()) break;
      if (!take('|')) return false;
    }
    return to_.code_.size() <= kMostCode;
  }

 private:
  uint32_t here() const { return static_cast<uint32_t>(to_.code_.size()); }
  void add(const Instruction& instruction) { to_.code_.push_back(instruction); }
  uint32_t number_of(CharacterSet&& set) {
    to_.sets_.push_back(std::move(set));
    return static_cast<uint32_t>(to_.sets_.size() - 1);
  }

  bool at_end() const { return at_ == source_.size(); }
  bool sees(char wanted) const { return !at_end() && source_[at_] == wanted; }
  bool take(char wanted) {
    if (!sees(wanted)) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view wanted) {
    if (source_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  // Items side by side, up to '|', ')' or the end.
  bool parse_row(bool& may_be_empty) {
    last_letter_ = 0;
    while (!at_end() && !sees('|') && !sees(')')) {
      if (here() > kMostCode) return false;
      bool is_empty = false;
      if (!parse_item(is_empty)) return false;
      may_be_empty = may_be_empty && is_empty;
    }
    return true;
  }

  bool parse_item(bool& may_be_empty) {
    if (take("(?!") || take("(?="))
      return parse_ahead(source_[at_ - 1] == '=' ? Kind::kAhead : Kind::kNotAhead, may_be_empty);
    if (take('$')) {
      may_be_empty = true;
      add({Kind::kNotAhead, number_of(CharacterSet::range('\n', '\n').negated())});
      return true;
    }
    if (sees('(')) return parse_group(may_be_empty);
    CharacterSet set;
    uint32_t letter = 0;
    if (!parse_set(set, letter)) return false;
    const bool is_folded = ignores_case_ && letter != 0 && last_letter_ != 0 && is_folded_pair(last_letter_, letter);
    if (is_folded) return false;
    last_letter_ = letter;
    const uint32_t number = number_of(std::move(set));
    Times times;
    if (!parse_times(times)) return false;
    may_be_empty = times.least == 0;
    for (uint32_t i = 0; i < times.least; ++i) add({Kind::kSet, number});
    const uint32_t more = times.most == kEndless ? kEndless : times.most - times.least;
    if (more > 0) add({times.is_firm ? Kind::kFirm : Kind::kRow, number, 0, more});
    // "{1,3}+" is a row of rows, as the reference reads it.
    return !times.is_again || repeat(here() - (times.least + (more > 0 ? 1 : 0)), {1, kEndless}, may_be_empty);
  }

  bool parse_ahead(Kind kind, bool& may_be_empty) {
    CharacterSet set;
    uint32_t letter = 0;
    may_be_empty = true;
    if (ignores_case_ || at_end() || !parse_set(set, letter) || !take(')')) return false;
    add({kind, number_of(std::move(set))});
    return true;
  }

  bool parse_group(bool& may_be_empty) {
    const bool ignored = ignores_case_;
    if (++depth_ > kMostDepth) return false;
    if (take("(?i:")) {
      ignores_case_ = true;
    } else if (!take("(?:") && !(take('(') && !sees('?'))) {
      return false;
    }
    const uint32_t begin = here();
    if (!parse_alternatives(may_be_empty) || !take(')')) return false;
    ignores_case_ = ignored;
    --depth_;
    last_letter_ = 0;
    Times times;
    if (!parse_times(times) || times.is_firm || times.is_again) return false;
    return repeat(begin, times, may_be_empty);
  }

  // Each alternative but the last has a split before it and a jump behind it.
  bool parse_alternatives(bool& may_be_empty) {
    std::vector<uint32_t> jumps;
    may_be_empty = false;
    for (;;) {
      const uint32_t begin = here();
      bool is_empty = true;
      if (!parse_row(is_empty)) return false;
      may_be_empty = may_be_empty || is_empty;
      if (!take('|')) break;
      insert({Kind::kSplit, 0, 0}, begin);
      jumps.push_back(here());
      add({Kind::kJump});
      to_.code_[begin].to = here();
    }
    for (const uint32_t jump : jumps) to_.code_[jump].to = here();
    return true;
  }

  // Inserts an instruction; those behind it move on.
  void insert(const Instruction& instruction, uint32_t at) {
    to_.code_.insert(to_.code_.begin() + at, instruction);
    for (uint32_t i = at + 1; i < here(); ++i) {
      Instruction& each = to_.code_[i];
      if ((each.kind == Kind::kSplit || each.kind == Kind::kJump) && each.to >= at) ++each.to;
    }
  }

  struct Times {
    uint32_t least = 1, most = 1;
    bool is_firm = false;
    bool is_again = false;
  };

  // Repeats the code from `begin` on.
  bool repeat(uint32_t begin, const Times& times, bool& may_be_empty) {
    if (times.least == 1 && times.most == 1) return true;
    const bool is_endless = times.most == kEndless;
    if (may_be_empty && is_endless) return false;
    may_be_empty = may_be_empty || times.least == 0;
    const std::vector<Instruction> body(to_.code_.begin() + begin, to_.code_.end());
    to_.code_.resize(begin);
    const auto append = [&] {
      const uint32_t shift = here() - begin;
      for (Instruction each : body) {
        if (each.kind == Kind::kSplit || each.kind == Kind::kJump) each.to += shift;
        add(each);
      }
    };
    const uint32_t copies = is_endless ? times.least + 1 : times.most;
    if (copies * (body.size() + 2) > kMostCode) return false;
    for (uint32_t i = 0; i < times.least; ++i) append();
    if (is_endless) {
      const uint32_t split = here();
      add({Kind::kSplit});
      append();
      add({Kind::kJump, 0, split});
      to_.code_[split].to = here();
      return true;
    }
    std::vector<uint32_t> splits;
    for (uint32_t i = times.least; i < times.most; ++i) {
      splits.push_back(here());
      add({Kind::kSplit});
      append();
    }
    for (const uint32_t split : splits) to_.code_[split].to = here();
    return true;
  }

  bool parse_times(Times& times) {
    if (take('?')) {
      times = {0, 1};
    } else if (take('*')) {
      times = {0, kEndless};
    } else if (take('+')) {
      times = {1, kEndless};
    } else if (take('{')) {
      if (!parse_number(times.least)) return false;
      times.most = times.least;
      if (take(',')) {
        times.most = kEndless;
        if (!sees('}') && !parse_number(times.most)) return false;
      }
      if (!take('}') || times.most == 0 || times.least > times.most) return false;
      times.is_again = take('+');
      return !sees('?') && !sees('+') && !sees('*') && !sees('{');
    } else {
      return true;
    }
    times.is_firm = take('+');
    return !sees('?') && !sees('+') && !sees('*') && !sees('{');
  }
  bool parse_number(uint32_t& number) {
    const size_t start = at_;
    for (number = 0; !at_end() && source_[at_] >= '0' && source_[at_] <= '9' && number <= kMostTimes; ++at_) {
      number = number * 10 + static_cast<uint32_t>(source_[at_] - '0');
    }
    return at_ > start && number <= kMostTimes;
  }

  // One character, which `letter` becomes, or one set.
  bool parse_set(CharacterSet& to, uint32_t& letter) {
    if (take('[')) return parse_listed(to);
    if (take('.')) {
      to = CharacterSet::range('\n', '\n').negated();
      return true;
    }
    if (std::string_view("^$*?+()|{}]").find(source_[at_]) != std::string_view::npos) return false;
    return parse_one(to, letter, false);
  }

  // What follows '['. It may have sets in it, and "&&" for what both sides have.
  bool parse_listed(CharacterSet& to) {
    if (++depth_ > kMostDepth) return false;
    const bool is_negated = take('^');
    std::optional<CharacterSet> before;
    CharacterSet listed;
    bool is_first = true;
    for (; is_first || !sees(']'); is_first = false) {
      if (at_end()) return false;
      if (take("&&")) {
        before = before ? before->both(listed) : listed;
        listed = CharacterSet();
        continue;
      }
      CharacterSet one;
      if (take('[')) {
        if (sees(':') || !parse_listed(one)) return false;
      } else if (!parse_range(one)) {
        return false;
      }
      listed = listed.united(one);
    }
    ++at_;
    --depth_;
    to = before ? before->both(listed) : listed;
    if (is_negated) to = to.negated();
    return true;
  }
  bool parse_range(CharacterSet& to) {
    if (sees(']')) return false;  // the reference warns of it
    uint32_t first = 0, last = 0;
    if (!parse_one(to, first, true)) return false;
    if (!sees('-')) return true;
    if (source_.substr(at_ + 1, 1) == "]") return true;  // a '-' before ']' is itself, and comes next
    if (first == 0) return false;
    ++at_;
    if (at_end() || sees('[') || !parse_one(to, last, true) || last < first) return false;
    if (ignores_case_) return false;
    to = CharacterSet::range(first, last);
    return true;
  }

  // A character, which `letter` becomes, or a kind of characters.
  bool parse_one(CharacterSet& to, uint32_t& letter, bool in_set) {
    uint32_t code_point = next_character(source_, at_);
    if (code_point == '\\') {
      if (at_end()) return false;
      const uint32_t escaped = next_character(source_, at_);
      if (escaped >= 128) return false;
      const auto name = static_cast<char>(escaped);
      if (name == 'p' || name == 'P') return parse_category(name == 'P', to);
      if (const std::optional<CharacterSet> found = class_of(name, in_set)) {
        to = *found;
        return true;
      }
      constexpr std::string_view kNames = "nrtfv", kControls = "\n\r\t\f\v";
      const size_t control = kNames.find(name);
      const bool is_plain = unicode_record(escaped).is_punctuation() || name == ' ';
      if (control == std::string_view::npos && !is_plain) return false;
      code_point = is_plain ? escaped : static_cast<unsigned char>(kControls[control]);
    }
    letter = code_point;
    to = CharacterSet::range(code_point, code_point);
    if (!ignores_case_) return code_point != 0;
    if (code_point >= 128) return false;  // its other cases are not known here
    if (is_ascii_letter(code_point)) to = with_cases(code_point);
    return code_point != 0;
  }

  // What follows "\p": "{Lu}", "{^Lu}".
  bool parse_category(bool is_negated, CharacterSet& to) {
    if (!take('{')) return false;
    if (take('^')) is_negated = !is_negated;
    const size_t end = source_.find('}', at_);
    if (end == std::string_view::npos || ignores_case_) return false;
    const std::optional<CharacterSet> found = category_of(source_.substr(at_, end - at_));
    if (!found) return false;
    at_ = end + 1;
    to = is_negated ? found->negated() : *found;
    return true;
  }

  std::string_view source_;
  Expression& to_;
  size_t at_ = 0;
  size_t depth_ = 0;
  bool ignores_case_ = false;
  uint32_t last_letter_ = 0;
};

std::optional<Expression> Expression::parse(std::string_view source) {
  Expression result;
  if (source.size() > kMostSource || !ExpressionParser(source, result).parse()) return std::nullopt;
  result.note_starts();
  result.note_order();
  return result;
}

}  // namespace lffn
