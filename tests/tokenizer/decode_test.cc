// SPDX-License-Identifier: Apache-2.0
// Ids to text.
#include <gtest/gtest.h>

#include <string>

#include "tests/tokenizer/small.h"

namespace lffn {
namespace {

std::string decode(const Tokenizer& tokenizer, const Ids& ids, bool skip_special = false) {
  return tokenizer.decode(ids.data(), ids.size(), skip_special);
}

TEST(Decode, JoinsTheBytesOfTokens) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(decode(*tokenizer, {8, 7, 10, 6}), "ab  ab");
  EXPECT_EQ(decode(*tokenizer, {0, 8, 4, 10, 2}), "<s>ab<mask> a</s>");
  EXPECT_EQ(decode(*tokenizer, {0, 8, 4, 3, 10, 2, 1}, true), "ab a");
  EXPECT_EQ(decode(*tokenizer, {}), "");
}

// A vocabulary of all bytes, the id of each 5 more than the byte.
std::unique_ptr<const Tokenizer> byte_tokenizer() {
  std::string vocab = R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4)";
  uint32_t next = 256;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
    char key[16];
    std::snprintf(key, sizeof key, "\\u%04x", printable ? byte : next++);
    vocab += std::string(", \"") + key + "\": " + std::to_string(byte + 5);
  }
  return from_vocab_merges(vocab + "}", "");
}

std::string decode_bytes(const Tokenizer& tokenizer, const std::string& bytes) {
  Ids ids;
  for (const char byte : bytes) ids.push_back(static_cast<unsigned char>(byte) + 5);
  return decode(tokenizer, ids);
}

TEST(Decode, KeepsUtf8) {
  const auto tokenizer = byte_tokenizer();
  std::string text;
  for (int c = 0; c < 128; ++c) text += static_cast<char>(c);
  text += "\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff";
  EXPECT_EQ(decode_bytes(*tokenizer, text), text);
  EXPECT_EQ(decode(*tokenizer, encode(*tokenizer, text)), text);
}

// One U+FFFD for each longest start of a character: the examples of the Unicode standard, section 3.9, tables 3-8 to
// 3-11.
TEST(Decode, RepairsWhatIsNotUtf8) {
  const auto tokenizer = byte_tokenizer();
  const auto marks = [](int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += "\ufffd";
    return result;
  };
  EXPECT_EQ(decode_bytes(*tokenizer, "\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"), marks(8) + "A");
  EXPECT_EQ(decode_bytes(*tokenizer, "\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41"), marks(8) + "A");
  EXPECT_EQ(decode_bytes(*tokenizer, "\xf4\x91\x92\x93\xff\x41\x80\xbf\x42"), marks(5) + "A" + marks(2) + "B");
  EXPECT_EQ(decode_bytes(*tokenizer, "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"), marks(4) + "A");
  EXPECT_EQ(decode_bytes(*tokenizer, "\xe3\x81"), marks(1));
  EXPECT_EQ(decode_bytes(*tokenizer, "\xf0\x9f\x98"), marks(1));
  EXPECT_EQ(decode_bytes(*tokenizer, "x\xf4"), "x" + marks(1));
}

TEST(Decode, RefusesIdsThatAreNotThere) {
  const auto tokenizer = from_vocab_merges(R"({"<s>": 0, "</s>": 2, "<unk>": 3, "a": 5})", "");
  for (const int32_t id : {-1, 1, 4, 6, INT32_MIN, INT32_MAX}) {
    try {
      decode(*tokenizer, {5, id});
      FAIL() << "accepted " << id;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_INVALID_ARGUMENT);
      EXPECT_EQ(error.what(), "ids[1] is " + std::to_string(id) + ", which is not in the vocabulary of 6");
    }
  }
}

}  // namespace
}  // namespace lffn
