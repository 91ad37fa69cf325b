// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/vocabulary.h"

#include <algorithm>
#include <numeric>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// The first bytes of a token as numbers that sort like the bytes; they tell most tokens apart.
struct Key {
  uint64_t first;
  uint64_t second;
  uint32_t id;
};

uint64_t eight_bytes(std::string_view text, size_t from) {
  uint64_t result = 0;
  const size_t count = text.size() > from ? std::min<size_t>(8, text.size() - from) : 0;
  for (size_t i = 0; i < count; ++i) result = result << 8 | static_cast<unsigned char>(text[from + i]);
  return count == 0 ? 0 : result << (8 - count) * 8;
}

// The places of the tokens, sorted by their ids; equal ids keep their order.
std::vector<uint32_t> order_of(const std::vector<std::pair<std::string, int32_t>>& tokens) {
  std::vector<uint32_t> order(tokens.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto by_id = [&](uint32_t a, uint32_t b) {
    return tokens[a].second != tokens[b].second ? tokens[a].second < tokens[b].second : a < b;
  };
  if (!std::is_sorted(order.begin(), order.end(), by_id)) std::sort(order.begin(), order.end(), by_id);
  return order;
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::pair<std::string, int32_t>>&& given, Twice twice, const std::string& where) {
  std::vector<std::pair<std::string, int32_t>> tokens = std::move(given);
  const std::vector<uint32_t> order = order_of(tokens);
  size_t bytes = tokens.size();
  for (const auto& token : tokens) bytes += token.first.size();
  if (bytes >= UINT32_MAX) fail(LFFN_ERROR_BAD_MODEL, "%s: the tokens have %zu bytes", where.c_str(), bytes);
  bytes_.reserve(bytes);
  begins_.reserve(tokens.empty() ? 1 : static_cast<size_t>(tokens[order.back()].second) + 2);
  std::vector<Key> keys;
  keys.reserve(tokens.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const auto& [text, id] = tokens[order[i]];
    if (i > 0 && tokens[order[i - 1]].second == id) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the id %d is given to %s and to %s", where.c_str(), id,
           in_quotes(tokens[order[i - 1]].first).c_str(), in_quotes(text).c_str());
    }
    begins_.resize(static_cast<size_t>(id) + 1, static_cast<uint32_t>(bytes_.size()));
    bytes_.append(text).append(1, '\0');
    keys.push_back({eight_bytes(text, 0), eight_bytes(text, 8), static_cast<uint32_t>(id)});
  }
  begins_.push_back(static_cast<uint32_t>(bytes_.size()));
  std::vector<std::pair<std::string, int32_t>>().swap(tokens);  // frees its memory

  const auto text_of = [&](const Key& key) { return text(static_cast<int32_t>(key.id)); };
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    const int order_of_rest = text_of(a).compare(text_of(b));
    return order_of_rest != 0 ? order_of_rest < 0 : a.id < b.id;
  });
  sorted_.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const bool is_same = i > 0 && keys[i - 1].first == keys[i].first && keys[i - 1].second == keys[i].second &&
                         text_of(keys[i - 1]) == text_of(keys[i]);
    if (is_same && twice == Twice::kRefused) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the token %s is there twice", where.c_str(), in_quotes(text_of(keys[i])).c_str());
    }
    if (is_same) sorted_.pop_back();
    sorted_.push_back(keys[i].id);
  }
}

int32_t Vocabulary::find(std::string_view token) const {
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), token, [&](uint32_t id, std::string_view wanted) {
    return text(static_cast<int32_t>(id)) < wanted;
  });
  if (found == sorted_.end()) return -1;
  const auto id = static_cast<int32_t>(*found);
  return text(id) == token ? id : -1;
}

std::vector<std::pair<std::string_view, int32_t>> Vocabulary::sorted_tokens() const {
  std::vector<std::pair<std::string_view, int32_t>> result;
  result.reserve(sorted_.size());
  for (const uint32_t id : sorted_) result.emplace_back(text(static_cast<int32_t>(id)), static_cast<int32_t>(id));
  return result;
}

std::vector<std::pair<std::string, int32_t>> Vocabulary::by_id() const {
  std::vector<std::pair<std::string, int32_t>> result;
  result.reserve(sorted_.size());
  for (int32_t id = 0; id < end(); ++id) {
    if (has(id)) result.emplace_back(text(id), id);
  }
  return result;
}

TextTrie::TextTrie(const std::vector<std::pair<std::string_view, int32_t>>& sorted) {
  // Texts that share the bytes on the way to a node. Nodes are made level by level, so that no long text can make the
  // stack overflow, and siblings lie side by side.
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
