// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/piece_cache.h"

#include <cstring>

namespace lffn {
namespace {

constexpr int kIdBits = 24;  // more than ids have
constexpr uint32_t kIdMask = (1u << kIdBits) - 1;

size_t words_of(size_t bytes) { return (bytes + 7) / 8; }

}  // namespace

PieceCache::Key PieceCache::key_of(std::string_view piece) const {
  Key key = {};
  std::memcpy(key.words, piece.data(), piece.size());
  uint64_t hash = piece.size();
  for (size_t i = 0; i < words_of(piece.size()); ++i) hash = hash_(hash ^ key.words[i]);
  key.place = static_cast<size_t>(hash) & (kEntries - 1);
  return key;
}

bool PieceCache::find(std::string_view piece, Tokens& to) const {
  if (piece.empty() || piece.size() > kLongest) return false;
  const Key key = key_of(piece);
  const Entry& entry = entries_[key.place];
  // Each load is seen before those behind it, so the same even turn at both ends is that of all between.
  const uint64_t turn = entry.turn.load(std::memory_order_acquire);
  const uint64_t sizes = entry.sizes.load(std::memory_order_acquire);
  if ((turn & 1) != 0 || (sizes & 255) != piece.size()) return false;
  for (size_t i = 0; i < words_of(piece.size()); ++i) {
    if (entry.key[i].load(std::memory_order_acquire) != key.words[i]) return false;
  }
  const size_t count = static_cast<size_t>(sizes >> 8);
  uint32_t begin = 0;
  for (size_t i = 0; i < count; i += 2) {
    const uint64_t both = entry.tokens[i / 2].load(std::memory_order_acquire);
    for (size_t k = 0; k < 2; ++k) {
      const auto token = static_cast<uint32_t>(both >> 32 * k);
      to.tokens_[i + k] = {static_cast<int32_t>(token & kIdMask), begin, begin + (token >> kIdBits)};
      begin = to.tokens_[i + k].end;
    }
  }
  to.count_ = count;
  return entry.turn.load(std::memory_order_relaxed) == turn;
}

void PieceCache::keep(std::string_view piece, const Tokens& tokens) const {
  if (piece.size() > kLongest || !tokens.fits(piece)) return;
  const Key key = key_of(piece);
  Entry& entry = entries_[key.place];
  uint64_t turn = entry.turn.load(std::memory_order_relaxed);
  if ((turn & 1) != 0 || !entry.turn.compare_exchange_strong(turn, turn + 1, std::memory_order_acquire)) return;
  // Each store comes after the odd turn for whoever sees it.
  entry.sizes.store(piece.size() | tokens.count_ << 8, std::memory_order_release);
  for (size_t i = 0; i < words_of(piece.size()); ++i) entry.key[i].store(key.words[i], std::memory_order_release);
  const auto packed = [&](size_t i) -> uint64_t {
    if (i >= tokens.count_) return 0;
    const Token& token = tokens.tokens_[i];
    return static_cast<uint32_t>(token.id) | (token.end - token.begin) << kIdBits;
  };
  for (size_t i = 0; i < tokens.count_; i += 2) {
    entry.tokens[i / 2].store(packed(i) | packed(i + 1) << 32, std::memory_order_release);
  }
  entry.turn.store(turn + 2, std::memory_order_release);
}

}  // namespace lffn
