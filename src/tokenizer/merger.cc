// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/merger.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "runtime/cancel_flag.h"

namespace lffn {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kStepsPerLook = 1 << 14;  // between two looks at the cancel flag

// A pair of neighbours in a long piece, by rank and then by place.
uint64_t entry(uint32_t rank, uint32_t at) { return uint64_t{rank} << 32 | at; }

// A symbol of a long piece, linked to its neighbours.
struct Node {
  uint32_t symbol;
  uint32_t previous;
  uint32_t next;  // the number of nodes: none
  uint32_t rank;  // of the pair with the next one; kNone also where the symbol was merged away
};

}  // namespace

Merger::Merger(std::vector<Merge> merges) : merges_(std::move(merges)) {
  size_t size = 2;
  while (size < merges_.size() * 2) size *= 2;
  slots_.resize(size, {0, 0, kNone});
  constexpr size_t kAhead = 16;  // lookups miss the caches
  for (size_t i = 0; i < merges_.size(); ++i) {
    const Merge& merge = merges_[i];
    if (i + kAhead < merges_.size()) {
      __builtin_prefetch(&slots_[first_place(merges_[i + kAhead].left, merges_[i + kAhead].right)]);
    }
    Slot& slot = slots_[place(merge.left, merge.right)];
    if (slot.rank != kNone) {
      twice_ = i;
      return;
    }
    slot = {merge.left, merge.right, static_cast<uint32_t>(i)};
  }
}

size_t Merger::first_place(uint32_t left, uint32_t right) const {
  return hash_(uint64_t{left} << 32 | right) & (slots_.size() - 1);
}

// Where the pair is, or where it would be.
size_t Merger::place(uint32_t left, uint32_t right) const {
  const size_t mask = slots_.size() - 1;
  size_t at = first_place(left, right);
  while (slots_[at].rank != kNone && (slots_[at].left != left || slots_[at].right != right)) at = (at + 1) & mask;
  return at;
}

uint32_t Merger::rank(uint32_t left, uint32_t right) const { return slots_[place(left, right)].rank; }

void Merger::merge(std::vector<Symbol>& symbols, const int32_t* cancel) const {
  if (symbols.size() <= kShort) {
    merge_short(symbols);
  } else {
    merge_long(symbols, cancel);
  }
}

void Merger::merge_short(std::vector<Symbol>& symbols) const {
  size_t count = symbols.size();
  Symbol* const left = symbols.data();
  uint32_t ranks[kShort];  // of each symbol with the next
  for (size_t i = 0; i + 1 < count; ++i) ranks[i] = rank(left[i].symbol, left[i + 1].symbol);
  while (count > 1) {
    const auto at = static_cast<size_t>(std::min_element(ranks, ranks + count - 1) - ranks);
    if (ranks[at] == kNone) break;
    left[at].symbol = merges_[ranks[at]].merged;
    std::copy(left + at + 2, left + count, left + at + 1);
    if (at + 2 < count) std::copy(ranks + at + 2, ranks + count - 1, ranks + at + 1);
    --count;
    if (at > 0) ranks[at - 1] = rank(left[at - 1].symbol, left[at].symbol);
    if (at + 1 < count) ranks[at] = rank(left[at].symbol, left[at + 1].symbol);
  }
  symbols.resize(count);
}

void Merger::merge_long(std::vector<Symbol>& symbols, const int32_t* cancel) const {
  if (symbols.size() >= kNone) throw std::length_error("a piece of text");
  const auto size = static_cast<uint32_t>(symbols.size());
  uint32_t steps = 0;
  const auto step = [&] {
    if (++steps % kStepsPerLook == 0) poll(cancel);
  };
  std::vector<Node> nodes;
  nodes.reserve(size);
  size_t pairs = 0;
  for (uint32_t i = 0; i < size; ++i) {
    step();
    nodes.push_back({symbols[i].symbol, i - 1, i + 1, kNone});
    if (i == 0) continue;
    nodes[i - 1].rank = rank(nodes[i - 1].symbol, nodes[i].symbol);
    if (nodes[i - 1].rank != kNone) ++pairs;
  }
  // When it is full, pairs that were merged meanwhile are removed; it grows only if they are few.
  std::vector<uint64_t> queue;
  queue.reserve(pairs + size / 8 + 1);
  for (uint32_t i = 0; i < size; ++i) {
    step();
    if (nodes[i].rank != kNone) queue.push_back(entry(nodes[i].rank, i));
  }
  std::make_heap(queue.begin(), queue.end(), std::greater<>());
  const auto look_again = [&](uint32_t at) {
    Node& node = nodes[at];
    node.rank = node.next < size ? rank(node.symbol, nodes[node.next].symbol) : kNone;
    if (node.rank == kNone) return;
    if (queue.size() == queue.capacity()) {
      const auto is_gone = [&](uint64_t old) { return nodes[static_cast<uint32_t>(old)].rank != old >> 32; };
      queue.erase(std::remove_if(queue.begin(), queue.end(), is_gone), queue.end());
      std::make_heap(queue.begin(), queue.end(), std::greater<>());
      if (queue.size() > queue.capacity() / 8 * 7) queue.reserve(queue.capacity() / 2 * 3);
    }
    queue.push_back(entry(node.rank, at));
    std::push_heap(queue.begin(), queue.end(), std::greater<>());
  };

  while (!queue.empty()) {
    step();
    const auto best = static_cast<uint32_t>(queue.front() >> 32), at = static_cast<uint32_t>(queue.front());
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    queue.pop_back();
    Node& node = nodes[at];
    if (node.rank != best) continue;  // merged meanwhile
    Node& gone = nodes[node.next];
    node.symbol = merges_[best].merged;
    node.next = gone.next;
    gone.rank = kNone;
    if (node.next < size) nodes[node.next].previous = at;
    look_again(at);
    if (at > 0) look_again(node.previous);
  }

  size_t count = 0;
  for (uint32_t at = 0; at < size; at = nodes[at].next) {
    step();
    symbols[count++] = {nodes[at].symbol, symbols[at].begin};
  }
  symbols.resize(count);
}

}  // namespace lffn
