// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/character_set.h"

#include <algorithm>

namespace lffn {

CharacterSet CharacterSet::range(uint32_t first, uint32_t last) {
  CharacterSet result;
  Kinds all;
  all.set();
  result.parts_.clear();
  if (first > 0) result.parts_.push_back({first, {}});
  result.parts_.push_back({last + 1, all});
  if (last + 1 < kUnicodeEnd) result.parts_.push_back({kUnicodeEnd, {}});
  result.note_ascii();
  return result;
}

template <typename Join>
CharacterSet CharacterSet::joined(const CharacterSet& a, const CharacterSet& b, const Join& join) {
  CharacterSet result;
  result.parts_.clear();
  for (size_t i = 0, j = 0; i < a.parts_.size() && j < b.parts_.size();) {
    const uint32_t end = std::min(a.parts_[i].end, b.parts_[j].end);
    const Kinds kinds = join(a.parts_[i].kinds, b.parts_[j].kinds);
    if (!result.parts_.empty() && result.parts_.back().kinds == kinds) {
      result.parts_.back().end = end;
    } else {
      result.parts_.push_back({end, kinds});
    }
    i += a.parts_[i].end == end ? 1 : 0;
    j += b.parts_[j].end == end ? 1 : 0;
  }
  result.note_ascii();
  return result;
}

CharacterSet CharacterSet::united(const CharacterSet& other) const {
  return joined(*this, other, [](const Kinds& a, const Kinds& b) { return a | b; });
}

CharacterSet CharacterSet::both(const CharacterSet& other) const {
  return joined(*this, other, [](const Kinds& a, const Kinds& b) { return a & b; });
}

CharacterSet CharacterSet::negated() const {
  return joined(*this, *this, [](const Kinds& a, const Kinds&) { return ~a; });
}

bool CharacterSet::has_wide(uint32_t code_point) const {
  const auto part = parts_.size() == 1 ? parts_.begin()
                                       : std::upper_bound(parts_.begin(), parts_.end(), code_point,
                                                          [](uint32_t at, const Part& each) { return at < each.end; });
  return part->kinds[unicode_kind(code_point)];
}

void CharacterSet::note_ascii() {
  ascii_ = {};
  for (uint32_t byte = 0; byte < 128; ++byte) {
    if (has_wide(byte)) ascii_[byte / 64] |= uint64_t{1} << byte % 64;
  }
}

bool CharacterSet::has_spaces_only() const {
  const CharacterSet others = of_records([](const UnicodeRecord& record) { return !record.is_space(); });
  const CharacterSet odd = both(others);
  return std::all_of(odd.parts_.begin(), odd.parts_.end(), [](const Part& part) { return part.kinds.none(); });
}

bool CharacterSet::has_beyond_ascii() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.end > 128 && part.kinds.any(); });
}

}  // namespace lffn
