// SPDX-License-Identifier: Apache-2.0
// Merging against the plain way of doing it, for merges in any order, also such as no training would give.
#include "tokenizer/merger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/error.h"
#include "tests/support/cpu_time.h"

namespace lffn {
namespace {

using Strings = std::vector<std::string>;

// The text of each symbol, and the merges as pairs of texts.
struct Random {
  std::mt19937 engine;
  Strings symbols = {"a", "b", "c"};
  std::vector<std::pair<std::string, std::string>> pairs;

  explicit Random(uint32_t seed) : engine(seed) {
    const uint32_t count = 1 + engine() % 24;
    for (uint32_t i = 0; i < count; ++i) {
      const std::string left = symbols[engine() % symbols.size()], right = symbols[engine() % symbols.size()];
      if (std::find(pairs.begin(), pairs.end(), std::make_pair(left, right)) != pairs.end()) continue;
      pairs.emplace_back(left, right);
      if (std::find(symbols.begin(), symbols.end(), left + right) == symbols.end()) symbols.push_back(left + right);
    }
    std::shuffle(pairs.begin(), pairs.end(), engine);
  }

  uint32_t number(const std::string& text) const {
    return static_cast<uint32_t>(std::find(symbols.begin(), symbols.end(), text) - symbols.begin());
  }
  Merger merger() const {
    std::vector<Merge> merges;
    for (const auto& [left, right] : pairs) merges.push_back({number(left), number(right), number(left + right)});
    return Merger(merges);
  }
  // Each character a symbol.
  static std::vector<Symbol> read(std::string_view text) {
    std::vector<Symbol> result;
    for (size_t i = 0; i < text.size(); ++i) {
      result.push_back({static_cast<uint32_t>(text[i] - 'a'), static_cast<uint32_t>(i)});
    }
    return result;
  }
  std::string text(size_t size) {
    std::string result;
    for (size_t i = 0; i < size; ++i) result += static_cast<char>('a' + engine() % 3);
    return result;
  }
  Strings expected(const std::string& text) const {
    Strings left;
    for (const char c : text) left.emplace_back(1, c);
    for (;;) {
      size_t best = pairs.size(), place = 0;
      for (size_t i = 0; i + 1 < left.size(); ++i) {
        const auto rank = std::find(pairs.begin(), pairs.end(), std::make_pair(left[i], left[i + 1])) - pairs.begin();
        if (static_cast<size_t>(rank) >= best) continue;
        best = static_cast<size_t>(rank);
        place = i;
      }
      if (best == pairs.size()) return left;
      left[place] += left[place + 1];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
  }
  Strings texts(const std::vector<Symbol>& found) const {
    Strings result;
    for (const Symbol& symbol : found) result.push_back(symbols[symbol.symbol]);
    return result;
  }
};

TEST(Merger, BothWaysMergeAsThePlainOne) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const Merger merger = random.merger();
    const std::string text = random.text(1 + seed % Merger::kShort);
    const Strings expected = random.expected(text);
    std::vector<Symbol> found = Random::read(text);
    merger.merge_short(found);
    ASSERT_EQ(random.texts(found), expected) << seed << ": " << text;
    size_t begin = 0;
    for (const Symbol& symbol : found) {
      ASSERT_EQ(symbol.begin, begin);
      begin += random.symbols[symbol.symbol].size();
    }
    std::vector<Symbol> found_long = Random::read(text);
    merger.merge_long(found_long);
    ASSERT_EQ(random.texts(found_long), expected) << seed << ": " << text;
    ASSERT_EQ(found_long.back().begin, found.back().begin);
  }
}

TEST(Merger, MergesLongPieces) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const std::string text = seed % 4 == 0 ? std::string(1000 + seed, 'a') : random.text(1000 + seed);
    std::vector<Symbol> found = Random::read(text);
    random.merger().merge(found);
    ASSERT_EQ(random.texts(found), random.expected(text)) << seed;
  }
}

TEST(Merger, AMergeOfALongPieceCanBeCancelled) {
  Random random(4);
  const int32_t cancel = 1, go_on = 0;
  const std::vector<Symbol> symbols = Random::read(random.text(1 << 16));
  std::vector<Symbol> cancelled = symbols, merged = symbols, few = Random::read(random.text(100));
  EXPECT_THROW(random.merger().merge(cancelled, &cancel), Error);
  EXPECT_NO_THROW(random.merger().merge(merged, &go_on));
  EXPECT_NO_THROW(random.merger().merge(few, &cancel)) << "short ones are soon done";
}

TEST(Merger, AMergeOfManyMegabytesEndsSoon) {
  Random random(4);
  const auto merger = random.merger();
  const std::string text(16 << 20, 'a');
  const auto seconds_of = [&](std::string_view part, const int32_t* cancel) {
    std::vector<Symbol> symbols = Random::read(part);
    const double start = cpu_seconds();
    if (cancel != nullptr) {
      EXPECT_THROW(merger.merge(symbols, cancel), Error);
    } else {
      merger.merge(symbols, nullptr);
    }
    return cpu_seconds() - start;
  };
  const double sixteenth = seconds_of(std::string_view(text).substr(0, 1 << 20), nullptr);
  const int32_t cancel = 1;
  EXPECT_LT(seconds_of(text, &cancel), sixteenth) << "before much of the text was looked at";
}

}  // namespace
}  // namespace lffn
