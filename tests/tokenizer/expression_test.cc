// SPDX-License-Identifier: Apache-2.0
// Expressions find what trying each way to match finds, in steps that their size and the text's bound.
#include "tokenizer/expression.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace lffn {
namespace {

using Match = Expression::Match;

std::string repeated(std::string_view text, size_t times) {
  std::string result;
  while (times-- > 0) result += text;
  return result;
}

std::vector<std::pair<size_t, size_t>> matches(const Expression& expression, std::string_view text,
                                               Expression::Scratch& scratch) {
  std::vector<std::pair<size_t, size_t>> found;
  scratch.begin(text.size());
  size_t at = 0;
  while (const std::optional<Match> match = expression.find(text, at, scratch, nullptr)) {
    found.emplace_back(match->begin, match->end);
    at = match->end;
  }
  return found;
}

uint64_t steps(const std::string& source, const std::string& text) {
  const std::optional<Expression> expression = Expression::parse(source);
  EXPECT_TRUE(expression.has_value()) << source;
  Expression::Scratch scratch;
  matches(*expression, text, scratch);
  EXPECT_LE(scratch.frames.capacity(), 10000u) << source;
  return scratch.tried + scratch.foreseen;
}

// Expressions whose ways to match are many: of each the part that is repeated as it grows, and what comes behind it.
const std::vector<std::pair<std::string, std::string>> kMany = {
    {"a{0,64}", "b"},        {"(?:a|b)?", "c"},  {"a?", "c"},        {"a*", "b"},  {"(?:a|aa)+", "b"},
    {"(?:a?a?a)+", "b"},     {"a{1,3}+", "b"},   {"(?:a|a|a)", "c"}, {"a?+", "b"}, {"a{0,9}(?=a)", "b"},
    {"(?:a{0,5}b?a)*", "c"}, {"[ab]{0,64}", "c"}};

TEST(Expression, TakesStepsInProportionToTheText) {
  for (const auto& [part, end] : kMany) {
    const std::string source = repeated(part, 6) + end + "|a";
    for (const char* unit : {"a", "ab", "\u00e9a"}) {
      const uint64_t size = Expression::parse(source)->size();
      for (size_t bytes = 1024; bytes <= 16384; bytes *= 2) {
        const std::string text = repeated(unit, bytes / std::string(unit).size());
        EXPECT_LE(steps(source, text), 2048 + text.size() * (64 + 3 * size)) << source << " in " << bytes;
      }
    }
  }
}

TEST(Expression, TakesStepsInProportionToItsSize) {
  const std::string text(4096, 'a');
  for (const auto& [part, end] : kMany) {
    for (size_t times = 2; times <= 32; times *= 2) {
      const std::string source = repeated(part, times) + end + "|a";
      const std::optional<Expression> expression = Expression::parse(source);
      ASSERT_TRUE(expression) << source;
      EXPECT_LE(steps(source, text), 2048 + text.size() * (64 + 3 * expression->size())) << source;
    }
  }
}

// Many short texts have no more steps than one long one.
TEST(Expression, SharesStepsAmongTexts) {
  const std::optional<Expression> expression = Expression::parse(repeated("a?", 20) + repeated("a", 20) + "b|a");
  Expression::Scratch scratch;
  for (size_t i = 0; i < 4096; ++i) matches(*expression, "aaaaaaaa", scratch);
  EXPECT_LE(scratch.tried + scratch.foreseen, 2048 + 4096 * 8 * (64 + 3 * expression->size()));
}

// A way through an expression, as long as it is tried, has a frame for each choice: at a bound of these it is foreseen.
TEST(Expression, KeepsFewFrames) {
  const std::string source = "(?:" + repeated("(?:x)?", 100) + "a)+b|a|y";
  steps(source, std::string(20000, 'y') + std::string(20000, 'a'));
}

// Random expressions: those that have an outlook from the first character on find what those without one find.
class Sources {
 public:
  explicit Sources(uint32_t seed) : random_(seed) {}

  std::string next() { return alternatives(3) + "|" + one(); }
  std::string text() {
    std::string result;
    for (size_t left = random_() % 40; left > 0; --left) result += kLetters[random_() % 5];
    return result;
  }
  size_t below(size_t bound) { return random_() % bound; }

 private:
  static constexpr const char* kLetters[] = {"a", "a", "b", "\u00e9", " "};

  std::string one() {
    constexpr const char* kOnes[] = {"a", "b", "[ab]", "\u00e9", "\\s", "[^a]", "."};
    return kOnes[random_() % 7];
  }
  std::string item(size_t depth) {
    constexpr const char* kTimes[] = {"",      "",   "?",  "*",  "+",   "{0,2}", "{2,3}",
                                      "{1,5}", "?+", "*+", "++", "{2}", "{1,2}+"};
    constexpr const char* kGroupTimes[] = {"", "?", "{0,2}", "{1,3}", "+", "*"};
    if (depth > 0 && random_() % 3 == 0) return "(?:" + alternatives(depth - 1) + ")" + kGroupTimes[random_() % 6];
    if (random_() % 8 == 0) return random_() % 2 == 0 ? "(?!" + one() + ")" : "(?=" + one() + ")";
    return one() + kTimes[random_() % 13];
  }
  std::string alternatives(size_t depth) {
    std::string result;
    for (size_t left = 1 + random_() % 3; left > 0; --left) {
      for (size_t items = 1 + random_() % 3; items > 0; --items) result += item(depth);
      if (left > 1) result += "|";
    }
    return result;
  }

  std::mt19937 random_;
};

TEST(Expression, FindsTheSameWithAnOutlook) {
  Sources sources(5);
  size_t checked = 0, found = 0;
  while (checked < 5000) {
    const std::string source = sources.next();
    const std::optional<Expression> expression = Expression::parse(source);
    if (!expression) continue;
    // Long enough for more than one block, now and then.
    std::string text = sources.text();
    if (checked % 16 == 0) text = repeated(text + "b", 2000 / (text.size() + 1)) + std::string(sources.below(900), 'a');
    Expression::Scratch trying, foreseeing;
    foreseeing.tried = UINT64_MAX / 2;  // more than any text may have
    const auto wanted = matches(*expression, text, trying);
    const auto got = matches(*expression, text, foreseeing);
    ASSERT_EQ(got, wanted) << source << " in '" << text << "'";
    found += got.size();
    ++checked;
  }
  EXPECT_GT(found, 25000u);
}

}  // namespace
}  // namespace lffn
