// SPDX-License-Identifier: Apache-2.0
// What a tokenizer's files say, before anything is made of it; and the functions that read each kind of file and write
// tokenizer.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/json.h"
#include "runtime/seeded_hash.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/byte_pairs.h"
#include "tokenizer/decoder.h"
#include "tokenizer/json_settings.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/post_processor.h"
#include "tokenizer/pre_tokenizer_chain.h"
#include "tokenizer/unigram.h"
#include "tokenizer/word_pieces.h"

namespace lffn {

enum class TokenizerKind { kWordPiece, kBytePairs, kUnigram };

struct TokenizerDescription {
  std::string where;  // the file's name, which begins messages
  TokenizerKind kind = TokenizerKind::kBytePairs;
  std::optional<NormalizerSettings> normalizer;  // of WordPiece; the others have steps
  std::vector<NormalizerStep> normalizer_steps;
  std::vector<PreTokenizerStep> pre_tokenizer_steps;
  std::optional<bool> strip_accents;  // unset: as lowercase says

  std::vector<std::pair<std::string, int32_t>> tokens;
  MergeTexts merges;  // the first rank first
  BytePairs::Settings byte_pairs;
  WordPieces::Settings word_pieces;
  Unigram::Settings unigram;
  std::optional<std::string> unknown;  // the token for text that no other token fits

  std::vector<AddedToken> added;
  std::unordered_map<std::string, size_t, SeededHash> place_of_added;
  PostProcessing post_processing;
  std::vector<DecoderStep> decoders;
  bool cleans_up_decoded = false;  // blanks before punctuation are removed, over the whole text

  // The special tokens by what they are for.
  struct Role {
    const char* name;        // in tokenizer_config.json
    std::string token = {};  // "": there is none
    bool is_said = false;    // a file names it, or says that there is none
  };
  std::vector<Role> roles = {{"bos_token"}, {"eos_token"}, {"unk_token"}, {"sep_token"},
                             {"pad_token"}, {"cls_token"}, {"mask_token"}};
  std::vector<AddedToken> named;  // special tokens that are named with flags, or have no role; without ids
  const std::string& role(std::string_view name) const;
  // The only pre-tokenizer, if it is ByteLevel; else nullptr.
  PreTokenizerStep* byte_level();

  const int32_t* cancel = nullptr;  // looked at until a tokenizer is made of this

  size_t max_length = 0;  // model_max_length, else truncation's; 0: no limit
  bool truncates_left = false;

  void limit_length(size_t tokens);  // a length far beyond any model is no limit
};

constexpr int32_t kMaxTokenId = (1 << 22) - 1;     // several times the largest vocabularies there are
constexpr size_t kMaxVocabularyBytes = 64u << 20;  // of each file
constexpr size_t kMaxAddedTokens = 1 << 16;
constexpr size_t kMaxAddedTokenBytes = 1 << 12;  // of each: so many bytes may be compared at each byte of a text

// For the readers. Each throws Error(LFFN_ERROR_BAD_MODEL) for what is invalid, with a message that begins with `where`
// and with the line if it is not 0. A pair is two symbols with a space between.
void check_vocabulary_size(size_t size, const char* where);
void append_token(TokenizerDescription& to, std::string&& token, const JsonScalar& id, const char* where);
void append_merge(TokenizerDescription& to, std::string_view pair, const char* where, size_t line = 0);
// As if the token were added after those that are there.
void add_token(TokenizerDescription& to, AddedToken&& token);

// The texts of those files that the folder has.
struct TokenizerFiles {
  std::optional<std::string_view> tokenizer_json;
  std::optional<std::string_view> tokenizer_config;
  std::optional<std::string_view> special_tokens_map;
  std::optional<std::string_view> vocab_txt;
  std::optional<std::string_view> vocab_json;
  std::optional<std::string_view> merges_txt;
  std::optional<std::string_view> sentencepiece;
  std::string sentencepiece_name = "sentencepiece.bpe.model";  // or spm.model, spiece.model, tokenizer.model
  std::optional<std::string_view> config;  // names the model's family where tokenizer_config.json does not
  // Looked at while they are read; not 0: Error(LFFN_ERROR_CANCELLED).
  const int32_t* cancel = nullptr;
};

// Reads tokenizer.json if it is there, else SentencePiece's model, else vocab.txt, else vocab.json and merges.txt; then
// what tokenizer_config.json and special_tokens_map.json say beside it. Throws Error(LFFN_ERROR_BAD_MODEL).
TokenizerDescription read_tokenizer_files(const TokenizerFiles& files);

// tokenizer.json of Hugging Face's tokenizers library, as far as it describes a tokenizer that is known here.
// Throws Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's usual name.
TokenizerDescription read_tokenizer_json(std::string_view text, const int32_t* cancel);

// Applies what tokenizer_config.json and special_tokens_map.json say beyond tokenizer.json, or against it, as
// transformers does. The second counts only where the first does not list the added tokens. Throws
// Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's name.
void apply_config_files(const TokenizerFiles& files, const JsonSettings& tokenizer_config, TokenizerDescription& to);
// Adds to the tokens that are looked for in texts the special ones that have a role or are named, and are in the
// vocabulary. mask_strips_left counts where no file says it.
void add_special_tokens(TokenizerDescription& to, bool mask_strips_left);

// vocab.txt, a token on each line; vocab.json, an object of token: id, with merges.txt, a pair on each line.
// Both throw Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's usual name.
TokenizerDescription read_vocab_txt(std::string_view text, const int32_t* cancel);
TokenizerDescription read_vocab_merges(std::string_view vocab_json, std::string_view merges_txt, const int32_t* cancel);

// A SentencePiece model becomes the tokenizer that transformers makes of it, by the family of the model it belongs to.
// What the other files say is applied, too. Throws Error(LFFN_ERROR_BAD_MODEL).
TokenizerDescription read_sentencepiece(const TokenizerFiles& files, const JsonSettings& tokenizer_config);

// The tokenizer.json of what was read: the same text for the same content, which Hugging Face's library reads, too.
std::string write_tokenizer_json(const TokenizerDescription& description);

}  // namespace lffn
