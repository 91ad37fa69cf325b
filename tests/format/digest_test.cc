// SPDX-License-Identifier: Apache-2.0
#include "format/digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

namespace lffn {
namespace {

using Value = std::array<uint8_t, Digest::kBytes>;

Value digest_of(std::string_view text) {
  Digest digest;
  digest.add(text.data(), text.size());
  return digest.value();
}

std::string some_bytes(size_t count) {
  std::string bytes(count, '\0');
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(i * i + 7 * i + (i >> 3));
  return bytes;
}

TEST(Digest, PiecesMakeNoDifference) {
  const std::string bytes = some_bytes(301);
  const Value whole = digest_of(bytes);
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    Digest digest;
    for (size_t i = 0; i < bytes.size(); i += piece) {
      digest.add(bytes.data() + i, std::min(piece, bytes.size() - i));
      if (i == 0) digest.value();  // asking changes nothing
    }
    EXPECT_EQ(digest.value(), whole) << piece;
  }
}

TEST(Digest, LengthsBitsAndPlacesMatter) {
  std::set<Value> seen;
  for (size_t size = 0; size <= 200; ++size)
    EXPECT_TRUE(seen.insert(digest_of(std::string(size, '\0'))).second) << size;
  const std::string bytes = some_bytes(129);
  EXPECT_TRUE(seen.insert(digest_of(bytes)).second);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] ^ 1 << bit);
      EXPECT_TRUE(seen.insert(digest_of(other)).second) << i << " " << bit;
    }
  }
  for (size_t i = 0; i + 8 < bytes.size(); ++i) {
    std::string other = bytes;
    std::swap(other[i], other[i + 8]);
    if (other == bytes) continue;
    EXPECT_TRUE(seen.insert(digest_of(other)).second) << i;
  }
}

// About half of all bits change with each bit, in all parts of the digest.
TEST(Digest, EachBitReachesAllOthers) {
  std::string bytes = some_bytes(96);
  const Value first = digest_of(bytes);
  std::vector<int> flips(8 * Digest::kBytes);
  for (size_t at = 0; at < 8 * bytes.size(); ++at) {
    std::string other = bytes;
    other[at / 8] = static_cast<char>(other[at / 8] ^ 1 << at % 8);
    const Value value = digest_of(other);
    int changed = 0;
    for (size_t i = 0; i < flips.size(); ++i) {
      const int bit = (first[i / 8] ^ value[i / 8]) >> i % 8 & 1;
      flips[i] += bit;
      changed += bit;
    }
    EXPECT_GT(changed, 30) << at;  // 64 on average, with a spread of 6
    EXPECT_LT(changed, 98) << at;
  }
  for (const int flip : flips) {
    EXPECT_GT(flip, 290);  // 384 on average, with a spread of 14
    EXPECT_LT(flip, 480);
  }
}

TEST(Digest, TextsEndWhereTheyEnd) {
  Digest one, other;
  one.add_text("ab");
  one.add_text("c");
  other.add_text("a");
  other.add_text("bc");
  EXPECT_NE(one.value(), other.value());
}

// Stored vectors name their model by it, so it stays what it is.
TEST(Digest, StaysTheSame) {
  const Value expected = {0x51, 0x75, 0xf3, 0x0c, 0x2d, 0x16, 0x06, 0xb3,
                          0x16, 0x60, 0x7c, 0x36, 0x22, 0x6b, 0xbf, 0x39};
  EXPECT_EQ(digest_of("LookupFFN"), expected);
}

}  // namespace
}  // namespace lffn
