// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/piece_cache.h"

#include <cstring>

namespace lffn {
namespace {

constexpr int kIdBits = 24;  // more than ids have
constexpr uint32_t kIdMask = (1u << kIdBits) - 1;

// The parts of an entry's head.
constexpr uint64_t kSizeMask = 0xFF, kPart = 0x80;
constexpr int kCountShift = 8, kTurnShift = 16;

template <typename Number>
uint64_t load(const char* from) {
  Number value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// One to eight bytes, in as few loads as possible; the rest is 0.
uint64_t load_few(const char* from, size_t size) {
  if (size == 8) return load<uint64_t>(from);
  if (size >= 4) return load<uint32_t>(from) | load<uint32_t>(from + size - 4) << (size - 4) * 8;
  if (size >= 2) return load<uint16_t>(from) | load<uint16_t>(from + size - 2) << (size - 2) * 8;
  return load<uint8_t>(from);
}

// Each load comes before those behind it, so a head that is the same before and after is that of all words between.
template <typename Entry, typename Key, typename Packed>
bool read(const Entry& entry, const Key& key, Packed& to) {
  const uint64_t head = entry.head.load(std::memory_order_acquire);
  if ((head & kSizeMask) != key.size) return false;
  for (size_t i = 0; i < key.count; ++i) {
    if (entry.words[i].load(std::memory_order_acquire) != key.words[i]) return false;
  }
  to.count = head >> kCountShift & 0xFF;
  for (size_t i = 0; 2 * i < to.count; ++i) to.words[i] = entry.words[key.count + i].load(std::memory_order_acquire);
  return entry.head.load(std::memory_order_relaxed) == head;
}

template <typename Entry, typename Key, typename Packed>
void write(Entry* set, const Key& key, const Packed& packed) {
  const size_t words = (packed.count + 1) / 2;
  if (key.count + words > Entry::kWords) return;
  uint64_t heads[2];
  for (size_t i = 0; i < 2; ++i) heads[i] = set[i].head.load(std::memory_order_relaxed);
  // An empty entry, else either of the two: always replacing the older one would lose all of three pieces that come by
  // turns.
  const uint64_t either = ((heads[0] >> kTurnShift) + (heads[1] >> kTurnShift)) * 0x9E3779B97F4A7C15u >> 63;
  const size_t place = heads[0] == 0 ? 0 : heads[1] == 0 ? 1 : static_cast<size_t>(either);
  Entry& entry = set[place];
  const uint64_t turn = (heads[place] >> kTurnShift) + 1;
  const bool is_free = heads[place] == 0 || (heads[place] & kSizeMask) != 0;  // else another thread is writing it
  if (!is_free) return;
  if (!entry.head.compare_exchange_strong(heads[place], turn << kTurnShift, std::memory_order_acquire)) return;
  // Whoever sees one of these stores also sees that head.
  for (size_t i = 0; i < key.count; ++i) entry.words[i].store(key.words[i], std::memory_order_release);
  for (size_t i = 0; i < words; ++i) entry.words[key.count + i].store(packed.words[i], std::memory_order_release);
  entry.head.store(turn << kTurnShift | packed.count << kCountShift | key.size, std::memory_order_release);
}

}  // namespace

inline void PieceCache::make_key(std::string_view piece, bool is_part, Key& key) const {
  key.size = piece.size() | (is_part ? kPart : 0);
  key.count = (piece.size() + 7) / 8;
  const char* const bytes = piece.data();
  uint64_t hash = key.size;
  if (piece.size() <= 8) {
    key.words[0] = load_few(bytes, piece.size());
  } else {
    for (size_t i = 0; i + 1 < key.count; ++i) {
      key.words[i] = load<uint64_t>(bytes + 8 * i);
      hash = hash_(hash ^ key.words[i]);
    }
    // The last eight bytes, less those that were there before.
    key.words[key.count - 1] = load<uint64_t>(bytes + piece.size() - 8) >> (8 * key.count - piece.size()) * 8;
  }
  key.hash = hash_(hash ^ key.words[key.count - 1]);
}

inline bool PieceCache::find(const Key& key, Packed& to) const {
  const size_t place = static_cast<size_t>(key.hash) & (kEntries - 2);
  if (key.count == 1) return read(short_[place], key, to) || read(short_[place + 1], key, to);
  return read(long_[place], key, to) || read(long_[place + 1], key, to);
}

void PieceCache::keep(const Key& key, const Packed& packed) const {
  const size_t place = static_cast<size_t>(key.hash) & (kEntries - 2);
  if (key.count == 1) {
    write(&short_[place], key, packed);
  } else {
    write(&long_[place], key, packed);
  }
}

bool PieceCache::find(std::string_view piece, Tokens& to) const {
  if (piece.empty() || piece.size() > kLongest) return false;
  Key key;
  Packed packed;
  make_key(piece, false, key);
  if (!find(key, packed)) return false;
  to.count_ = packed.count;
  uint32_t begin = 0;
  for (size_t i = 0; i < packed.count; ++i) {
    const uint32_t token = packed.token(i);
    to.tokens_[i] = {static_cast<int32_t>(token & kIdMask), begin, begin + (token >> kIdBits)};
    begin = to.tokens_[i].end;
  }
  return true;
}

inline bool PieceCache::find_ids(std::string_view piece, bool is_part, std::vector<int32_t>& ids) const {
  if (piece.empty() || piece.size() > kLongest) return false;
  Key key;
  Packed packed;
  make_key(piece, is_part, key);
  if (!find(key, packed)) return false;
  for (size_t i = 0; i < packed.count; ++i) ids.push_back(static_cast<int32_t>(packed.token(i) & kIdMask));
  return true;
}

bool PieceCache::find(std::string_view piece, std::vector<int32_t>& ids) const { return find_ids(piece, false, ids); }
bool PieceCache::find_part(std::string_view part, std::vector<int32_t>& ids) const { return find_ids(part, true, ids); }

void PieceCache::keep(std::string_view piece, const Tokens& tokens) const {
  if (piece.size() > kLongest || !tokens.fits(piece)) return;
  Key key;
  make_key(piece, false, key);
  Packed packed = {{}, tokens.count_};
  for (size_t i = 0; i < tokens.count_; ++i) {
    const Token& token = tokens.tokens_[i];
    const uint32_t one = static_cast<uint32_t>(token.id) | (token.end - token.begin) << kIdBits;
    packed.words[i / 2] |= static_cast<uint64_t>(one) << 32 * (i & 1);
  }
  keep(key, packed);
}

void PieceCache::keep_part(std::string_view part, const int32_t* ids, size_t count) const {
  if (part.empty() || part.size() > kLongest || count > kMost) return;
  Key key;
  make_key(part, true, key);
  Packed packed = {{}, count};
  for (size_t i = 0; i < count; ++i) packed.words[i / 2] |= uint64_t{static_cast<uint32_t>(ids[i])} << 32 * (i & 1);
  keep(key, packed);
}

}  // namespace lffn
