// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/expression.h"

#include <algorithm>

#include "runtime/cancel_flag.h"

namespace lffn {
namespace {

constexpr size_t kCharactersPerLook = 1 << 16;  // at a cancel flag
constexpr uint64_t kStepsPerLook = 1 << 14;
constexpr uint64_t kStepsPerByte = 64, kFreeSteps = 4096;  // before failures are remembered

}  // namespace

size_t Expression::row_end(const Instruction& row, std::string_view text, size_t at, const int32_t* cancel) const {
  const CharacterSet& set = sets_[row.set];
  uint32_t left = row.most;
  while (left > 0 && at < text.size()) {
    const size_t end = set.end_of(text, at);
    if (end == at) break;
    at = end;
    if (left != kEndless) {
      --left;
    } else if (at % kCharactersPerLook == 0) {
      poll(cancel);
    }
  }
  return at;
}

// Where the match ends that begins at `at` with the code; `at`: there is none. Of several ways to match the first one
// counts. What fails once, at a place, by a choice, fails always, whatever came before: so after many steps it is
// remembered, and no choice is tried twice at a place of the text.
size_t Expression::match_end(std::string_view text, const size_t begin, const uint32_t start, Scratch& scratch,
                             const int32_t* cancel) const {
  using Kind = Instruction::Kind;
  std::vector<Scratch::Frame>& frames = scratch.frames;
  frames.clear();
  size_t at = begin;
  uint32_t code = start;
  const auto bit_of = [&](uint32_t choice, size_t place) { return place * choices_ + choice; };
  const auto may_go = [&](uint32_t choice) {
    if (!scratch.remembers) return true;
    const size_t bit = bit_of(choice, at);
    return (scratch.failed[bit / 64] >> bit % 64 & 1) == 0;
  };
  for (;;) {
    if (++scratch.steps % kStepsPerLook == 0) poll(cancel);
    if (!scratch.remembers && scratch.steps > (begin + 1) * kStepsPerByte + kFreeSteps) {
      scratch.remembers = true;
      scratch.failed.assign((text.size() + 1) * choices_ / 64 + 1, 0);
      frames.clear();
      at = begin;
      code = start;
    }
    const Instruction& now = code_[code];
    bool goes_on = true;
    switch (now.kind) {
      case Kind::kMatch:
        return at;
      case Kind::kSet: {
        const size_t end = at < text.size() ? sets_[now.set].end_of(text, at) : at;
        goes_on = end > at;
        at = end;
        ++code;
        break;
      }
      case Kind::kAhead:
        goes_on = at < text.size() && sets_[now.set].end_of(text, at) > at;
        ++code;
        break;
      case Kind::kNotAhead:
        goes_on = at == text.size() || sets_[now.set].end_of(text, at) == at;
        ++code;
        break;
      case Kind::kJump:
        code = now.to;
        break;
      case Kind::kSplit:
        if (!may_go(now.choice)) {
          goes_on = false;
          break;
        }
        frames.push_back({now.to, scratch.remembers ? now.choice : kNowhere, at, at});
        ++code;
        break;
      case Kind::kRow:
      case Kind::kFirm: {
        const bool is_row = now.kind == Kind::kRow;
        if (!scratch.remembers || now.most != kEndless) {
          const size_t end = row_end(now, text, at, cancel);
          scratch.steps += (end - at) / 8;
          if (is_row && end > at) frames.push_back({code + 1, kNowhere, end, at});
          at = end;
          ++code;
          break;
        }
        if (!may_go(now.choice)) {
          goes_on = false;
          break;
        }
        // One character more, and the same choice again.
        const size_t end = at < text.size() ? sets_[now.set].end_of(text, at) : at;
        frames.push_back({is_row && end > at ? code + 1 : kNowhere, now.choice, at, at});
        code += end > at ? 0 : 1;
        at = end;
        break;
      }
    }
    if (goes_on) continue;
    for (;;) {
      if (frames.empty()) return begin;
      Scratch::Frame& frame = frames.back();
      if (frame.code == kNowhere) {
        const size_t bit = bit_of(frame.choice, frame.at);
        scratch.failed[bit / 64] |= uint64_t{1} << bit % 64;
        frames.pop_back();
        continue;
      }
      code = frame.code;
      if (frame.at > frame.least) {
        // A character less.
        frame.at = character_before(text, frame.at);
        at = frame.at;
        if (at == frame.least) frames.pop_back();
      } else {
        at = frame.at;
        frame.code = kNowhere;
        if (frame.choice == kNowhere) frames.pop_back();
      }
      break;
    }
  }
}

std::optional<Expression::Match> Expression::find(std::string_view text, size_t from, Scratch& scratch,
                                                  const int32_t* cancel) const {
  for (size_t at = from; at < text.size(); ++at) {
    uint32_t alternatives = may_start_[static_cast<unsigned char>(text[at])];
    for (uint32_t i = 0; alternatives != 0; ++i, alternatives >>= 1) {
      if ((alternatives & 1) == 0) continue;
      const size_t end = match_end(text, at, alternatives_[i], scratch, cancel);
      if (end > at) return Match{at, end};
    }
  }
  return std::nullopt;
}

bool Expression::may_match_blank() const {
  return std::any_of(code_.begin(), code_.end(), [&](const Instruction& each) {
    const bool takes = each.kind <= Instruction::Kind::kFirm;
    return takes && sets_[each.set].has(' ');
  });
}

// An alternative of at least two characters, all white space, matches none.
bool Expression::may_match_single_blank() const {
  using Kind = Instruction::Kind;
  for (const uint32_t begin : alternatives_) {
    bool has_blank = false, has_others = false;
    size_t least = 0;
    for (uint32_t code = begin; code_[code].kind != Kind::kMatch; ++code) {
      const Instruction& each = code_[code];
      if (each.kind > Kind::kFirm) {
        has_others = has_others || each.kind == Kind::kSplit;
        continue;
      }
      has_blank = has_blank || sets_[each.set].has(' ');
      has_others = has_others || !sets_[each.set].has_spaces_only();
      least += each.kind == Kind::kSet ? 1 : 0;
    }
    if (has_blank && (has_others || least < 2)) return true;
  }
  return false;
}

size_t Expression::bytes() const {
  return sizeof *this + code_.capacity() * sizeof(Instruction) + sets_.capacity() * (sizeof(CharacterSet) + 64);
}

void Expression::note_starts() {
  using Kind = Instruction::Kind;
  for (size_t i = 0; i < alternatives_.size(); ++i) {
    const uint32_t bit = uint32_t{1} << i;
    std::vector<uint32_t> waiting = {alternatives_[i]};
    std::vector<bool> seen(code_.size());
    while (!waiting.empty()) {
      const uint32_t code = waiting.back();
      waiting.pop_back();
      if (seen[code]) continue;
      seen[code] = true;
      const Instruction& each = code_[code];
      if (each.kind == Kind::kMatch) continue;
      if (each.kind == Kind::kJump || each.kind == Kind::kSplit) waiting.push_back(each.to);
      if (each.kind != Kind::kJump && each.kind != Kind::kSet) waiting.push_back(code + 1);
      if (each.kind > Kind::kFirm) continue;
      const CharacterSet& set = sets_[each.set];
      for (uint32_t byte = 0; byte < 128; ++byte) {
        if (set.has(byte)) may_start_[byte] |= bit;
      }
      if (!set.has_beyond_ascii()) continue;
      for (size_t byte = 0xC0; byte < 256; ++byte) may_start_[byte] |= bit;
    }
  }
}

}  // namespace lffn
