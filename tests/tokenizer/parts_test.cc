// SPDX-License-Identifier: Apache-2.0
// Ids alone are made part by part and remembered; with spans the whole text is gone through. Both must be the same.
#include <algorithm>
#include <random>

#include "format/json.h"
#include "format/utf8.h"
#include "tests/tokenizer/small.h"
#include "tokenizer/byte_alphabet.h"

namespace lffn {
namespace {

using Strings = std::vector<std::string>;

// What texts are made of: blanks of all kinds, what joins a neighbour or goes away, signs that stand for blanks.
const Strings kBits = {" ",
                       " ",
                       " ",
                       " ",
                       "  ",
                       "   ",
                       "\n",
                       "\t",
                       "\r\n",
                       "\u00a0",
                       "\u3000",
                       "\u2009",
                       "\u0085",
                       "\u0300",
                       "\u0308",
                       "\u0903",
                       "\u0600",
                       "\u200d",
                       "\u200b",
                       "\u00a8",
                       "\u00b4",
                       "\u2581",
                       "a",
                       "a",
                       "b",
                       "ab",
                       "ba",
                       "A",
                       "\u0130",
                       "\u00e9",
                       "e\u0301",
                       "\ufb01",
                       "\u00bd",
                       "'s",
                       "'",
                       "'ll",
                       ",",
                       ".",
                       "!",
                       "12",
                       "7",
                       "\u4e2d",
                       "\u6587\u5b57",
                       "\uac00",
                       "\u1100",
                       "\u1161",
                       "\U0001F600",
                       "\U0001F1E6",
                       "\u0e01\u0e33",
                       "\x01",
                       "\x7f",
                       "abababababababababababababababababab"};

std::string random_text(std::mt19937& random) {
  std::string text;
  for (size_t left = 1 + random() % 12; left > 0; --left) {
    // Most bits are letters and single blanks, so that there are parts to remember.
    text += random() % 3 != 0 ? Strings{"ab", "a", "b", " ", " a", "b "}[random() % 6] : kBits[random() % kBits.size()];
  }
  return text;
}

void expect_same_ids(const Tokenizer& tokenizer, const std::string& name) {
  std::mt19937 random(7);
  Tokenizer::Scratch scratch;
  Encoding alone, with_spans;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = random_text(random);
    Tokenizer::Options options;
    tokenizer.encode(text, nullptr, options, scratch, alone);
    options.spans = true;
    tokenizer.encode(text, nullptr, options, scratch, with_spans);
    ASSERT_EQ(alone.ids, with_spans.ids) << name << ": " << in_quotes(text);
    options.spans = options.uncut = false;
    options.most = with_spans.ids.size() / 2;
    tokenizer.encode(text, nullptr, options, scratch, alone);
    with_spans.ids.resize(options.most);
    ASSERT_EQ(alone.ids, with_spans.ids) << name << ": " << in_quotes(text) << " cut";
  }
}

// All bytes, and what makes tokens of blanks, letters and signs together.
std::unique_ptr<const Tokenizer> byte_pairs(const std::string& config) {
  TokenizerFiles files;
  std::string vocab = "{";
  int32_t size = 0;
  const auto add = [&](const std::string& token) {
    if (size > 0) vocab += ", ";
    append_json_string(vocab, token);
    vocab += ": " + std::to_string(size++);
  };
  for (const char* token : {"<s>", "<pad>", "</s>", "<unk>", "<mask>"}) add(token);
  for (int byte = 0; byte < 256; ++byte) {
    std::string token;
    append_byte_character(token, static_cast<uint8_t>(byte));
    add(token);
  }
  for (const char* token : {"ab", "\u0120a", "\u0120ab", "aba", "\u0120\u0120", "\u010aa", "'s", "\u00e3\u0122", "12"})
    add(token);
  vocab += "}";
  files.vocab_json = vocab;
  files.merges_txt =
      "#version: 0.2\na b\n\u0120 ab\n\u0120 a\nab a\n\u0120 \u0120\n\u010a a\n' s\n\u00e3 \u0122\n1 2\n";
  files.tokenizer_config = config;
  return Tokenizer::from_files(files);
}

TEST(Parts, OfBytePairsAreAsTheText) {
  expect_same_ids(*byte_pairs("{}"), "plain");
  expect_same_ids(*byte_pairs(R"({"add_prefix_space": true})"), "with a prefix");
}

TEST(Parts, OfWordsAreAsTheText) {
  std::string vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##a\nb\n##b\nab\ne\n##e\n";
  for (const char* sign : {"\u00a8", "\u2581", ",", ".", "!", "'", "12", "s", "i", "\u4e2d", "\u1100", "##\u1161"})
    vocab += std::string(sign) + "\n";
  for (const char* config : {"{}", R"({"do_lower_case": false})", R"({"tokenize_chinese_chars": false})"}) {
    TokenizerFiles files;
    files.vocab_txt = vocab;
    files.tokenizer_config = config;
    expect_same_ids(*Tokenizer::from_files(files), config);
  }
}

TEST(Parts, OfPiecesAreAsTheText) {
  const std::string normalizers[] = {
      "null",
      R"({"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Strip"},
          {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]})",
      R"({"type": "Sequence", "normalizers": [{"type": "Strip", "strip_left": false}, {"type": "NFKD"},
          {"type": "Replace", "pattern": {"Regex": "\\s{2,}|[\\n\\r\\t]"}, "content": "▁"},
          {"type": "StripAccents"}, {"type": "Lowercase"}]})",
      R"({"type": "Replace", "pattern": {"Regex": "[^a]"}, "content": "b"})",
      R"({"type": "Replace", "pattern": {"String": "b"}, "content": " "})",
      R"({"type": "Replace", "pattern": {"String": " a"}, "content": ""})",
      R"({"type": "Replace", "pattern": {"Regex": "[ a]{2,}"}, "content": "b"})",
      R"({"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKC"},
          {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]})",
      R"({"type": "Prepend", "prepend": "b"})"};
  const std::string space = R"({"type": "WhitespaceSplit"})", signs = R"({"type": "Punctuation"})";
  const auto meta = [](const std::string& more) {
    return R"({"type": "Metaspace", "replacement": "▁", )" + more + "}";
  };
  const std::string always = meta(R"("prepend_scheme": "always")");
  const auto row = [](const std::string& first, const std::string& second) {
    return R"({"type": "Sequence", "pretokenizers": [)" + first + ", " + second + "]}";
  };
  const std::string pre_tokenizers[] = {always,
                                        meta(R"("prepend_scheme": "first")"),
                                        meta(R"("prepend_scheme": "never")"),
                                        meta(R"("prepend_scheme": "always", "split": false)"),
                                        space,
                                        "null",
                                        row(space, always),
                                        row(space, meta(R"("prepend_scheme": "first")")),
                                        row(signs, always),
                                        row(always, signs),
                                        row(signs, space)};
  for (const std::string& normalizer : normalizers) {
    for (const std::string& pre_tokenizer : pre_tokenizers) {
      const std::string json = R"({"normalizer": )" + normalizer + R"(, "pre_tokenizer": )" + pre_tokenizer +
                               R"(, "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -1],
                               ["a", -2], ["b", -2], ["ab", -3], ["▁a", -2.5], ["▁▁", -3], [",", -2], ["▁,", -5],
                               [" ", -2], [" a", -2.5], ["12", -2], ["é", -2], ["b▁a", -4]]}})";
      expect_same_ids(*Tokenizer::from_tokenizer_json(json), normalizer + " " + pre_tokenizer);
    }
  }
}

}  // namespace
}  // namespace lffn
