// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/expression.h"

#include <algorithm>

#include "runtime/cancel_flag.h"

namespace lffn {
namespace {

constexpr size_t kCharactersPerLook = 1 << 16;  // between two looks at the cancel flag
constexpr uint64_t kStepsPerLook = 1 << 14;
// What may be tried before an outlook is made.
constexpr uint64_t kStepsPerByte = 64, kFreeSteps = 1024;
constexpr size_t kMostFrames = 4096;

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

// The end of the match that begins at `begin` with the instruction `start`; `begin` if there is none. Of several ways
// to match, the first one counts. They are tried one after another, which nearly always ends soon; where it does not,
// the outlook tells which of them matches.
size_t Expression::match_end(std::string_view text, const size_t begin, const uint32_t start, Scratch& scratch,
                             const int32_t* cancel) const {
  using Kind = Instruction::Kind;
  if (scratch.has_outlook) return foreseen_end(text, begin, start, scratch, cancel);
  const uint64_t most_steps = (scratch.before + begin + 1) * kStepsPerByte + kFreeSteps;
  std::vector<Scratch::Frame>& frames = scratch.frames;
  frames.clear();
  size_t at = begin;
  uint32_t code = start;
  for (;;) {
    if (++scratch.tried % kStepsPerLook == 0) poll(cancel);
    if (scratch.tried > most_steps || frames.size() > kMostFrames) {
      make_outlook(text, begin, scratch, cancel);
      return foreseen_end(text, begin, start, scratch, cancel);
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
        frames.push_back({now.to, at, at});
        ++code;
        break;
      case Kind::kRow:
      case Kind::kFirm: {
        const size_t end = row_end(now, text, at, cancel);
        scratch.tried += (end - at) / 8;
        if (now.kind == Kind::kRow && end > at) frames.push_back({code + 1, end, at});
        at = end;
        ++code;
        break;
      }
    }
    if (goes_on) continue;
    if (frames.empty()) return begin;
    Scratch::Frame& frame = frames.back();
    code = frame.code;
    if (frame.at > frame.least) frame.at = character_before(text, frame.at);  // a character less
    at = frame.at;
    if (at == frame.least) frames.pop_back();
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

// An alternative of at least two characters, all white space, cannot match a single blank.
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
  return sizeof *this + code_.capacity() * sizeof(Instruction) + order_.capacity() * sizeof order_[0] +
         sets_.capacity() * (sizeof(CharacterSet) + 64);
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
