// SPDX-License-Identifier: Apache-2.0
// Pairs in a row whose first text is the same: nothing differs from each pair alone.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "model/config/tokenizer_files.h"
#include "runtime/error.h"
#include "tests/support/cpu_time.h"
#include "texts/text_rows.h"

namespace lffn {
namespace {

using Tokens = std::shared_ptr<const Tokenizer>;
using Pair = std::pair<std::string, std::optional<std::string>>;

const char* const kFolders[] = {"bert-reranker", "roberta-mlm", "deberta-v2-classes", "mpnet-mlm"};

Tokens tokenizer_of(const std::string& name) {
  return read_tokenizer(FolderOnDisk(std::string(LFFN_SMALL_FOLDERS) + "/" + name, false), nullptr);
}

// The same, but for the places of the texts of a pair: "A" and "B" of types 0 and 1, "$" a special token.
Tokens with_template(const std::string& name, const std::string& places) {
  std::string json = tokenizer_of(name)->to_json();
  std::string pair;
  for (const char place : places) {
    const std::string part = place == '$' ? "{\"SpecialToken\":{\"id\":\"[SEP]\",\"type_id\":2}}"
                                          : std::string("{\"Sequence\":{\"id\":\"") + place +
                                                "\",\"type_id\":" + (place == 'A' ? "0" : "1") + "}}";
    pair += (pair.empty() ? "" : ",") + part;
  }
  const std::string key = "\"pair\": [";
  const size_t begin = json.find(key);
  EXPECT_NE(begin, std::string::npos) << json.substr(0, 2000);
  const size_t end = json.find("}}]", begin) + 2;
  return Tokenizer::from_tokenizer_json(json.replace(begin + key.size(), end - begin - key.size(), pair));
}

std::vector<std::pair<size_t, size_t>> as_pairs(const std::vector<TextSpan>& spans) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const TextSpan& span : spans) pairs.emplace_back(span.begin, span.end);
  return pairs;
}

// What becomes of one: the message of its failure, or "".
std::string add(TextRows& rows, const Tokenizer& tokenizer, const Pair& pair, const TextRows::Rules& rules) {
  try {
    std::string_view second;
    if (pair.second.has_value()) second = *pair.second;
    rows.add(tokenizer, pair.first, pair.second.has_value() ? &second : nullptr, rules);
    return "";
  } catch (const Error& error) {
    rows.add_nothing();
    return error.what();
  }
}

void expect_as_alone(const Tokenizer& tokenizer, const std::vector<Pair>& pairs, const TextRows::Rules& rules,
                     const std::string& what) {
  TextRows together, alone;
  for (const Pair& pair : pairs) {
    TextRows one;
    ASSERT_EQ(add(together, tokenizer, pair, rules), add(one, tokenizer, pair, rules)) << what;
    alone.add_texts(one, 0, 1);
  }
  EXPECT_EQ(together.ids(), alone.ids()) << what;
  EXPECT_EQ(together.types(), alone.types()) << what;
  EXPECT_EQ(together.offsets(), alone.offsets()) << what;
  EXPECT_EQ(together.text_offsets(), alone.text_offsets()) << what;
  if (rules.encoding.uncut) {  // else they are of what was read
    EXPECT_EQ(together.uncut(), alone.uncut()) << what;
  }
  EXPECT_EQ(together.texts(), alone.texts()) << what;
  EXPECT_EQ(as_pairs(together.spans()), as_pairs(alone.spans())) << what;
  for (const size_t pair : {0, 1}) EXPECT_EQ(as_pairs(together.parts(pair)), as_pairs(alone.parts(pair))) << what;
}

std::vector<Pair> queries_and_documents() {
  const std::string query = "  How OLD is the \xC3\xA9t\xC3\xA9 sun?  ", broken = "a sun \xff of old";
  std::string longer;
  for (int i = 0; i < 30; ++i) longer += " and the sun is " + std::to_string(i) + " years old";
  std::vector<Pair> pairs;
  for (const std::string& first : {query, longer, std::string(), broken}) {
    for (const std::string& second : {std::string("the sun"), longer, std::string(), broken,
                                      std::string(" The \xE5\xA4\xAA [SEP] sun </s> "), query}) {
      pairs.emplace_back(first, second);
    }
    pairs.emplace_back(first, std::nullopt);
    pairs.emplace_back(first, longer);
    pairs.emplace_back(first, "sun");
    pairs.emplace_back(first, "the old sun");
  }
  return pairs;
}

TEST(FirstText, NothingDiffersFromEachPairAlone) {
  for (const char* folder : kFolders) {
    const Tokens tokenizer = tokenizer_of(folder);
    for (int way = 0; way < 256; ++way) {
      const auto is = [way](int bit) { return (way >> bit & 1) != 0; };
      TextRows::Rules rules;
      rules.encoding.special = is(0);
      rules.encoding.spans = is(1);
      rules.encoding.uncut = is(2);
      if (is(3)) rules.encoding.most = 24;
      rules.encoding.first_only = is(3) && is(4);
      rules.windows = is(3) && is(5) && !is(4);
      rules.stride = 2;
      if (is(6)) rules.prompt = "query: ";
      rules.reading = {is(7), is(4), is(7)};
      if (!is(3)) rules.longest = 100;
      expect_as_alone(*tokenizer, queries_and_documents(), rules, folder + std::to_string(way));
    }
  }
}

TEST(FirstText, WhereverATemplatePutsIt) {
  for (const char* places : {"$A$B$", "B$A", "AB", "BA", "$B$$A", "$$A$$B$$"}) {
    const Tokens tokenizer = with_template("bert-reranker", places);
    for (const bool spans : {false, true}) {
      for (const size_t most : {size_t{16}, SIZE_MAX}) {
        TextRows::Rules rules;
        rules.encoding.special = true;
        rules.encoding.spans = spans;
        rules.encoding.most = most;
        expect_as_alone(*tokenizer, queries_and_documents(), rules, places);
      }
    }
  }
}

TEST(FirstText, IsTokenisedOnceForAllDocuments) {
  std::string query;
  for (int i = 0; i < 10000; ++i) query += " q" + std::to_string(i * 7919);
  for (const char* folder : kFolders) {
    const Tokens tokenizer = tokenizer_of(folder);
    TextRows::Rules rules;
    rules.encoding.special = true;
    rules.encoding.most = 64;
    const auto seconds_for = [&](int documents) {
      TextRows rows;
      const double start = cpu_seconds();
      for (int i = 0; i < documents; ++i) {
        const std::string document = "document " + std::to_string(i);
        const std::string_view second = document;
        rows.add(*tokenizer, query, &second, rules);
      }
      return cpu_seconds() - start;
    };
    seconds_for(1);  // what the tokenizer remembers of words
    const double once = seconds_for(1), often = seconds_for(200);
    EXPECT_LT(often, 30 * once) << folder << ", " << once << " s for one document";
  }
}

TEST(FirstText, MessagesCallTextsWhatTheyAre) {
  const Tokens tokenizer = tokenizer_of("bert-reranker");
  TextRows::Rules rules;
  rules.longest = 4;
  const auto message = [&](const Pair& pair) {
    TextRows rows;
    return add(rows, *tokenizer, pair, rules);
  };
  const std::string longer = "a b c d e f";
  EXPECT_EQ(message({"a\xff", std::nullopt}), "byte 1 of the text is not valid UTF-8");
  EXPECT_EQ(message({"a\xff", "\xff"}), "byte 1 of the text is not valid UTF-8");
  EXPECT_EQ(message({"a", "\xff"}), "byte 0 of the pair is not valid UTF-8");
  EXPECT_EQ(message({longer, std::nullopt}), "the text has 6 tokens, the model can run at most 4");
  EXPECT_EQ(message({longer, "a"}), "the text and its pair have 7 tokens, the model can run at most 4");
  rules.names = &kDocuments;
  EXPECT_EQ(message({"a\xff", std::nullopt}), "byte 1 of the document is not valid UTF-8");
  EXPECT_EQ(message({"a\xff", "\xff"}), "byte 1 of the query is not valid UTF-8");
  EXPECT_EQ(message({"a", "\xff"}), "byte 0 of the document is not valid UTF-8");
  EXPECT_EQ(message({longer, std::nullopt}), "the document has 6 tokens, the model can run at most 4");
  EXPECT_EQ(message({longer, "a"}), "the query and the document have 7 tokens, the model can run at most 4");
  rules.windows = true;
  rules.encoding.most = 6;
  EXPECT_EQ(message({longer, "a"}), "the query has 6 tokens with the special ones, which leaves no room in 6");
}

TEST(FirstText, TheHeaderRanksDocuments) {
  const lookupffn::Model model = lookupffn::Model::load(LFFN_SMALL_FOLDERS "/bert-reranker");
  const std::vector<std::string> documents = {"the sun is old", "cats", "", "the old sun"};
  const std::vector<float> scores = model.rerank("how old is the sun", documents);
  ASSERT_EQ(scores.size(), documents.size());
  for (size_t i = 0; i < documents.size(); ++i) {
    EXPECT_EQ(model.rerank("how old is the sun", {documents[i]}), std::vector<float>{scores[i]});
  }
  EXPECT_TRUE(model.rerank("how old is the sun", {}).empty());
  try {
    model.rerank("q", {"a", "\xff"});
    ADD_FAILURE() << "it is not UTF-8";
  } catch (const lookupffn::BadText& error) {
    EXPECT_STREQ(error.what(), "document 1: byte 0 of the document is not valid UTF-8");
  }
}

}  // namespace
}  // namespace lffn
