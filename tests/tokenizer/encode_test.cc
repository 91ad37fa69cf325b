// SPDX-License-Identifier: Apache-2.0
// Texts to ids: golden cases, pieces, special tokens, spans, cutting off, bad text; and back.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tokenizer/small.h"
#include "tokenizer/pre_tokenizer.h"

namespace lffn {
namespace {

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> result;
  for (size_t at = 0; at < text.size();) {
    const size_t end = piece_end(text, at);
    result.push_back(text.substr(at, end - at));
    at = end;
  }
  return result;
}

using Strings = std::vector<std::string>;

TEST(PreTokenizer, CutsAsThePatternDoes) {
  EXPECT_EQ(pieces("The quick fox"), (Strings{"The", " quick", " fox"}));
  EXPECT_EQ(pieces("  two\t\n x"), (Strings{" ", " two", "\t\n", " x"}));
  EXPECT_EQ(pieces("end  "), (Strings{"end", "  "}));
  EXPECT_EQ(pieces("a \n"), (Strings{"a", " \n"}));
  EXPECT_EQ(pieces("\nx"), (Strings{"\n", "x"}));
  EXPECT_EQ(pieces("it's we'll 'tis 'S I'v"),
            (Strings{"it", "'s", " we", "'ll", " '", "tis", " '", "S", " I", "'", "v"}));
  EXPECT_EQ(pieces("!'s"), (Strings{"!'", "s"}));
  EXPECT_EQ(pieces("x12.5 7"), (Strings{"x", "12", ".", "5", " 7"}));
  EXPECT_EQ(pieces("x\u00b2\u00bd\u2167"), (Strings{"x", "\u00b2\u00bd\u2167"}));  // numbers all three
  EXPECT_EQ(pieces("\u65e5\u672c\U00020000!"), (Strings{"\u65e5\u672c\U00020000", "!"}));
  EXPECT_EQ(pieces("a\u0301b"), (Strings{"a", "\u0301", "b"}));  // a combining mark is neither
  EXPECT_EQ(pieces("x\u3000\u2003y"), (Strings{"x", "\u3000", "\u2003", "y"}));
  EXPECT_EQ(pieces("\U0001F600\U0010FFFF"), (Strings{"\U0001F600\U0010FFFF"}));
}

nlohmann::json golden(const std::string& model) {
  std::ifstream file(std::string(LFFN_MODEL_DATA) + "/" + model + "/tokens.json");
  return nlohmann::json::parse(file);
}

std::string content(const std::string& path) {
  std::ifstream file(std::string(LFFN_MODEL_DATA) + "/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Encode, GivesTheGoldenTokens) {
  for (const std::string model : {"model-lookup", "model-mixed"}) {
    const auto from_files = from_vocab_merges(content(model + "/vocab.json"), content(model + "/merges.txt"));
    const auto from_json = Tokenizer::from_tokenizer_json(from_files->to_json());
    for (const Tokenizer* tokenizer : {from_files.get(), from_json.get()}) {
      int cases = 0;
      for (const auto& entry : golden(model)) {
        const auto text = entry["text"].get<std::string>();
        EXPECT_EQ(encode(*tokenizer, text), entry["ids"].get<Ids>()) << text;
        EXPECT_EQ(encode(*tokenizer, text, {true, SIZE_MAX}), entry["ids_with_special"].get<Ids>()) << text;
        ++cases;
      }
      EXPECT_EQ(cases, 8);
    }
    EXPECT_EQ(from_json->to_json(), from_files->to_json());
  }
}

TEST(Encode, FindsSpecialTokensInTheText) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(encode(*tokenizer, "<s>a</s>"), (Ids{0, 5, 2}));
  EXPECT_EQ(encode(*tokenizer, "a <s> a"), (Ids{5, 7, 0, 10}));  // only <mask> swallows blanks
  EXPECT_EQ(encode(*tokenizer, "a \n\u3000<mask> a"), (Ids{5, 4, 10}));
  EXPECT_EQ(encode(*tokenizer, "<mask><mask>"), (Ids{4, 4}));
  EXPECT_EQ(encode(*tokenizer, " <mask> <mask> "), (Ids{4, 4, 7}));
  EXPECT_EQ(encode(*tokenizer, "<mask").size(), 5u);
  EXPECT_EQ(encode(*tokenizer, ""), (Ids{}));
  EXPECT_EQ(encode(*tokenizer, "", {true, SIZE_MAX}), (Ids{0, 2}));
}

TEST(Encode, MakesSymbolsOutsideTheVocabularyUnknown) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(encode(*tokenizer, "az"), (Ids{5, 3}));
  // "ba" merges although the vocabulary has no such token, and so is unknown as a whole.
  EXPECT_EQ(encode(*tokenizer, "ba"), (Ids{3}));
  EXPECT_EQ(encode(*tokenizer, "b"), (Ids{6}));
}

TEST(Encode, TellsWhereTokensAre) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(spans(*tokenizer, "ab a  <mask>\u00e4"), (Spans{{0, 2}, {3, 4}, {6, 12}, {12, 14}, {12, 14}}));
  EXPECT_EQ(spans(*tokenizer, "aa", {true, SIZE_MAX}), (Spans{{0, 0}, {0, 1}, {1, 2}, {0, 0}}));
}

TEST(Encode, CutsOff) {
  const auto tokenizer = small_tokenizer();
  const std::string text = "ab a <mask> aab";
  const Ids all = encode(*tokenizer, text);
  for (size_t most = 0; most <= all.size() + 1; ++most) {
    const size_t kept = std::min(most, all.size());
    EXPECT_EQ(encode(*tokenizer, text, {false, most}), Ids(all.begin(), all.begin() + kept));
    Ids special = {0};
    special.insert(special.end(), all.begin(), all.begin() + kept);
    special.push_back(2);
    EXPECT_EQ(encode(*tokenizer, text, {true, most + 2}), special);
    EXPECT_EQ(spans(*tokenizer, text, {true, most + 2}).size(), kept + 2);
    EXPECT_EQ(encoded(*tokenizer, text, {true, most + 2}).num_tokens, all.size() + 2);
  }
}

// The longer of two texts that are too long each has the odd token, however much of them is read.
TEST(Encode, CutsPairsAlikeWhetherTokensAreCounted) {
  const auto tokenizer = small_tokenizer();
  const auto text = [](size_t tokens, const std::string& word) {
    std::string out;
    for (size_t i = 0; i < tokens; ++i) out += word;
    return out;
  };
  Tokenizer::Scratch scratch;
  int cut = 0;
  for (size_t first = 0; first <= 9; ++first) {
    for (size_t second = 0; second <= 9; ++second) {
      for (size_t most = 4; most <= 12; ++most) {
        // As many bytes do not mean as many tokens.
        const std::string a = text(first, second % 2 == 0 ? "a" : "<mask>"), b = text(second, "</s>");
        const std::string_view pair = b;
        Tokenizer::Options options = {true, most};
        Encoding counted, read;
        options.uncut = true;
        tokenizer->encode(a, &pair, options, scratch, counted);
        options.uncut = false;
        tokenizer->encode(a, &pair, options, scratch, read);
        EXPECT_EQ(read.ids, counted.ids) << first << " and " << second << " in " << most;
        cut += counted.cut[0] && counted.cut[1] ? 1 : 0;
      }
    }
  }
  EXPECT_GT(cut, 100);
}

TEST(Encode, NamesTheByteThatIsNotUtf8) {
  const auto tokenizer = small_tokenizer();
  for (const std::string bad : {"\x80", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe3\x81"}) {
    try {
      encode(*tokenizer, "ab " + bad + "a");
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_BAD_TEXT);
      EXPECT_STREQ(error.what(), "byte 3 of the text is not valid UTF-8");
    }
  }
}

TEST(Encode, TakesZeroBytes) {
  const auto tokenizer = small_tokenizer();
  EXPECT_EQ(encode(*tokenizer, std::string("a\0a", 3)), (Ids{5, 3, 5}));
}

// Ids to text.

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
