// SPDX-License-Identifier: Apache-2.0
// A piece that is cut where next_cut() says has the tokens of the whole, whatever the merges.
#include "tokenizer/byte_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lffn {
namespace {

using Strings = std::vector<std::string>;
struct Token {
  int32_t id;
  size_t begin, end;
  bool operator==(const Token& other) const { return id == other.id && begin == other.begin && end == other.end; }
};

const std::string kSign = "\u2581";

// Tokens of random merges between characters, signs for blanks, bytes and the unknown.
struct Random {
  std::mt19937 engine;
  Strings symbols = {"<unk>", "a", "b", "\u00e9", ">", kSign};
  std::vector<std::pair<std::string, std::string>> merges;

  Random(uint32_t seed, size_t most_merges, bool bytes) : engine(seed) {
    for (int byte = 0; bytes && byte < 256; ++byte) {
      char text[8];
      std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
      symbols.emplace_back(text);
    }
    const size_t count = 1 + engine() % most_merges;
    for (size_t i = 0; i < count; ++i) {
      const std::string left = part(), right = engine() % 3 == 0 ? kSign : part();
      if (std::find(merges.begin(), merges.end(), std::make_pair(left, right)) != merges.end()) continue;
      merges.emplace_back(left, right);
      if (std::find(symbols.begin(), symbols.end(), left + right) == symbols.end()) symbols.push_back(left + right);
    }
  }

  // Mostly characters and what was merged before, seldom a byte.
  std::string part() {
    const size_t byte_tokens = symbols.size() > 256 ? 256 : 0, place = engine() % (symbols.size() - byte_tokens);
    if (byte_tokens > 0 && engine() % 8 == 0)
      return symbols[6 + size_t{std::array<unsigned char, 3>{9, 10, 0xc3}[engine() % 3]}];
    return symbols[place < 6 ? place : place + byte_tokens];
  }
  std::string text(size_t size) {
    const Strings parts = {"a", "b", "\u00e9", ">", kSign, kSign, kSign, "\t", "\u4e2d", "\u00fc"};
    std::string result;
    for (size_t i = 0; i < size; ++i) result += parts[engine() % parts.size()];
    return result;
  }
};

struct Pairs {
  Vocabulary vocabulary;
  BytePairs pairs;

  Pairs(const Random& random, const BytePairs::Settings& settings, int32_t unknown_id)
      : vocabulary(tokens(random.symbols), Vocabulary::Twice::kRefused, "test"),
        pairs(vocabulary, texts(random.merges), settings, unknown_id, "test") {}

  static std::vector<std::pair<std::string, int32_t>> tokens(const Strings& symbols) {
    std::vector<std::pair<std::string, int32_t>> result;
    for (size_t i = 0; i < symbols.size(); ++i) result.emplace_back(symbols[i], static_cast<int32_t>(i));
    return result;
  }
  static MergeTexts texts(const std::vector<std::pair<std::string, std::string>>& merges) {
    MergeTexts result;
    for (const auto& [left, right] : merges) result.add(left, right);
    return result;
  }
  std::vector<Token> split(std::string_view text, size_t before = 0) const {
    std::vector<Token> result;
    BytePairs::Scratch scratch;
    pairs.split(text, scratch, nullptr, [&](int32_t id, size_t begin, size_t end) {
      result.push_back({id, before + begin, before + end});
    });
    return result;
  }
  std::vector<Token> split_in_parts(std::string_view text, size_t& parts) const {
    std::vector<Token> result;
    for (size_t at = 0; at < text.size(); ++parts) {
      const size_t end = pairs.next_cut(text, at);
      const std::vector<Token> found = split(text.substr(at, end - at), at);
      result.insert(result.end(), found.begin(), found.end());
      at = end;
    }
    return result;
  }
};

TEST(BytePairs, PartsHaveTheTokensOfTheWhole) {
  size_t parts = 0, cut = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    BytePairs::Settings settings;
    settings.by_bytes = false;
    settings.byte_fallback = seed % 3 == 0;
    settings.fuse_unknown = seed % 2 == 0;
    settings.ignore_merges = seed % 16 == 1;
    Random random(seed, 12, settings.byte_fallback);
    // None, an added token's behind the vocabulary, or the first token's.
    const auto behind = static_cast<int32_t>(random.symbols.size());
    const int32_t unknown_id = seed % 5 == 0 ? -1 : seed % 5 == 1 ? behind : 0;
    const Pairs pairs(random, settings, unknown_id);
    const std::string text = random.text(1 + seed % 60);
    const size_t before = parts;
    ASSERT_EQ(pairs.split_in_parts(text, parts), pairs.split(text)) << seed << ": " << text;
    cut += parts - before > 1 ? 1 : 0;
    ASSERT_TRUE(parts - before == 1 || !(settings.ignore_merges || unknown_id != 0)) << seed;
  }
  EXPECT_GT(cut, 500U) << "else nothing was compared";
}

TEST(BytePairs, IsCutBeforeSignsForBlanksThatNoMergeJoins) {
  Random random(0, 1, false);
  random.merges = {{"a", kSign}, {kSign, kSign}, {kSign, "b"}};
  random.symbols = {"<unk>", "a", "b", kSign, "a" + kSign, kSign + kSign, kSign + "b"};
  BytePairs::Settings settings;
  settings.by_bytes = false;
  const Pairs pairs(random, settings, 0);
  const std::string text = "b" + kSign + kSign + "b" + kSign + "a" + kSign + "b";
  EXPECT_EQ(pairs.pairs.next_cut(text, 0), 1U);
  EXPECT_EQ(pairs.pairs.next_cut(text, 1), 8U) << "not between two signs";
  EXPECT_EQ(pairs.pairs.next_cut(text, 8), text.size()) << "not behind a";
}

}  // namespace
}  // namespace lffn
