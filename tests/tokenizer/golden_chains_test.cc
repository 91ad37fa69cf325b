// SPDX-License-Identifier: Apache-2.0
// Tokenizers whose ids and offsets the reference wrote, one for each step that there is, from tokenizer.json and from
// what to_json() makes of it.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

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

TEST(GoldenChains, GiveTheIdsAndOffsetsOfTheReference) {
  size_t count = 0;
  if (!fs::exists(LFFN_GOLDEN_HF8)) GTEST_SKIP() << "no " << LFFN_GOLDEN_HF8;
  for (const auto& folder : fs::directory_iterator(LFFN_GOLDEN_HF8)) {
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
  EXPECT_GT(count, 40u);
}

}  // namespace
}  // namespace lffn
