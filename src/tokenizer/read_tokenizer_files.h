// SPDX-License-Identifier: Apache-2.0
// A folder's tokenizer, whichever of the usual files describe it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tokenizer/description.h"

namespace lffn {

// The text of each of the folder's files that are there.
struct TokenizerFiles {
  std::optional<std::string_view> tokenizer_json;
  std::optional<std::string_view> tokenizer_config;
  std::optional<std::string_view> special_tokens_map;
  std::optional<std::string_view> vocab_txt;
  std::optional<std::string_view> vocab_json;
  std::optional<std::string_view> merges_txt;
  std::optional<std::string_view> sentencepiece;
  std::string sentencepiece_name = "sentencepiece.bpe.model";  // or spm.model, spiece.model, tokenizer.model
  std::optional<std::string_view> config;  // tells of which family a model is, where tokenizer_config.json does not
  // Looked at while they are read; not 0: Error(LFFN_ERROR_CANCELLED).
  const int32_t* cancel = nullptr;
};

// tokenizer.json where it is there, else SentencePiece's model, else vocab.txt, else vocab.json and merges.txt; and
// what the two others say beside it. Throws Error(LFFN_ERROR_BAD_MODEL).
TokenizerDescription read_tokenizer_files(const TokenizerFiles& files);

}  // namespace lffn
