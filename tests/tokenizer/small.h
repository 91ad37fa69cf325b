// A tokenizer small enough to follow by hand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "runtime/error.h"

namespace lffn {

using Ids = std::vector<int32_t>;

// U+0120 stands for the blank. "ba" is not in the vocabulary.
constexpr char kSmallVocab[] =
    "{\"<s>\": 0, \"<pad>\": 1, \"</s>\": 2, \"<unk>\": 3, \"<mask>\": 4, \"a\": 5, \"b\": 6, \"\u0120\": 7, "
    "\"ab\": 8, \"\u00c3\": 9, \"\u0120a\": 10}";
constexpr char kSmallMerges[] = "#version: 0.2\na b\n\u0120 a\nb a\n";

inline std::unique_ptr<const Tokenizer> small_tokenizer() {
  return Tokenizer::from_vocab_merges(kSmallVocab, kSmallMerges);
}

inline Ids encode(const Tokenizer& tokenizer, const std::string& text, const Tokenizer::Options& options = {}) {
  Ids ids = {-7};  // which must go
  tokenizer.encode(text, options, ids);
  return ids;
}

}  // namespace lffn
