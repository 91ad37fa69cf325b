// SPDX-License-Identifier: Apache-2.0
// The normalizer Nmt, alone and in the row that SentencePieceUnigramTokenizer writes.
#include "format/utf8.h"
#include "tests/tokenizer/small.h"
#include "tokenizer/byte_alphabet.h"

namespace lffn {
namespace {

// Its ids are the bytes of the normalised text.
std::unique_ptr<const Tokenizer> of_bytes(const std::string& normalizer) {
  std::string vocab;
  for (int byte = 0; byte < 256; ++byte) {
    vocab += byte > 0 ? ", \"" : "\"";
    if (byte == '"' || byte == '\\') vocab += '\\';
    append_byte_character(vocab, static_cast<uint8_t>(byte));
    vocab += "\": " + std::to_string(byte);
  }
  return Tokenizer::from_tokenizer_json(
      R"({"normalizer": )" + normalizer +
      R"(, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}, "model": )" +
      R"({"type": "BPE", "merges": [], "vocab": {)" + vocab + "}}}");
}

std::string normalised(const Tokenizer& tokenizer, const std::string& text) {
  std::string result;
  for (const int32_t id : encode(tokenizer, text)) result += static_cast<char>(id);
  return result;
}

TEST(Nmt, DropsControlsAndMakesBlanksOfOthers) {
  const auto tokenizer = of_bytes(R"({"type": "Nmt"})");
  const auto expected = [](uint32_t code_point) -> std::string {
    for (const uint32_t blank : {0x9u, 0xAu, 0xCu, 0xDu, 0x1680u, 0x200Bu, 0x200Cu, 0x200Du, 0x200Eu, 0x200Fu, 0x2028u,
                                 0x2029u, 0x2581u, 0xFEFFu, 0xFFFDu}) {
      if (code_point == blank) return " ";
    }
    const bool goes =
        (code_point > 0 && code_point < ' ') || code_point == 0x7F || code_point == 0x8F || code_point == 0x9F;
    std::string result;
    if (!goes) append_utf8(result, code_point);
    return result;
  };
  for (uint32_t code_point = 0; code_point < 0x12000; ++code_point) {
    if (code_point >= 0xD800 && code_point < 0xE000) continue;
    std::string character;
    append_utf8(character, code_point);
    ASSERT_EQ(normalised(*tokenizer, "x" + character + "y"), "x" + expected(code_point) + "y") << code_point;
  }
  EXPECT_EQ(normalised(*tokenizer, "\x01\x7f"), "");
}

TEST(Nmt, StandsBeforeOthersAndIsWrittenAgain) {
  const std::string row = R"({"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKC"},
      {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]})";
  const auto tokenizer = of_bytes(row);
  EXPECT_EQ(normalised(*tokenizer, "\ufb01\u200b\n\x02\u2581x"), "fi x");
  EXPECT_EQ(spans(*tokenizer, "a\x01\u200b\tb"), (Spans{{0, 1}, {5, 6}, {6, 7}}));
  const auto again = Tokenizer::from_tokenizer_json(tokenizer->to_json());
  EXPECT_EQ(again->to_json(), tokenizer->to_json());
  EXPECT_NE(again->to_json().find("{\"type\": \"Nmt\"}"), std::string::npos);
}

}  // namespace
}  // namespace lffn
