// SPDX-License-Identifier: Apache-2.0
// The tokens of short pieces of text that were cut lately, because most words of a text soon come again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/seeded_hash.h"

namespace lffn {

// Any number of threads may use it at once, and none waits: an entry that another thread is writing counts as empty.
class PieceCache {
 public:
  struct Token {
    int32_t id;
    uint32_t begin;  // bytes of the piece
    uint32_t end;
  };
  static constexpr size_t kLongest = 64;  // bytes of a piece
  static constexpr size_t kMost = 26;     // tokens of one, fewer where it is long

  // The tokens of one piece, side by side and without gaps.
  class Tokens {
   public:
    void clear() { count_ = 0; }
    // After one token that cannot be kept they no longer fit.
    void add(int32_t id, size_t begin, size_t end) {
      const bool fits = count_ < kMost && begin == (count_ > 0 ? tokens_[count_ - 1].end : 0) && begin < end;
      if (fits) tokens_[count_] = {id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
      count_ = fits ? count_ + 1 : kMost + 1;
    }
    bool fits(std::string_view piece) const {
      return count_ > 0 && count_ <= kMost && tokens_[count_ - 1].end == piece.size();
    }
    const Token* begin() const { return tokens_; }
    const Token* end() const { return tokens_ + count_; }

   private:
    friend class PieceCache;
    Token tokens_[kMost];
    size_t count_ = 0;
  };

  size_t bytes() const { return kEntries * (sizeof(ShortEntry) + sizeof(LongEntry)); }

  PieceCache() : short_(new ShortEntry[kEntries]()), long_(new LongEntry[kEntries]()) {}

  bool find(std::string_view piece, Tokens& to) const;
  // Appends the tokens' ids.
  bool find(std::string_view piece, std::vector<int32_t>& ids) const;
  // Does nothing for tokens that do not fit.
  void keep(std::string_view piece, const Tokens& tokens) const;

  // Parts of a text as it came, which may be cut into several pieces: only the ids of their tokens are kept, and a part
  // is never taken for a piece with the same bytes.
  bool find_part(std::string_view part, std::vector<int32_t>& ids) const;
  void keep_part(std::string_view part, const int32_t* ids, size_t count) const;

 private:
  static constexpr size_t kEntries = 8192;  // of each kind, in sets of two
  static constexpr size_t kKeyWords = kLongest / 8;

  // A piece and its tokens in words that are read and written one by one: first the bytes of the piece, then two tokens
  // in each, an id and, above it, how many bytes it covers. The head has the size of the piece, the number of tokens
  // and, above them, the turn, which changes with each write; while an entry is written, the size is 0.
  template <size_t kSize>
  struct alignas(kSize < 16 ? 64 : 128) Entry {
    static constexpr size_t kWords = kSize;
    std::atomic<uint64_t> head;
    std::atomic<uint64_t> words[kWords];
  };
  using ShortEntry = Entry<7>;  // of at most eight bytes
  using LongEntry = Entry<15>;
  struct Key {
    uint64_t words[kKeyWords];
    size_t count;
    uint64_t size;  // as in the head
    uint64_t hash;
  };
  // The tokens as they lie in the words.
  struct Packed {
    uint64_t words[kMost / 2];
    size_t count;  // of tokens
    uint32_t token(size_t i) const { return static_cast<uint32_t>(words[i / 2] >> 32 * (i & 1)); }
  };

  void make_key(std::string_view piece, bool is_part, Key& key) const;
  bool find(const Key& key, Packed& to) const;
  void keep(const Key& key, const Packed& packed) const;
  bool find_ids(std::string_view piece, bool is_part, std::vector<int32_t>& ids) const;

  std::unique_ptr<ShortEntry[]> short_;
  std::unique_ptr<LongEntry[]> long_;
  SeededHash hash_;
};

}  // namespace lffn
