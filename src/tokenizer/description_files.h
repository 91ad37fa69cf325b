// SPDX-License-Identifier: Apache-2.0
// Readers of each kind of file that describes a tokenizer, and the writer of tokenizer.json.
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

// tokenizer.json of Hugging Face's tokenizers library, as far as it describes a tokenizer that is known here.
// Throws Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's usual name.
TokenizerDescription read_tokenizer_json(std::string_view text, const int32_t* cancel);

// tokenizer_config.json and special_tokens_map.json: what they say besides, or against, tokenizer.json.
// Both do what transformers does, and throw Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's
// name. The first returns whether it lists the added tokens, and so leaves nothing for the second to say.
bool apply_tokenizer_config(std::string_view text, TokenizerDescription& to);
void apply_special_tokens_map(std::string_view text, TokenizerDescription& to);

// vocab.txt, a token on each line; vocab.json, an object of token: id, with merges.txt, a pair on each line.
// Both throw Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's usual name.
TokenizerDescription read_vocab_txt(std::string_view text, const int32_t* cancel);
TokenizerDescription read_vocab_merges(std::string_view vocab_json, std::string_view merges_txt, const int32_t* cancel);

// A SentencePiece model becomes the tokenizer that transformers makes of it, by the family of the model it belongs to.
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

// The tokenizer.json of what was read: the same text for the same content, which Hugging Face's library reads, too.
std::string write_tokenizer_json(const TokenizerDescription& description);

}  // namespace lffn
