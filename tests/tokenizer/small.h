// SPDX-License-Identifier: Apache-2.0
// A tokenizer small enough to follow by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/error.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

using Ids = std::vector<int32_t>;

// U+0120 stands for the blank. "ba" is not in the vocabulary.
constexpr char kSmallVocab[] =
    "{\"<s>\": 0, \"<pad>\": 1, \"</s>\": 2, \"<unk>\": 3, \"<mask>\": 4, \"a\": 5, \"b\": 6, \"\u0120\": 7, "
    "\"ab\": 8, \"\u00c3\": 9, \"\u0120a\": 10}";
constexpr char kSmallMerges[] = "#version: 0.2\na b\n\u0120 a\nb a\n";

inline std::unique_ptr<const Tokenizer> from_vocab_merges(std::string_view vocab_json, std::string_view merges_txt) {
  TokenizerFiles files;
  files.vocab_json = vocab_json;
  files.merges_txt = merges_txt;
  return Tokenizer::from_files(files);
}

inline std::unique_ptr<const Tokenizer> small_tokenizer() { return from_vocab_merges(kSmallVocab, kSmallMerges); }

inline Encoding encoded(const Tokenizer& tokenizer, const std::string& text, const Tokenizer::Options& options = {}) {
  Tokenizer::Scratch scratch;
  Encoding result;
  result.ids = result.types = {-7};  // which must go
  tokenizer.encode(text, nullptr, options, scratch, result);
  EXPECT_EQ(result.ids.size(), result.types.size());
  return result;
}

inline Ids encode(const Tokenizer& tokenizer, const std::string& text, const Tokenizer::Options& options = {}) {
  return encoded(tokenizer, text, options).ids;
}

using Spans = std::vector<std::pair<size_t, size_t>>;

inline Spans spans(const Tokenizer& tokenizer, const std::string& text, Tokenizer::Options options = {}) {
  options.spans = true;
  const Encoding found = encoded(tokenizer, text, options);
  EXPECT_EQ(found.ids.size(), found.spans.size());
  Spans result;
  for (const TextSpan& span : found.spans) result.emplace_back(span.begin, span.end);
  return result;
}

}  // namespace lffn
