// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/piece_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace lffn {
namespace {

// Tokens of one byte each, whose ids tell the piece.
PieceCache::Tokens tokens_of(const std::string& piece) {
  PieceCache::Tokens tokens;
  for (size_t i = 0; i < piece.size(); ++i)
    tokens.add(static_cast<unsigned char>(piece[i]) * 1000 + static_cast<int>(i), i, i + 1);
  return tokens;
}

void expect_tokens_of(const std::string& piece, const PieceCache::Tokens& found) {
  const PieceCache::Tokens expected = tokens_of(piece);
  ASSERT_EQ(found.end() - found.begin(), expected.end() - expected.begin()) << piece;
  for (size_t i = 0; i < piece.size(); ++i) {
    EXPECT_EQ(found.begin()[i].id, expected.begin()[i].id) << piece;
    EXPECT_EQ(found.begin()[i].begin, i);
    EXPECT_EQ(found.begin()[i].end, i + 1);
  }
}

TEST(PieceCache, FindsWhatItKept) {
  const PieceCache cache;
  PieceCache::Tokens found;
  for (const std::string piece : {"a", "ab", "abcdefgh", "abcdefghi", "abcdefghijklmnopqr"}) {
    EXPECT_FALSE(cache.find(piece, found));
    cache.keep(piece, tokens_of(piece));
    ASSERT_TRUE(cache.find(piece, found)) << piece;
    expect_tokens_of(piece, found);
    EXPECT_FALSE(cache.find(piece + '\0', found));
  }
  EXPECT_FALSE(cache.find("", found));
}

TEST(PieceCache, KeepsOnlyTokensSideBySide) {
  const PieceCache cache;
  const auto is_kept = [&](const std::string& piece, const PieceCache::Tokens& tokens) {
    PieceCache::Tokens found;
    cache.keep(piece, tokens);
    return cache.find(piece, found);
  };
  EXPECT_TRUE(is_kept("as many tokens as can be", tokens_of("as many tokens as can be")));
  const std::string many(33, 'x');
  EXPECT_FALSE(is_kept(many, tokens_of(many)));
  EXPECT_FALSE(is_kept("none", {}));
  EXPECT_FALSE(is_kept("part", tokens_of("par")));
  PieceCache::Tokens tokens;
  tokens.add(1, 0, 2);
  tokens.add(2, 0, 2);
  EXPECT_FALSE(is_kept("ab", tokens));
  const std::string longest(PieceCache::kLongest, 'x');
  tokens.clear();
  tokens.add((1 << 22) - 1, 0, longest.size());
  EXPECT_TRUE(is_kept(longest, tokens));
  tokens.clear();
  tokens.add(1, 0, longest.size() + 1);
  EXPECT_FALSE(is_kept(longest + 'x', tokens));
}

TEST(PieceCache, KnowsPartsFromPieces) {
  const PieceCache cache;
  std::vector<int32_t> found = {7};
  const int32_t ids[] = {(1 << 22) - 1, 0, 5};
  for (const std::string part : {"a", "part", "twelve bytes", "a part of a text, of forty-one bytes: one"}) {
    cache.keep(part, tokens_of(part));
    EXPECT_FALSE(cache.find_part(part, found));
    cache.keep_part(part, ids, 3);
    ASSERT_TRUE(cache.find_part(part, found)) << part;
    EXPECT_EQ(found, (std::vector<int32_t>{7, ids[0], ids[1], ids[2]}));
    found.resize(1);
  }
  found.clear();
  EXPECT_TRUE(cache.find("part", found));
  EXPECT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1], 'a' * 1000 + 1);
  cache.keep_part("nothing", nullptr, 0);
  EXPECT_TRUE(cache.find_part("nothing", found));
  EXPECT_EQ(found.size(), 4u);
  const std::vector<int32_t> many(PieceCache::kMost + 1);
  cache.keep_part("too many for it", many.data(), many.size());
  EXPECT_FALSE(cache.find_part("too many for it", found));
}

TEST(PieceCache, KeepsBothOfTwoInOnePlace) {
  const PieceCache cache;
  PieceCache::Tokens found;
  const auto piece = [](unsigned i) { return std::to_string(i) + " is a piece"; };
  for (unsigned i = 0; i < 1000; ++i) cache.keep(piece(i), tokens_of(piece(i)));
  unsigned lost = 0;
  for (unsigned i = 0; i < 1000; ++i) lost += cache.find(piece(i), found) ? 0 : 1;
  EXPECT_LT(lost, 50u) << "7 are expected, 59 in an eighth of the room";
}

TEST(PieceCache, IsOneForManyThreads) {
  const PieceCache cache;
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      PieceCache::Tokens found;
      for (unsigned i = 0; i < 40000; ++i) {
        const std::string piece = std::to_string(i * (number + 1) % 9973);
        if (cache.find(piece, found)) {
          expect_tokens_of(piece, found);
        } else {
          cache.keep(piece, tokens_of(piece));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace lffn
