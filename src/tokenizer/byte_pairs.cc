// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/byte_pairs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "runtime/seeded_hash.h"

namespace lffn {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kStepsPerLook = 1 << 14;  // at a cancel flag

// A pair of neighbours in a long piece, by rank and then by place.
uint64_t entry(uint32_t rank, uint32_t at) { return uint64_t{rank} << 32 | at; }

// A symbol of a long piece, linked to its neighbours. A piece has its first byte at 0.
struct Node {
  uint32_t symbol;
  uint32_t previous;
  uint32_t next;  // the piece's size: none
  uint32_t rank;  // of the pair with the next one; kNone also where the symbol was merged away
};

}  // namespace

Merger::Merger(const std::array<uint32_t, 256>& byte_symbols, std::vector<Merge> merges)
    : byte_symbols_(byte_symbols), merges_(std::move(merges)) {
  size_t size = 2;
  while (size < merges_.size() * 2) size *= 2;
  slots_.resize(size, {0, 0, kNone});
  for (size_t i = 0; i < merges_.size(); ++i) {
    const Merge& merge = merges_[i];
    Slot& slot = slots_[place(merge.left, merge.right)];
    if (slot.rank != kNone) {
      twice_ = i;
      return;
    }
    slot = {merge.left, merge.right, static_cast<uint32_t>(i)};
  }
}

// Where the pair is, or where it would be.
size_t Merger::place(uint32_t left, uint32_t right) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash_(uint64_t{left} << 32 | right) & mask;
  while (slots_[at].rank != kNone && (slots_[at].left != left || slots_[at].right != right)) at = (at + 1) & mask;
  return at;
}

uint32_t Merger::rank(uint32_t left, uint32_t right) const { return slots_[place(left, right)].rank; }

void Merger::merge(std::string_view piece, std::vector<Symbol>& symbols, const int32_t* cancel) const {
  if (piece.size() <= kShort) {
    merge_short(piece, symbols);
  } else {
    merge_long(piece, symbols, cancel);
  }
}

void Merger::merge_short(std::string_view piece, std::vector<Symbol>& symbols) const {
  size_t count = piece.size();
  Symbol left[kShort];
  uint32_t ranks[kShort];  // of each symbol with the next
  for (size_t i = 0; i < count; ++i) {
    left[i] = {byte_symbols_[static_cast<unsigned char>(piece[i])], static_cast<uint32_t>(i)};
  }
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
  symbols.assign(left, left + count);
}

void Merger::merge_long(std::string_view piece, std::vector<Symbol>& symbols, const int32_t* cancel) const {
  if (piece.size() >= kNone) throw std::length_error("a piece of text");
  const auto size = static_cast<uint32_t>(piece.size());
  uint32_t steps = 0;
  const auto step = [&] {
    if (++steps % kStepsPerLook == 0) poll(cancel);
  };
  std::vector<Node> nodes;
  nodes.reserve(size);
  size_t pairs = 0;
  for (uint32_t i = 0; i < size; ++i) {
    step();
    nodes.push_back({byte_symbols_[static_cast<unsigned char>(piece[i])], i - 1, i + 1, kNone});
    if (i == 0) continue;
    nodes[i - 1].rank = rank(nodes[i - 1].symbol, nodes[i].symbol);
    if (nodes[i - 1].rank != kNone) ++pairs;
  }
  // When it is full, pairs that were merged meanwhile go, and it grows only if those are few.
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

  std::vector<uint64_t>().swap(queue);  // its memory is enough for the symbols
  symbols.clear();
  for (uint32_t at = 0; at < size; at = nodes[at].next) {
    step();
    symbols.push_back({nodes[at].symbol, at});
  }
}
namespace {

// The tokens of a vocabulary by a hash: merges name each of them several times.
class TokenIndex {
 public:
  explicit TokenIndex(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
    size_t size = 2;
    while (size < vocabulary.sorted().size() * 2) size *= 2;
    slots_.resize(size, {0, -1});
    for (const uint32_t id : vocabulary.sorted()) {
      const uint64_t hash = hash_(vocabulary.text(static_cast<int32_t>(id)));
      size_t at = static_cast<size_t>(hash) & (size - 1);
      while (slots_[at].id >= 0) at = (at + 1) & (size - 1);
      slots_[at] = {static_cast<uint32_t>(hash >> 32), static_cast<int32_t>(id)};
    }
  }

  int32_t find(std::string_view text) const {
    const uint64_t hash = hash_(text);
    const auto tag = static_cast<uint32_t>(hash >> 32);
    for (size_t at = static_cast<size_t>(hash) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.id < 0 || (slot.tag == tag && vocabulary_.text(slot.id) == text)) return slot.id;
    }
  }

 private:
  struct Slot {
    uint32_t tag;  // more bits of the hash
    int32_t id;    // -1: free
  };

  const Vocabulary& vocabulary_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  SeededHash hash_;
};

}  // namespace

BytePairs::BytePairs(const Vocabulary& vocabulary, const Texts& merges, int32_t unknown_id, const std::string& where)
    : num_known_(static_cast<uint32_t>(vocabulary.end())), unknown_id_(unknown_id) {
  const TokenIndex tokens(vocabulary);
  std::unordered_map<std::string, uint32_t, SeededHash> numbers;
  const auto symbol_of = [&](const std::string& text) {
    const int32_t id = tokens.find(text);
    if (id >= 0) return static_cast<uint32_t>(id);
    const auto [entry, added] = numbers.try_emplace(text, num_known_ + static_cast<uint32_t>(outside_.size()));
    if (added) outside_.push_back(text);
    return entry->second;
  };

  std::array<uint32_t, 256> byte_symbols;
  for (size_t byte = 0; byte < byte_symbols.size(); ++byte) {
    std::string text;
    append_byte_character(text, static_cast<uint8_t>(byte));
    byte_symbols[byte] = symbol_of(text);
    is_lost_[byte] = byte_symbols[byte] >= num_known_ && unknown_id < 0;
    loses_bytes_ = loses_bytes_ || is_lost_[byte];
  }
  std::vector<Merge> by_rank;
  by_rank.reserve(merges.size());
  const auto refuse = [&](size_t rank, const char* why) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the merge of %s and %s is %s", where.c_str(), in_quotes(merges[rank].first).c_str(),
         in_quotes(merges[rank].second).c_str(), why);
  };
  std::string bytes, both;
  for (const auto& [left, right] : merges) {
    bytes.clear();
    const bool known = append_token_bytes(bytes, left) && append_token_bytes(bytes, right);
    if (!known || left.empty() || right.empty()) refuse(by_rank.size(), "not of the byte alphabet");
    both.assign(left).append(right);
    by_rank.push_back({symbol_of(left), symbol_of(right), symbol_of(both)});
  }
  merger_.emplace(byte_symbols, std::move(by_rank));
  if (merger_->twice()) refuse(*merger_->twice(), "there twice");
}

std::string_view BytePairs::without_lost_bytes(std::string_view piece, std::string& kept) const {
  kept.clear();
  for (const char byte : piece) {
    if (!is_lost_[static_cast<unsigned char>(byte)]) kept += byte;
  }
  return kept;
}

size_t BytePairs::bytes() const {
  size_t bytes = merger_->bytes() + outside_.capacity() * sizeof(std::string);
  for (const std::string& symbol : outside_) bytes += symbol.size();
  return bytes;
}

BytePairs::Texts BytePairs::merges(const Vocabulary& vocabulary) const {
  const auto text = [&](uint32_t symbol) {
    return symbol < num_known_ ? std::string(vocabulary.text(static_cast<int32_t>(symbol)))
                               : outside_[symbol - num_known_];
  };
  Texts result;
  for (const Merge& merge : merger_->merges()) result.emplace_back(text(merge.left), text(merge.right));
  return result;
}

namespace {

constexpr uint32_t kEnd = 256 + 68;  // 68 bytes are not printable in Latin-1 and get the characters from U+0100 on

constexpr bool stands_for_itself(uint32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

struct Alphabet {
  std::array<uint16_t, 256> character_of{};
  std::array<int16_t, kEnd> byte_of{};

  constexpr Alphabet() {
    for (uint32_t i = 0; i < kEnd; ++i) byte_of[i] = -1;
    uint32_t next = 256;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t character = stands_for_itself(byte) ? byte : next++;
      character_of[byte] = static_cast<uint16_t>(character);
      byte_of[character] = static_cast<int16_t>(byte);
    }
  }
};

constexpr Alphabet kAlphabet;

}  // namespace

void append_byte_character(std::string& text, uint8_t byte) { append_utf8(text, kAlphabet.character_of[byte]); }

bool append_token_bytes(std::string& bytes, std::string_view token) {
  bool all = true;
  for (size_t at = 0; at < token.size();) {
    const size_t start = at;
    const uint32_t character = next_character(token, at);
    if (character < kEnd && kAlphabet.byte_of[character] >= 0) {
      bytes += static_cast<char>(kAlphabet.byte_of[character]);
    } else {
      bytes.append(token, start, at - start);
      all = false;
    }
  }
  return all;
}

}  // namespace lffn
