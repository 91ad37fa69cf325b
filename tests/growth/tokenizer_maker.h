// SPDX-License-Identifier: Apache-2.0
// tokenizer.json files of any size.
#pragma once

#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/growth/growth_case.h"

namespace growth {

// They must outlive what it gives.
inline std::vector<lffn_file> views_of(const Files& files) {
  std::vector<lffn_file> views;
  for (const auto& [name, content] : files) {
    lffn_file file;
    lffn_file_init(&file);
    file.name = name.c_str();
    file.data = content.data();
    file.size = content.size();
    views.push_back(file);
  }
  return views;
}

inline std::string number(size_t i) { return std::to_string(i); }
inline std::string quoted(const std::string& text) { return '"' + text + '"'; }

// A different text of two letters for each number from 1 on, and the one that it is made of by a merge.
inline std::string letters(size_t i) {
  std::string result;
  for (; i > 1; i /= 2) result += i % 2 == 0 ? 'a' : 'b';
  return result + 'a';
}

inline std::string tokenizer_json(const std::string& model, const std::string& rest) {
  return "{\"model\":{" + model + "}" + (rest.empty() ? "" : "," + rest) + "}";
}

constexpr char kBertSteps[] =
    "\"normalizer\":{\"type\":\"BertNormalizer\"},\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}";

inline std::string word_pieces(const std::string& vocabulary, const std::string& more = "") {
  return tokenizer_json("\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"vocab\":{\"[UNK]\":0" +
                            (vocabulary.empty() ? "" : "," + vocabulary) + "}",
                        kBertSteps + more);
}

inline std::string words(size_t count, const std::string& start = "w") {
  return listed(count, ",", [&](size_t i) { return quoted(start + number(i)) + ":" + number(i + 1); });
}

inline std::string merged_vocabulary(size_t n) {
  return "\"b\":0," + listed(n, ",", [](size_t i) { return quoted(letters(i + 1)) + ":" + number(i + 1); });
}

// letters(i) is that of i / 2 behind one letter.
inline std::string merges(size_t n, bool as_lists) {
  return listed(n - 1, ",", [&](size_t i) {
    const std::string whole = letters(i + 2), first = whole.substr(0, 1), rest = whole.substr(1);
    return as_lists ? "[" + quoted(first) + "," + quoted(rest) + "]" : quoted(first + " " + rest);
  });
}

inline std::string byte_pairs(size_t n, bool as_lists = false, const std::string& more = "") {
  return tokenizer_json(
      "\"type\":\"BPE\",\"vocab\":{" + merged_vocabulary(n) + "},\"merges\":[" + merges(n, as_lists) + "]", more);
}

inline std::string pieces(size_t n, const std::string& start = "p") {
  return "[\"<unk>\",0],[\"a\",-2],[\"b\",-2]" +
         listed(n, "", [&](size_t i) { return ",[" + quoted(start + number(i)) + ",-" + number(i + 1) + "]"; });
}

inline std::string unigram(const std::string& all, const std::string& more = "") {
  return tokenizer_json("\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[" + all + "]", more);
}

inline std::string added(size_t n, const std::string& more = "") {
  return "\"added_tokens\":[" +
         listed(n, ",",
                [&](size_t i) {
                  return "{\"id\":" + number(100 + i) + ",\"content\":\"<" + number(i) + ">\"" + more + "}";
                }) +
         "]";
}

}  // namespace growth
