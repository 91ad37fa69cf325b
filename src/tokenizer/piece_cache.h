// SPDX-License-Identifier: Apache-2.0
// The tokens of short pieces of text that were cut lately: most words of a text are there again soon.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/seeded_hash.h"

namespace lffn {

// Any number of threads may use it at once, none of them waits: a place that another one writes is as if it were empty.
class PieceCache {
 public:
  struct Token {
    int32_t id;
    uint32_t begin;  // bytes of the piece
    uint32_t end;
  };
  static constexpr size_t kLongest = 40;  // bytes of a piece

  // The tokens of one piece, side by side and without gaps.
  class Tokens {
   public:
    void clear() { count_ = 0; }
    // What cannot be kept makes them none that fits.
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
    static constexpr size_t kMost = 18;
    Token tokens_[kMost];
    size_t count_ = 0;
  };

  PieceCache() : entries_(new Entry[kEntries]()) {}

  bool find(std::string_view piece, Tokens& to) const;
  // Does nothing for tokens that do not fit.
  void keep(std::string_view piece, const Tokens& tokens) const;

 private:
  static constexpr size_t kEntries = 4096;
  static constexpr size_t kKeyWords = kLongest / 8, kTokenWords = Tokens::kMost / 2;

  // A piece and its tokens in words that are read and written one by one, in two lines of the caches.
  struct alignas(64) Entry {
    std::atomic<uint64_t> turn;   // odd while it is written; another one each time
    std::atomic<uint64_t> sizes;  // bytes of the piece; 256 times the number of tokens
    std::atomic<uint64_t> key[kKeyWords];
    std::atomic<uint64_t> tokens[kTokenWords];  // two each: an id and, above it, the bytes
  };
  struct Key {
    uint64_t words[kKeyWords];
    size_t place;
  };
  Key key_of(std::string_view piece) const;

  std::unique_ptr<Entry[]> entries_;
  SeededHash hash_;
};

}  // namespace lffn
