// SPDX-License-Identifier: Apache-2.0
// Tokenizers whose ids and offsets the reference wrote, one for each step that there is, from tokenizer.json and from
// what to_json() makes of it.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "runtime/error.h"
#include "tests/support/cpu_time.h"
#include "tests/tokenizer/small.h"

namespace lffn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The spans in characters.
Json characters(const std::string& text, const std::vector<TextSpan>& spans) {
  std::vector<size_t> place(text.size() + 1, SIZE_MAX);
  size_t count = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const bool starts = i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts) place[i] = count++;
  }
  Json result = Json::array();
  for (const TextSpan& span : spans) result.push_back({place[span.begin], place[span.end]});
  return result;
}

// With spans and without them, which go two ways.
void check(const Tokenizer& tokenizer, const Json& lines, const std::string& name) {
  Tokenizer::Scratch scratch;
  Encoding found;
  Tokenizer::Options options;
  options.special = true;
  for (const Json& line : lines) {
    const auto text = line["text"].get<std::string>();
    options.spans = true;
    tokenizer.encode(text, nullptr, options, scratch, found);
    ASSERT_EQ(found.ids, line["ids"].get<Ids>()) << name << ": " << text;
    if (line.contains("offsets")) {
      ASSERT_EQ(characters(text, found.spans), line["offsets"]) << name << ": " << text;
    }
    options.spans = false;
    tokenizer.encode(text, nullptr, options, scratch, found);
    ASSERT_EQ(found.ids, line["ids"].get<Ids>()) << name << ": " << text;
  }
}

// How many there are in the folder.
size_t check_all(const fs::path& folders) {
  size_t count = 0;
  for (const auto& folder : fs::directory_iterator(folders)) {
    const std::string name = folder.path().filename().string();
    if (name.compare(0, 10, "tokenizer-") != 0) continue;
    const Json lines = Json::parse(content(folder.path() / "lines.json"));
    const auto tokenizer = Tokenizer::from_tokenizer_json(content(folder.path() / "tokenizer.json"));
    check(*tokenizer, lines, name);
    const std::string again = tokenizer->to_json();
    const auto same = Tokenizer::from_tokenizer_json(again);
    check(*same, lines, name + " again");
    EXPECT_EQ(same->to_json(), again) << name;
    ++count;
  }
  return count;
}

TEST(GoldenChains, GiveTheIdsAndOffsetsOfTheReference) { EXPECT_EQ(check_all(LFFN_CHAINS), 17u); }

TEST(GoldenChains, GiveThemForAllThatThereAre) {
  if (!fs::exists(LFFN_GOLDEN_HF8)) GTEST_SKIP() << "no " << LFFN_GOLDEN_HF8;
  EXPECT_GT(check_all(LFFN_GOLDEN_HF8), 40u);
}

std::string repeated(std::string_view text, size_t times) {
  std::string result;
  while (times-- > 0) result += text;
  return result;
}

// A tokenizer of the letter a with these steps before it.
std::unique_ptr<const Tokenizer> with_steps(const std::string& normalizer, const std::string& pre_tokenizer) {
  return Tokenizer::from_tokenizer_json(R"({"added_tokens": [], "normalizer": )" + normalizer +
                                        R"(, "pre_tokenizer": )" + pre_tokenizer +
                                        R"(, "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})");
}

std::string replaces(const std::string& from, const std::string& to, size_t times) {
  const std::string step = R"({"type": "Replace", "pattern": {"String": ")" + from + R"("}, "content": ")" + to + "\"}";
  return R"({"type": "Sequence", "normalizers": [)" + step + repeated(", " + step, times - 1) + "]}";
}

TEST(Chains, MakeNoTextFarLonger) {
  const auto tokenizer = with_steps(replaces("a", "aa", 12), "null");
  EXPECT_EQ(encode(*tokenizer, "a").size(), 4096u);
  try {
    encode(*tokenizer, std::string(1 << 20, 'a'));
    FAIL() << "4096 times a megabyte";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), LFFN_ERROR_BAD_TEXT);
    EXPECT_STREQ(error.what(), "the steps of the tokenizer make the text longer than 4456448 bytes; give it in parts");
  }
}

// 32 times as long, and some times more for new memory; what grows with the square takes 1024 times as long.
void expect_linear(const Tokenizer& tokenizer, const std::string& unit) {
  const auto seconds = [&](const std::string& text) {
    const double start = cpu_seconds();
    encode(tokenizer, text);
    return cpu_seconds() - start;
  };
  const std::string text = repeated(unit, 8192 / unit.size());
  seconds(text);
  EXPECT_LT(seconds(repeated(text, 32)), 0.05 + 256 * seconds(text)) << unit;
}

TEST(Chains, SearchInLinearTime) {
  const auto texts = with_steps(replaces(std::string(255, 'a') + 'b', "", 8), "null");
  expect_linear(*texts, "a");
  for (const char* regex : {"a*b|a", "a*a*a*b|a", "(a|aa)+b|a", "a++b|a", "(a?){1,2}(a|ab)*c|a"}) {
    const auto cuts = with_steps("null", R"({"type": "Split", "pattern": {"Regex": ")" + std::string(regex) +
                                             R"("}, "behavior": "Isolated", "invert": false})");
    expect_linear(*cuts, "a");
    EXPECT_EQ(encode(*cuts, std::string(5000, 'a')).size(), 5000u);
  }
}

// Alone they would be read; each has 302 instructions.
TEST(Chains, HaveExpressionsOfABoundedSize) {
  const std::string part = "(?:a|b)?";
  const std::string regex = repeated(part, 60) + "c";
  const std::string step = R"({"type": "Split", "pattern": {"Regex": ")" + regex + R"("}, "behavior": "Isolated"})";
  const auto rows = [&](size_t times) {
    return R"({"type": "Sequence", "pretokenizers": [)" + step + repeated(", " + step, times - 1) + "]}";
  };
  EXPECT_EQ(encode(*with_steps("null", rows(3)), "aaaa").size(), 4u);
  try {
    with_steps("null", rows(64));
    FAIL() << "64 steps";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "tokenizer.json: its expressions have 19328 instructions together, more than the 1024 allowed; use "
                 "fewer of them, or shorter ones");
  }
}

}  // namespace
}  // namespace lffn
