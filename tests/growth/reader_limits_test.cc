// SPDX-License-Identifier: Apache-2.0
// Small files whose parts would multiply each other: readers refuse them.
#include <gtest/gtest.h>

#include <string>

#include "tests/growth/tokenizer_maker.h"

namespace {

using namespace growth;

std::string failure_of(const std::string& json) { return tokenizer_of({{"tokenizer.json", json}}).run(); }

TEST(ReaderLimits, LongWordsMeetNoLongTokens) {
  const auto with = [](int longest_word, size_t token) {
    return failure_of(tokenizer_json(
        "\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"max_input_chars_per_word\":" + std::to_string(longest_word) +
            ",\"vocab\":{\"[UNK]\":0," + quoted(std::string(token, 'a')) + ":1}",
        kBertSteps));
  };
  EXPECT_EQ(with(100, 600), "");
  EXPECT_EQ(with(100000, 512), "");
  EXPECT_EQ(with(100000, 513).substr(0, 97),
            "tokenizer.json: max_input_chars_per_word is 100000, so no token may have more than 512 bytes, but");
}

TEST(ReaderLimits, NormalizersMakeNoAddedTokenLong) {
  const auto with = [](size_t size) {
    return failure_of(
        unigram(pieces(1), "\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\"x\"},\"content\":" +
                               quoted(std::string(100, 'y')) + "},\"added_tokens\":[{\"id\":9,\"content\":" +
                               quoted(std::string(size, 'x')) + ",\"special\":false,\"normalized\":true}]"));
  };
  EXPECT_EQ(with(40), "");
  EXPECT_NE(with(50).find("longer than the 4096 bytes allowed"), std::string::npos) << with(50);
}

TEST(ReaderLimits, NamesOfValuesStayInProportion) {
  const auto with = [](size_t name) {
    return failure_of(word_pieces("", "," + quoted(std::string(name, 'x')) + ":[" + repeated("0,", 2000) + "0]"));
  };
  EXPECT_EQ(with(100), "");
  EXPECT_NE(with(2000).find("the names of the values"), std::string::npos) << with(2000);
}

TEST(ReaderLimits, NumbersOfADenseModuleAreReadOnce) {
  const auto module = [](const char* type, const char* path) {
    return std::string("{\"type\":\"sentence_transformers.models.") + type + "\",\"path\":\"" + path + "\"}";
  };
  const auto with = [&](const char* second) {
    return model_of({{"config.json", "{}"},
                     {"modules.json", "[" + module("Transformer", "") + "," + module("Pooling", "1_Pooling") + "," +
                                          module("Dense", "2_Dense") + "," + module("Dense", second) + "]"}})
        .run();
  };
  EXPECT_EQ(with("2_Dense"), "modules.json: two Dense modules have the path '2_Dense'");
  EXPECT_EQ(with("3_Dense").find("two Dense modules"), std::string::npos);
}

}  // namespace
