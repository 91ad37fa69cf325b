// SPDX-License-Identifier: Apache-2.0
// Files of tokenizers.
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/growth/growth_case.h"
#include "tests/growth/tokenizer_maker.h"

namespace growth {
namespace {

Work json_of(const std::string& json) { return tokenizer_of({{"tokenizer.json", json}}); }

// A message of SentencePiece's file: its field's number and its bytes.
std::string field(int number, const std::string& bytes) {
  std::string result(1, static_cast<char>(number << 3 | 2));
  for (size_t size = bytes.size();; size >>= 7) {
    result += static_cast<char>((size & 0x7F) | (size >= 0x80 ? 0x80 : 0));
    if (size < 0x80) break;
  }
  return result + bytes;
}

std::string sentencepiece(size_t n, char type) {
  const auto piece = [&](const std::string& text, char kind) {
    return field(1, field(1, text) + std::string("\x15\0\0\0\xbf\x18", 6) + kind);
  };
  std::string model = piece("<unk>", 2) + piece("<s>", 3) + piece("</s>", 3);
  for (size_t i = 0; i < n; ++i) model += piece("p" + number(i), type);
  return model + field(2, std::string("\x18\1", 2));
}

}  // namespace

std::vector<Case> tokenizer_cases() {
  static constexpr char kJson[] = "tokenizer.json", kVocab[] = "vocab.txt, vocab.json, merges.txt",
                        kPiece[] = "SentencePiece model", kConfig[] = "tokenizer_config.json";
  const auto map = [](size_t n) {
    return "{" + listed(n, ",", [](size_t i) { return quoted(number(i)) + ":1"; }) + "}";
  };
  const std::string small = word_pieces("\"a\":1");
  return {
      {kJson, "words", [](size_t n) { return json_of(word_pieces(words(n))); }, 128},
      {kJson, "words with one start", [](size_t n) { return json_of(word_pieces(words(n, std::string(60, 's')))); },
       32},
      {kJson, "a long word", [](size_t n) { return json_of(word_pieces(quoted(std::string(n, 'l')) + ":1")); }, 4000},
      {kJson, "merges", [](size_t n) { return json_of(byte_pairs(n)); }, 64},
      {kJson, "merges as lists", [](size_t n) { return json_of(byte_pairs(n, true)); }, 64},
      {kJson, "pieces", [](size_t n) { return json_of(unigram(pieces(n))); }, 128},
      {kJson, "pieces with one start", [](size_t n) { return json_of(unigram(pieces(n, std::string(60, 'p')))); }, 32},
      {kJson, "added tokens", [](size_t n) { return json_of(word_pieces("", "," + added(n))); }, 64},
      {kJson, "normalized added tokens",
       [](size_t n) {
         return json_of(unigram(
             pieces(1), "\"normalizer\":{\"type\":\"NFKC\"}," + added(n, ",\"special\":false,\"normalized\":true")));
       },
       32},
      {kJson, "unknown values", [=](size_t n) { return json_of(word_pieces("", ",\"x\":" + map(n))); }, 256},
      {kJson, "unknown lists", [](size_t n) { return json_of(word_pieces("", ",\"x\":[" + repeated("0,", n) + "0]")); },
       1000},
      {kJson, "a long name over many values",
       [](size_t n) {
         return json_of(word_pieces("", "," + quoted(std::string(n, 'x')) + ":[" + repeated("0,", n / 2) + "0]"));
       },
       4000, "tokenizer.json: the names of the values"},
      {kJson, "nested sequences",
       [](size_t n) {
         return json_of(
             unigram(pieces(1), "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[" + listed(n, ",", [](size_t) {
                                  return std::string("{\"type\":\"Sequence\",\"normalizers\":[]}");
                                }) + "]}"));
       },
       64},
      {kJson, "a template",
       [](size_t n) {
         return json_of(word_pieces("",
                                    ",\"post_processor\":{\"type\":\"TemplateProcessing\",\"special_tokens\":{"
                                    "\"[UNK]\":{\"ids\":[0]}},\"single\":[{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}" +
                                        repeated(",{\"SpecialToken\":{\"id\":\"[UNK]\",\"type_id\":0}}", n) +
                                        "],\"pair\":[{\"Sequence\":{\"id\":\"A\",\"type_id\":0}},{\"Sequence\":{\"id\":"
                                        "\"B\",\"type_id\":0}}]}"));
       },
       64},
      {kConfig, "added tokens",
       [=](size_t n) {
         const std::string all = listed(
             n, ",", [](size_t i) { return quoted(number(100 + i)) + ":{\"content\":\"<" + number(i) + ">\"}"; });
         return tokenizer_of(
             {{"tokenizer.json", small}, {"tokenizer_config.json", "{\"added_tokens_decoder\":{" + all + "}}"}});
       },
       64},
      {kConfig, "unknown values",
       [=](size_t n) {
         return tokenizer_of({{"tokenizer.json", small}, {"tokenizer_config.json", map(n)}});
       },
       256},
      {kConfig, "special tokens map",
       [=](size_t n) {
         return tokenizer_of({{"tokenizer.json", small}, {"special_tokens_map.json", map(n)}});
       },
       256},
      {kVocab, "lines",
       [](size_t n) {
         return tokenizer_of(
             {{"vocab.txt", "[UNK]\n[CLS]\n[SEP]\n" + listed(n, "\n", [](size_t i) { return number(i); })}});
       },
       500},
      {kVocab, "equal lines",
       [](size_t n) {
         return tokenizer_of({{"vocab.txt", "[UNK]\n[CLS]\n[SEP]\n" + repeated("x\n", n)}});
       },
       1000},
      {kVocab, "a long line",
       [](size_t n) {
         return tokenizer_of({{"vocab.txt", "[UNK]\n[CLS]\n[SEP]\n" + std::string(n, 'l')}});
       },
       4000},
      {kVocab, "merges",
       [](size_t n) {
         return tokenizer_of({{"vocab.json", "{" + merged_vocabulary(n) + ",\"<s>\":" + number(n + 1) +
                                                 ",\"</s>\":" + number(n + 2) + ",\"<unk>\":" + number(n + 3) + "}"},
                              {"merges.txt", listed(n - 1, "\n", [](size_t i) {
                                 const std::string whole = letters(i + 2);
                                 return whole.substr(0, 1) + " " + whole.substr(1);
                               })}});
       },
       64},
      {kPiece, "pieces",
       [](size_t n) {
         return tokenizer_of({{"tokenizer.model", sentencepiece(n, 1)}});
       },
       128},
      {kPiece, "control pieces",
       [](size_t n) {
         return tokenizer_of({{"tokenizer.model", sentencepiece(n, 3)}});
       },
       64},
      {kPiece, "pieces of the user",
       [](size_t n) {
         return tokenizer_of({{"tokenizer.model", sentencepiece(n, 4)}});
       },
       64},
      {kPiece, "unknown fields",
       [](size_t n) {
         return tokenizer_of({{"tokenizer.model", sentencepiece(1, 1) + repeated(field(9, ""), n)}});
       },
       1000},
  };
}

}  // namespace growth
