// SPDX-License-Identifier: Apache-2.0
// Entities, such as names and places, and where they are, by the classes of a text's tokens. Tokens are joined as in
// transformers' token classification.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace lffn {

// The values of LFFN_AGGREGATION_.
enum class Aggregation { kSimple, kNone, kFirst, kAverage, kMax };

// The tokens of a text, and the scores of each.
struct ScoredTokens {
  const int32_t* ids = nullptr;
  const TextSpan* spans = nullptr;  // bytes of the text
  const int8_t* texts = nullptr;    // -1: added by the tokenizer's template, and no part of an entity
  const float* scores = nullptr;    // [count][num_token_classes]
  int64_t count = 0;
};

struct Entity {
  int32_t label = 0;  // the class of its first token
  float score = 0;
  size_t begin = 0, end = 0;  // bytes of the text
};

class EntityFinder {
 public:
  // Appends the entities of a text. Those with the label "O", which means no entity, only with `all`.
  void find(const Model& model, std::string_view text, const ScoredTokens& tokens, Aggregation aggregation, bool all,
            std::vector<Entity>& to);

 private:
  struct Word {
    int64_t first, last;  // tokens
  };
  Entity judge(const Model& model, const ScoredTokens& tokens, const Word& word, Aggregation aggregation);
  void set_probabilities(const float* scores);

  // Memory that is kept between calls.
  std::vector<double> probabilities_, sums_;
  std::vector<int64_t> counts_;
};

// The kind of entity that a label of the model means: what is behind its first dash, "PER" of "B-PER".
std::string_view entity_label(const Model& model, int32_t label);

}  // namespace lffn
