// SPDX-License-Identifier: Apache-2.0
// What runs of a model are for: answers to a question, labels that it never learned, class scores, words in place of a
// mask, and embeddings in other forms.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace lffn {

// The parts of a context that answer a question, found as transformers' question answering does it: in windows over a
// long context, each answer as likely as its first and its last token together.
struct AnswerOptions {
  int64_t max_tokens = LFFN_MAX_TOKENS_MODEL;  // or a number: of a window, the question and special tokens counted
  int64_t stride = -1;                         // tokens that a window shares with the one before; -1: see answers.cc
  int64_t max_answer_tokens = 15;              // of an answer
  int32_t top_k = 1;
  bool may_be_none = false;  // that there is no answer is one of the answers
  const int32_t* cancel = nullptr;
};

struct Answer {
  size_t begin = 0, end = 0;  // bytes of the context; 0, 0: there is no answer
  double score = 0;
};

// At most top_k, the best first; fewer where the context has not so many. Throws Error: of a model without such a head
// or a tokenizer, text that is not UTF-8, a question that leaves no room, a stride that leaves none.
std::vector<Answer> find_answers(const Model& model, std::string_view question, std::string_view context,
                                 const AnswerOptions& options);

// How well labels that a model never learned fit a text: whether the text entails "This example is LABEL.", told by a
// classifier of pairs, as transformers' zero-shot classification does it.
struct ZeroShotOptions {
  std::string_view hypothesis = "This example is {}.";  // {}: the label
  int64_t max_tokens = LFFN_MAX_TOKENS_MODEL;           // as of TextOptions; only the text is cut
  bool several = false;                                 // labels count each for itself
  const int32_t* cancel = nullptr;
};

// A score for each label. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) of a model without a class of entailment, too.
std::vector<float> score_labels(const Model& model, std::string_view text, const std::vector<std::string_view>& labels,
                                const ZeroShotOptions& options);

// What becomes of class scores: probabilities, or what a reranker's files ask for.
// kind: LFFN_SCORES_. scores and out, [n][num_classes], may be the same.
void activate_scores(const Model& model, int32_t kind, const float* scores, int64_t n, float* out);

// The most likely tokens in place of a mask: writes the top_k most likely ids, the lower id first among equals, and
// their softmax over all logits. `probabilities` may be nullptr.
void most_likely(const float* logits, int32_t vocabulary, int32_t top_k, int32_t* ids, float* probabilities);

// To length 1, unless it is 0.
void scale_to_one(float* values, int64_t size);

// Where embeddings go in other forms than the model gives them: windows' mean, fewer dimensions, bytes, bits. What is
// nullptr is left out.
struct EmbeddingForms {
  int64_t rows = 0;                      // texts, or sequences
  const int64_t* row_offsets = nullptr;  // [rows + 1] of which embeddings each row is the mean; nullptr: of its own
  int64_t size = 0;                      // numbers of an embedding
  int64_t dimensions = 0;                // of these the first so many
  bool scales = false;                   // to length 1
  float* floats = nullptr;               // [rows][dimensions]
  int8_t* bytes = nullptr;               // likewise
  float* byte_scales = nullptr;          // [rows]
  uint8_t* bits = nullptr;               // [rows][bit_bytes(dimensions)], the first number's bit the highest
  int8_t* token_bytes = nullptr;         // of token vectors, as these
  float* token_scales = nullptr;         // of each of them
};

inline int64_t bit_bytes(int64_t numbers) { return (numbers + 7) / 8; }

// `row` has room for one embedding. Throws Error(LFFN_ERROR_CANCELLED).
void make_forms(const float* embeddings, const EmbeddingForms& forms, float* row, const int32_t* cancel);

// Bytes of some vectors, with a scale for each. Throws Error(LFFN_ERROR_CANCELLED).
void make_bytes_of_rows(const float* vectors, int64_t rows, int64_t size, int8_t* to, float* scales,
                        const int32_t* cancel);

}  // namespace lffn
