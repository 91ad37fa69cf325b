// SPDX-License-Identifier: Apache-2.0
// What the tokenizer's files say, before anything is made of it.
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
#include "tokenizer/decoder.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/post_processor.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/unigram.h"
#include "tokenizer/word_pieces.h"

namespace lffn {

enum class TokenizerKind { kWordPiece, kBytePairs, kUnigram };

struct TokenizerDescription {
  std::string where;  // the file's name, which begins messages
  TokenizerKind kind = TokenizerKind::kBytePairs;
  std::optional<NormalizerSettings> normalizer;  // of WordPiece; Unigram has steps
  std::vector<NormalizerStep> normalizer_steps;
  std::vector<PreTokenizerStep> pre_tokenizer_steps;
  std::optional<bool> strip_accents;  // unset: as lowercase says
  bool add_prefix_space = false;

  std::vector<std::pair<std::string, int32_t>> tokens;      // BPE: written in the byte alphabet
  std::vector<std::pair<std::string, std::string>> merges;  // likewise, the first rank first
  WordPieces::Settings word_pieces;
  Unigram::Settings unigram;
  std::optional<std::string> unknown;  // the token for what no other fits

  std::vector<AddedToken> added;
  std::unordered_map<std::string, size_t, SeededHash> place_of_added;
  PostProcessing post_processing;
  std::vector<DecoderStep> decoders;
  bool cleans_up_decoded = false;  // blanks before signs go, over the whole text

  // The special tokens by what they are for; "" where that is not said.
  struct Role {
    const char* name;  // in tokenizer_config.json
    const char* bert;  // what it usually is
    const char* roberta;
    std::string token;
  };
  std::vector<Role> roles = {{"cls_token", "[CLS]", "<s>", {}},
                             {"sep_token", "[SEP]", "</s>", {}},
                             {"unk_token", "[UNK]", "<unk>", {}},
                             {"pad_token", "[PAD]", "<pad>", {}},
                             {"mask_token", "[MASK]", "<mask>", {}}};
  const std::string& role(std::string_view name) const;

  size_t max_length = 0;  // model_max_length, else truncation's; 0: no limit
  bool truncates_left = false;

  void limit_length(size_t tokens);  // what is far too long for any model is no limit
};

constexpr int32_t kMaxTokenId = (1 << 22) - 1;     // several times the largest vocabularies there are
constexpr size_t kMaxVocabularyBytes = 64u << 20;  // of each file
constexpr size_t kMaxAddedTokens = 1 << 16;
constexpr size_t kMaxAddedTokenBytes = 1 << 12;  // of each: as many may be compared at each byte of a text

// For the readers. Each throws Error(LFFN_ERROR_BAD_MODEL); `where` (and the line, if it is not 0) begins the message
// if the value, or the two symbols with a space between, cannot be meant.
void check_vocabulary_size(size_t size, const char* where);
void append_token(TokenizerDescription& to, std::string&& token, const JsonScalar& id, const char* where);
void append_merge(TokenizerDescription& to, std::string_view pair, const char* where, size_t line = 0);
// As if the token were added after those that are there.
void add_token(TokenizerDescription& to, AddedToken&& token);

}  // namespace lffn
