// SPDX-License-Identifier: Apache-2.0
// Ids, types and offsets of folders that transformers wrote, from tokenizer.json, from what is read without one, and
// from what to_json() makes of both.
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

std::unique_ptr<const Tokenizer> open(const fs::path& folder, bool with_json) {
  const char* names[] = {
      "tokenizer.json", "tokenizer_config.json",  "special_tokens_map.json", "vocab.txt", "vocab.json",
      "merges.txt",     "sentencepiece.bpe.model"};
  TokenizerFiles files;
  std::optional<std::string_view>* places[] = {
      &files.tokenizer_json, &files.tokenizer_config, &files.special_tokens_map, &files.vocab_txt,
      &files.vocab_json,     &files.merges_txt,       &files.sentencepiece};
  std::string texts[7];
  for (size_t i = with_json ? 0 : 1; i < 7; ++i) {
    if (!fs::exists(folder / names[i])) continue;
    texts[i] = content(folder / names[i]);
    *places[i] = texts[i];
  }
  return Tokenizer::from_files(files);
}

void check(const Tokenizer& tokenizer, const Json& cases) {
  Tokenizer::Scratch scratch;
  Encoding found;
  const size_t most = cases.value("max_tokens", size_t{60});
  for (const Json& entry : cases["texts"]) {
    const auto text = entry["text"].get<std::string>();
    tokenizer.encode(text, nullptr, {true}, scratch, found);
    EXPECT_EQ(found.ids, entry["full_ids"].get<Ids>()) << text;
    tokenizer.encode(text, nullptr, {true, most, true}, scratch, found);
    EXPECT_EQ(found.ids, entry["ids"].get<Ids>()) << text;
    EXPECT_EQ(found.num_tokens, entry["full_ids"].size());
    EXPECT_EQ(characters(text, found.spans), entry["offsets"]) << text;
    for (size_t i = 0; i < found.ids.size(); ++i) {
      ASSERT_TRUE(tokenizer.token_of(found.ids[i]).has_value());
      EXPECT_EQ(*tokenizer.token_of(found.ids[i]), entry["tokens"][i].get<std::string>());
      EXPECT_EQ(tokenizer.id_of(entry["tokens"][i].get<std::string>()), found.ids[i]);
    }
  }
  for (const Json& entry : cases["pairs"]) {
    const auto a = entry["a"].get<std::string>(), b = entry["b"].get<std::string>();
    const std::string_view pair = b;
    tokenizer.encode(a, &pair, {true, most}, scratch, found);
    EXPECT_EQ(found.ids, entry["ids"].get<Ids>()) << a << " | " << b;
    // null: transformers' tokenizer of that family gives no types.
    if (entry["types"].is_null()) continue;
    EXPECT_EQ(found.types, entry["types"].get<Ids>()) << a << " | " << b;
  }
}

bool is_other_bpe(const fs::path& folder) {
  const std::string name = folder.filename().string();
  for (const char* family : {"modernbert", "eurobert", "gemma3", "qwen3"}) {
    if (name.rfind(family, 0) == 0) return true;
  }
  return false;
}

int check_folders(const fs::path& all) {
  int checked = 0;
  if (!fs::exists(all)) return checked;
  for (const auto& folder : fs::directory_iterator(all)) {
    // Some folders are read by ids alone.
    if (!fs::exists(folder.path() / "tokens.json") || !fs::exists(folder.path() / "tokenizer.json")) continue;
    const Json cases = Json::parse(content(folder.path() / "tokens.json"));
    EXPECT_GE(cases["texts"].size(), 4u);
    // What byte-level BPE of later families asks is refused by name.
    if (is_other_bpe(folder.path())) continue;
    const bool has_vocabulary = fs::exists(folder.path() / "vocab.txt") || fs::exists(folder.path() / "vocab.json") ||
                                fs::exists(folder.path() / "sentencepiece.bpe.model");
    for (const bool with_json : {true, false}) {
      if (!with_json && !has_vocabulary) continue;
      SCOPED_TRACE(folder.path().string() + (with_json ? "" : " without tokenizer.json"));
      const auto tokenizer = open(folder.path(), with_json);
      check(*tokenizer, cases);
      const auto copy = Tokenizer::from_tokenizer_json(tokenizer->to_json());
      EXPECT_EQ(copy->to_json(), tokenizer->to_json());
      EXPECT_EQ(copy->mask_id(), tokenizer->mask_id());
      EXPECT_EQ(copy->max_length(), tokenizer->max_length());
      check(*copy, cases);
    }
    ++checked;
  }
  return checked;
}

TEST(GoldenHf, TheProjectsOwnFolders) { EXPECT_EQ(check_folders(LFFN_HF_DATA), 2); }

TEST(GoldenHf, SmallFolders) { EXPECT_EQ(check_folders(LFFN_SMALL_FOLDERS), 12); }

TEST(GoldenHf, MoreFolders) {
  if (check_folders(LFFN_MORE_HF_DATA) == 0) GTEST_SKIP() << LFFN_MORE_HF_DATA << " is not there";
}

TEST(GoldenHf, FoldersOfMoreFamilies) {
  const int checked = check_folders(LFFN_GOLDEN_HF3) + check_folders(LFFN_GOLDEN_HF4);
  if (checked == 0) GTEST_SKIP() << LFFN_GOLDEN_HF3 << " is not there";
  EXPECT_GE(checked, 20);
}

TEST(GoldenHf, TheRealModel) {
  const fs::path folder = fs::path(LFFN_REAL_MODELS) / "all-MiniLM-L6-v2";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const auto tokenizer = open(folder, true);
  EXPECT_EQ(tokenizer->max_length(), 512u);
  const Json cases = Json::parse(content(folder / "reference.json"));
  EXPECT_GT(cases.size(), 200u);
  for (const Json& entry : cases) {
    std::string text = entry["text"].get<std::string>();
    text.erase(text.find_last_not_of(" \n\t") + 1);
    EXPECT_EQ(encode(*tokenizer, text, {true, 256}), entry["ids"].get<Ids>()) << text;
  }
}

}  // namespace
}  // namespace lffn
