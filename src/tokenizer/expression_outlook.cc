// SPDX-License-Identifier: Apache-2.0
// Matching without trying: from the end of the text to its start, the instructions that lead to a match are noted for
// each place, so that on the way forward no choice is wrong. That takes as many steps as the characters of the text
// times the instructions of the expression, whatever they are. Only each block's last row is kept; a block's rows are
// made again when a match comes there.
#include <algorithm>

#include "runtime/cancel_flag.h"
#include "tokenizer/expression.h"

namespace lffn {
namespace {

constexpr size_t kBlock = 1024;  // bytes of text; a character begins in each

}  // namespace

// The order in which a row is made: an instruction comes behind those that it goes on to at the same place. There are
// no cycles, because what is repeated without end takes a character each time.
void Expression::note_order() {
  using Kind = Instruction::Kind;
  enum : uint8_t { kNew, kWaiting, kDone };
  std::vector<uint8_t> state(code_.size(), kNew);
  std::vector<uint32_t> waiting;
  for (uint32_t first = 0; first < code_.size(); ++first) {
    waiting.push_back(first);
    while (!waiting.empty()) {
      const uint32_t code = waiting.back();
      if (state[code] != kNew) {
        waiting.pop_back();
        if (state[code] == kWaiting) order_.push_back(code);
        state[code] = kDone;
        continue;
      }
      state[code] = kWaiting;
      const Instruction& each = code_[code];
      const bool goes_to = each.kind == Kind::kSplit || each.kind == Kind::kJump;
      const bool goes_on = each.kind != Kind::kSet && each.kind != Kind::kJump && each.kind != Kind::kMatch;
      if (goes_to && state[each.to] == kNew) waiting.push_back(each.to);
      if (goes_on && state[code + 1] == kNew) waiting.push_back(code + 1);
    }
  }
}

// Makes the values at `at` from those of the next character, `next`. Not 0: a match can be completed from there. For a
// row with a bound it is one more than the fewest characters that it must take.
void Expression::note_row(std::string_view text, size_t at, const uint8_t* next, uint8_t* row) const {
  using Kind = Instruction::Kind;
  const bool is_end = at == text.size();
  const uint32_t code_point = is_end ? 0 : next_character(text, at);
  for (const uint32_t code : order_) {
    const Instruction& each = code_[code];
    const auto fits = [&] { return !is_end && sets_[each.set].has(code_point); };
    uint8_t value = 0;
    switch (each.kind) {
      case Kind::kMatch:
        value = 1;
        break;
      case Kind::kSet:
        value = fits() && next[code + 1] != 0;
        break;
      case Kind::kAhead:
        value = row[code + 1] != 0 && fits();
        break;
      case Kind::kNotAhead:
        value = row[code + 1] != 0 && !fits();
        break;
      case Kind::kJump:
        value = row[each.to] != 0;
        break;
      case Kind::kSplit:
        value = row[code + 1] != 0 || row[each.to] != 0;
        break;
      case Kind::kFirm:
        value = fits() ? next[each.most == kEndless ? code : code + 1] != 0 : row[code + 1] != 0;
        break;
      case Kind::kRow:
        if (row[code + 1] != 0) {
          value = 1;
        } else if (each.most == kEndless) {
          value = next[code] != 0 && fits();
        } else if (next[code] != 0 && next[code] <= each.most && fits()) {
          value = static_cast<uint8_t>(next[code] + 1);
        }
        break;
    }
    row[code] = value;
  }
}

void Expression::make_outlook(std::string_view text, size_t from, Scratch& scratch, const int32_t* cancel) const {
  Scratch::Outlook& outlook = scratch.outlook;
  const size_t width = code_.size(), bytes = text.size() - from;
  outlook.origin = from;
  outlook.block = SIZE_MAX;
  outlook.rows.resize(std::min(kBlock, bytes + 1) * width);
  outlook.behind.assign((bytes / kBlock + 1) * width, 0);
  outlook.last.assign(2 * width, 0);
  uint8_t* row = outlook.last.data();
  uint8_t* next = row + width;
  size_t at = text.size();
  note_row(text, at, next, row);
  while (at > from) {
    poll(cancel);
    const size_t before = character_before(text, at), block = (before - from) / kBlock;
    if (block != (at - from) / kBlock) std::copy_n(row, width, outlook.behind.data() + block * width);
    at = before;
    std::swap(row, next);
    note_row(text, at, next, row);
    scratch.foreseen += width;
  }
  scratch.has_outlook = true;
}

void Expression::enter_block(std::string_view text, size_t at, Scratch& scratch, const int32_t* cancel) const {
  Scratch::Outlook& outlook = scratch.outlook;
  const size_t width = code_.size(), block = (at - outlook.origin) / kBlock;
  if (block == outlook.block) return;
  outlook.block = block;
  const size_t begin = outlook.origin + block * kBlock;
  size_t place = std::min(begin + kBlock, text.size());
  while (place < text.size() && is_inside_character(text[place])) ++place;  // where the row behind the block is
  const uint8_t* next = outlook.behind.data() + block * width;
  const auto add = [&] {
    uint8_t* row = outlook.rows.data() + (place - begin) * width;
    note_row(text, place, next, row);
    next = row;
    scratch.foreseen += width;
  };
  if (place < begin + kBlock) add();  // the text's end
  while (place > begin) {
    poll(cancel);
    const size_t before = character_before(text, place);
    if (before < begin) break;  // a character that begins in the block before
    place = before;
    add();
  }
}

// As match_end(), with the outlook.
size_t Expression::foreseen_end(std::string_view text, const size_t begin, const uint32_t start, Scratch& scratch,
                                const int32_t* cancel) const {
  using Kind = Instruction::Kind;
  const Scratch::Outlook& outlook = scratch.outlook;
  size_t at = begin;
  // The value at a place in the block, or at the first character behind the block.
  const auto value = [&](uint32_t code, size_t place) {
    const size_t inside = place - outlook.origin - outlook.block * kBlock;
    return inside < kBlock ? outlook.rows[inside * code_.size() + code]
                           : outlook.behind[outlook.block * code_.size() + code];
  };
  const auto go_to = [&](size_t place) {
    at = place;
    enter_block(text, at, scratch, cancel);
  };
  go_to(begin);
  if (value(start, at) == 0) return begin;
  for (uint32_t code = start;;) {
    ++scratch.foreseen;
    poll(cancel);
    const Instruction& now = code_[code];
    const auto end_of_next = [&] { return at < text.size() ? sets_[now.set].end_of(text, at) : at; };
    switch (now.kind) {
      case Kind::kMatch:
        return at;
      case Kind::kJump:
        code = now.to;
        break;
      case Kind::kSplit:
        code = value(code + 1, at) != 0 ? code + 1 : now.to;
        break;
      case Kind::kSet:
        go_to(end_of_next());
        ++code;
        break;
      case Kind::kAhead:
      case Kind::kNotAhead:
        ++code;
        break;
      case Kind::kFirm:
      case Kind::kRow: {
        const bool is_row = now.kind == Kind::kRow;
        uint32_t left = now.most;
        for (size_t end = end_of_next(); left > 0 && end > at; end = end_of_next()) {
          const uint32_t fewest = is_row ? value(code, end) : 1;  // it counts the next character, too
          if (fewest == 0 || fewest > left) break;
          go_to(end);
          ++scratch.foreseen;
          if (left != kEndless) --left;
        }
        ++code;
        break;
      }
    }
  }
}

}  // namespace lffn
