// SPDX-License-Identifier: Apache-2.0
// A SentencePiece model becomes the tokenizer that transformers makes of it, by the family of the model it belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tokenizer/description.h"

namespace lffn {

struct SentencePieceFiles {
  std::string_view model;
  std::string name;  // of that file
  std::optional<std::string_view> tokenizer_config;
  std::optional<std::string_view> special_tokens_map;
  std::optional<std::string_view> config;
  const int32_t* cancel;
};

// With what the other files say. Throws Error(LFFN_ERROR_BAD_MODEL).
TokenizerDescription read_sentencepiece(const SentencePieceFiles& files);

}  // namespace lffn
