// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/piece_trie.h"

#include <algorithm>
#include <iterator>

namespace lffn {

PieceTrie::PieceTrie(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
  std::fill(std::begin(root_), std::end(root_), kNone);
  const std::vector<uint32_t>& sorted = vocabulary.sorted();
  const auto text = [&](size_t place) { return vocabulary.text(static_cast<int32_t>(sorted[place])); };
  // Texts that share the bytes on the way to a node. Nodes are made level by level, so that no long text can make the
  // stack overflow.
  struct Range {
    uint32_t begin;
    uint32_t end;
  };
  std::vector<Range> level, next;
  const auto add_children = [&](Range range, size_t depth) {
    while (range.begin < range.end) {
      const char byte = text(range.begin)[depth];
      uint32_t end = range.begin + 1;
      while (end < range.end && text(end)[depth] == byte) ++end;
      bytes_.push_back(static_cast<uint8_t>(byte));
      const bool is_last = end == range.begin + 1;
      const bool is_whole = text(range.begin).size() == depth + 1;
      values_.push_back(is_last && !is_whole ? sorted[range.begin] | kTail : is_whole ? sorted[range.begin] : kNone);
      next.push_back(is_last ? Range{0, 0} : Range{range.begin + (is_whole ? 1 : 0), end});
      range.begin = end;
    }
  };
  Range all = {0, static_cast<uint32_t>(sorted.size())};
  if (!sorted.empty() && text(0).empty()) ++all.begin;
  add_children(all, 0);
  for (uint32_t node = 0; node < bytes_.size(); ++node) root_[bytes_[node]] = node;
  for (size_t depth = 1; !next.empty(); ++depth) {
    level.swap(next);
    next.clear();
    for (const Range& range : level) {
      firsts_.push_back(static_cast<uint32_t>(bytes_.size()));
      add_children(range, depth);
    }
  }
  firsts_.push_back(static_cast<uint32_t>(bytes_.size()));
  add_sets();
  bytes_.shrink_to_fit();
  firsts_.shrink_to_fit();
  values_.shrink_to_fit();
}

void PieceTrie::add_sets() {
  const size_t nodes = std::min<size_t>(firsts_.size() - 1, kWithSets);
  sets_of_.resize(nodes);
  for (size_t node = 0; node < nodes; ++node) {
    const uint32_t first = firsts_[node], last = firsts_[node + 1];
    if (last - first <= kFew || last - first >= 256) continue;
    sets_of_[node] = static_cast<uint16_t>(sets_.size());
    sets_.push_back({});
    for (uint32_t i = first; i < last; ++i) sets_.back().places[bytes_[i]] = static_cast<uint8_t>(i - first + 1);
  }
}

}  // namespace lffn
