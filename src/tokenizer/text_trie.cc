// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/text_trie.h"

namespace lffn {

TextTrie::TextTrie(const std::vector<std::pair<std::string_view, int32_t>>& sorted) {
  // Texts that share the bytes on the way to a node. Their nodes come level by level, so that no long text can make
  // the stack overflow, and brothers lie side by side.
  struct Range {
    size_t begin;
    size_t end;
  };
  std::vector<Range> level = {{0, sorted.size()}}, next;
  nodes_.push_back({0, -1, 0, 0});
  size_t parent = 0;
  for (size_t depth = 0; !level.empty(); ++depth, level.swap(next)) {
    next.clear();
    for (Range range : level) {
      Node node = nodes_[parent];
      node.first_child = static_cast<uint32_t>(nodes_.size());
      if (range.begin < range.end && sorted[range.begin].first.size() == depth)
        node.value = sorted[range.begin++].second;
      while (range.begin < range.end) {
        const char byte = sorted[range.begin].first[depth];
        size_t end = range.begin + 1;
        while (end < range.end && sorted[end].first[depth] == byte) ++end;
        next.push_back({range.begin, end});
        nodes_.push_back({0, -1, 0, static_cast<uint8_t>(byte)});
        ++node.children;
        range.begin = end;
      }
      nodes_[parent++] = node;
    }
  }
  nodes_.shrink_to_fit();
}

uint32_t TextTrie::start_behind(std::string_view prefix) const {
  uint32_t node = kRoot;
  for (const char byte : prefix) {
    node = child(node, static_cast<uint8_t>(byte));
    if (node == kNone) break;
  }
  return node;
}

}  // namespace lffn
