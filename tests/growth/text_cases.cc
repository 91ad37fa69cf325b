// SPDX-License-Identifier: Apache-2.0
// Texts that go through each step of a tokenizer.
#include <memory>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/growth/growth_case.h"
#include "tests/growth/tokenizer_maker.h"
#include "tests/support/outputs.h"

namespace growth {
namespace {

// A text through a tokenizer that is loaded before.
Work tokenized(const std::string& json, std::string text) {
  const Files files = {{"tokenizer.json", json}};
  const std::vector<lffn_file> views = views_of(files);
  lffn_tokenizer* handle = nullptr;
  if (lffn_tokenizer_load_files(views.data(), 1, nullptr, &handle) != LFFN_OK) {
    const std::string message = lffn_last_error();
    return {text.size(), [message] { return "not loaded: " + message; }};
  }
  const std::shared_ptr<lffn_tokenizer> tokenizer(handle, lffn_tokenizer_free);
  const size_t bytes = text.size();
  return {bytes, [tokenizer, text = std::move(text)]() -> std::string {
            lffn_result* result = nullptr;
            if (lffn_result_create(&result) != LFFN_OK) return lffn_last_error();
            const char* const texts[] = {text.c_str()};
            lffn_tokenizer_encode_args args;
            lffn_tokenizer_encode_args_init(&args);
            args.n = 1;
            args.texts = texts;
            outputs::keep(args, outputs::kIds | outputs::kSpans);
            args.result = result;
            const std::string outcome =
                lffn_tokenizer_encode(tokenizer.get(), &args) == LFFN_OK ? "" : lffn_last_error();
            lffn_result_free(result);
            return outcome;
          }};
}

std::string split_by(const std::string& regex) {
  return "\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" + regex + "\"},\"behavior\":\"Isolated\"}";
}

}  // namespace

std::vector<Case> text_cases() {
  static constexpr char kText[] = "text", kExpression[] = "text through an expression";
  const auto pairs = [](const std::string& steps) { return byte_pairs(64, false, steps); };
  const std::string bert = word_pieces("\"a\":1,\"##a\":2,\"##b\":3");
  const auto bert_case = [=](const char* name, const std::string& part, size_t least) {
    return Case{kText, name, [=](size_t n) { return tokenized(bert, repeated(part, n)); }, least};
  };
  const auto normalized = [=](const char* name, const std::string& step, const std::string& part) {
    return Case{kText, name,
                [=](size_t n) {
                  return tokenized(unigram(pieces(8), "\"normalizer\":{\"type\":" + step + "}"), repeated(part, n));
                },
                2000 / part.size()};
  };
  const auto cut = [=](const char* name, const std::string& step, const std::string& part) {
    return Case{kText, name,
                [=](size_t n) {
                  return tokenized(unigram(pieces(8), "\"pre_tokenizer\":{\"type\":" + step + "}"), repeated(part, n));
                },
                2000 / part.size()};
  };
  const auto matched = [=](const char* name, const std::string& regex, const std::string& part,
                           const std::string& end = "") {
    return Case{kExpression, name,
                [=](size_t n) { return tokenized(unigram(pieces(8), split_by(regex)), repeated(part, n) + end); },
                1000 / part.size()};
  };
  return {
      bert_case("words", "ab a ", 400),
      bert_case("one long word", "a", 2000),
      bert_case("blanks", " ", 2000),
      bert_case("accents", "a\u0301\u0301\u0301", 300),
      bert_case("Chinese", "\u4e2d", 600),
      bert_case("signs", "!?", 1000),
      {kText, "byte pairs of one word", [=](size_t n) { return tokenized(pairs(""), std::string(n, 'a')); }, 1000},
      {kText, "byte pairs of two letters",
       [=](size_t n) {
         return tokenized(pairs(""), listed(n, "", [](size_t i) { return std::string(i * i % 7 < 3 ? "a" : "b"); }));
       },
       1000},
      {kText, "bytes",
       [=](size_t n) {
         return tokenized(pairs("\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false}"),
                          repeated("ab ab  1 ", n));
       },
       200},
      {kText, "pieces", [](size_t n) { return tokenized(unigram(pieces(8)), repeated("ab p1", n)); }, 400},
      {kText, "pieces of one letter",
       [](size_t n) {
         return tokenized(unigram("[\"<unk>\",0]" + listed(64, "",
                                                           [](size_t i) {
                                                             return ",[" + quoted(std::string(i + 1, 'a')) + ",-" +
                                                                    number(i + 1) + "]";
                                                           })),
                          std::string(n, 'a'));
       },
       1000},
      {kText, "unknown characters", [](size_t n) { return tokenized(unigram(pieces(8)), repeated("\u4e2d", n)); }, 600},
      {kText, "added tokens",
       [](size_t n) { return tokenized(word_pieces("", "," + added(64)), repeated("<1>x<63>", n)); }, 200},
      {kText, "starts of added tokens",
       [](size_t n) {
         return tokenized(
             word_pieces("", ",\"added_tokens\":[{\"id\":100,\"content\":\"" + std::string(64, 'a') + "b\"}]"),
             std::string(n, 'a'));
       },
       1000},
      {kText, "blanks around added tokens",
       [](size_t n) {
         return tokenized(word_pieces("", "," + added(4, ",\"lstrip\":true,\"rstrip\":true")), repeated("  <1>  ", n));
       },
       200},
      normalized("NFC", "\"NFC\"", "a\u0301\u0323"),
      normalized("NFD", "\"NFD\"", "\u1e69"),
      normalized("NFKC", "\"NFKC\"", "\u00bd"),
      normalized("NFKC of marks", "\"NFKC\"", "\u0301\u0323"),
      normalized("Lowercase", "\"Lowercase\"", "\u0130A"),
      normalized("StripAccents", "\"StripAccents\"", "a\u0301"),
      normalized("Strip", "\"Strip\"", " a"),
      normalized("Replace", "\"Replace\",\"pattern\":{\"String\":\"a\"},\"content\":\"bbbb\"", "a"),
      normalized("Replace by an expression", "\"Replace\",\"pattern\":{\"Regex\":\" {2,}\"},\"content\":\" \"", "   a"),
      normalized("Prepend", "\"Prepend\",\"prepend\":\"x\"", "a"),
      cut("Metaspace", "\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":\"always\"", "a b "),
      cut("WhitespaceSplit", "\"WhitespaceSplit\"", "a  b "),
      cut("Whitespace", "\"Whitespace\"", "a! b "),
      cut("Punctuation", "\"Punctuation\",\"behavior\":\"MergedWithPrevious\"", "a!!"),
      cut("Digits", "\"Digits\",\"individual_digits\":true", "a12"),
      cut("CharDelimiterSplit", "\"CharDelimiterSplit\",\"delimiter\":\"a\"", "ab"),
      matched("words or signs", "\\\\w+|[^\\\\w\\\\s]+", "ab! "),
      matched("byte-level BPE's",
              "'s|'t|'re| ?\\\\p{L}+| ?\\\\p{N}+| ?[^\\\\s\\\\p{L}\\\\p{N}]+|\\\\s+(?!\\\\S)|\\\\s+", "it's 12  x! "),
      matched("blanks before an end", "\\\\s+(?!\\\\S)|\\\\s+", " ", "x"),
      matched("counted rows", "a{1,3}b?", "aaaa"),
      matched("counted rows one behind another", "a{0,8}a{0,8}a{0,8}b", "a"),
      matched("choices one behind another", "(?:a|b)?(?:a|b)?(?:a|b)?(?:a|b)?c", "ab"),
      matched("nested rows", "(?:a+)+b", "a"),
      matched("a row that never ends", "a+b", "a"),
      matched("any row", ".*x", "a"),
  };
}

}  // namespace growth
