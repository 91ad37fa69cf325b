// SPDX-License-Identifier: Apache-2.0
// Late interaction: how texts become several vectors each, and how these are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/json_object.h"
#include "kernels/kernels.h"

namespace lffn {

class Tokenizer;

// The names of the heads' tensors, without ".weight" and ".bias". The first is the name in ColBERT's files.
constexpr char kTokenVectors[] = "linear";
constexpr char kSparseTokens[] = "sparse_linear";

// What a text is to a late model.
enum class LateRole : int32_t { kNone, kQuery, kDocument };

struct LateSettings {
  bool is_late = false;
  bool takes_means = false;                       // of a query's best products; else sums
  bool normalises = true;                         // each vector
  bool skips_first_token = false;                 // it has no vector
  int64_t query_tokens = 0, document_tokens = 0;  // where texts are cut; 0: as the model's other texts
  int64_t filled_tokens = 0;                      // the length that queries are padded to; 0: where they are cut
  // Token ids; -1: none. The prefixes stand behind a text's first token.
  int32_t query_prefix = -1, document_prefix = -1;
  int32_t filler = -1;             // what shorter queries are padded with
  bool attends_to_filler = false;  // else the attention mask leaves it out
  // Tokens without vectors, in ascending order.
  std::vector<int32_t> skipped_in_queries, skipped_in_documents;
  std::vector<int32_t> kept_in_documents;  // unless empty, only these have vectors

  // The layers that turn hidden states into vectors, in order.
  enum class Residual : int32_t { kNone, kSame, kProjected };
  struct Layer {
    int32_t inputs = 0, outputs = 0;
    Activation activation = Activation::kNone;
    Residual residual = Residual::kNone;
    bool has_bias = false;
  };
  std::vector<Layer> layers;

  // Whether this token gets a vector.
  bool keeps(LateRole role, int32_t id) const;
};

// What a folder's files say in words, before the tokenizer tells the ids of these words.
struct LateWords {
  std::string query_prefix, document_prefix;  // "": none
  bool fills = false;                         // queries
  std::string filler;                         // "": the mask, else what ends a text, else padding
  std::vector<std::string> skipped;           // in queries and documents, as the next two say
  bool skip_in_queries = false, skip_in_documents = true;
  bool needs_layer = false;    // a model without a layer is no late model
  bool skips_unknown = false;  // a word that is no token stands for the unknown token; else it is ignored
};

// The same tokenizer with the prefixes as tokens, which it then finds in texts, too, as the libraries' tokenizers do.
std::shared_ptr<const Tokenizer> with_late_prefixes(std::shared_ptr<const Tokenizer> tokenizer, const LateWords& words,
                                                    const int32_t* cancel);

// Throws Error(LFFN_ERROR_BAD_MODEL) for a prefix or filler that is no token.
void find_late_words(const LateWords& words, const Tokenizer& tokenizer, LateSettings& settings);

// The names of a layer's tensors begin with this.
std::string late_prefix(size_t layer);

// Writes or reads a list of token ids in a JSON object.
void append_ids(std::string& json, const char* key, const std::vector<int32_t>& ids);
std::vector<int32_t> read_ids(const JsonObject& object, const char* key);

std::string late_to_json(const LateSettings& settings);
// Throws Error(LFFN_ERROR_BAD_MODEL).
LateSettings late_from_json(const JsonValue& value, const std::string& what);

}  // namespace lffn
