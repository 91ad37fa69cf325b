// SPDX-License-Identifier: Apache-2.0
// What a sentence encoder's files say of how texts become vectors, also as the one text that a single file holds of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/kernels.h"
#include "model/config/late_settings.h"
#include "model/config/pair_settings.h"

namespace lffn {

// LFFN_POOLING_ less 1, and LFFN_NORMALIZE_.
enum class Pooling : int32_t { kFirst, kMean, kMax, kMeanSqrtLength, kWeightedMean, kLast };
constexpr bool is_one_token(Pooling pooling) { return pooling == Pooling::kFirst || pooling == Pooling::kLast; }
enum class Scaling : int32_t { kAsModel, kYes, kNo };

// How a masked language model's scores of tokens become a sparse vector.
struct SparseSettings {
  bool pools = false;              // the model gives sparse vectors
  bool sums = false;               // adds up the scores of all tokens; else takes the largest
  bool takes_log_twice = false;    // log(1 + log(1 + score)); else log(1 + score)
  int32_t max_active = 0;          // how many weights a vector keeps, the largest ones; 0: all
  bool of_tokens = false;          // each token of a text has a weight; there are no scores of the vocabulary
  std::vector<int32_t> left_out;   // tokens without a weight, ascending
  bool starts_with_query = false;  // texts that are neither queries nor documents are read as queries
};

struct SentenceSettings {
  bool is_sentence_encoder = false;  // its folder has modules.json
  // Pooled one after the other into one vector, in this order.
  std::vector<Pooling> pooling = {Pooling::kMean};
  bool include_prompt = true;  // pooling reads the prompt's tokens, too
  bool strips = true;          // white space at both ends of a text, before it is tokenized
  bool lower_case = false;     // likewise
  int64_t max_seq_length = 0;  // 0: not given

  using Prompt = std::pair<std::string, std::string>;  // name and text
  std::vector<Prompt> prompts;                         // in the file's order
  int32_t default_prompt = -1;                         // the place in prompts; -1: none

  // What follows pooling, in order.
  struct Module {
    bool normalise = false;  // otherwise a dense layer
    int32_t inputs = 0, outputs = 0;
    Activation activation = Activation::kTanh;
  };
  std::vector<Module> modules = {{true, 0, 0, Activation::kNone}};

  SparseSettings sparse;
  LateSettings late;
  std::optional<PairSettings> pairs;  // of a reranker whose folder has modules.json

  bool normalises() const;
  int32_t find_prompt(std::string_view name) const;  // its place; -1: none of that name
};

// The names of the tensors of a sentence encoder's module begin with this: "sentence.1.".
std::string module_prefix(size_t module);

// A single file keeps the settings as one text, in its metadata under this key.
constexpr char kSentenceKey[] = "sentence";

std::string sentence_to_json(const SentenceSettings& settings);
// Throws Error(LFFN_ERROR_BAD_MODEL).
SentenceSettings sentence_from_json(std::string_view json);

}  // namespace lffn
