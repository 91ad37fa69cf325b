// SPDX-License-Identifier: Apache-2.0
// What is done with a model's runs: answers, labels that it never learned, documents in order. All throw Error.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "model/model.h"
#include "run/memory.h"
#include "run/outputs.h"

namespace lffn {

inline constexpr OutputSet kAnswerOutputs =
    set_of(LFFN_OUT_ANSWER_BEGINS, LFFN_OUT_ANSWER_ENDS, LFFN_OUT_ANSWER_SCORES, LFFN_OUT_ANSWER_OFFSETS);
inline constexpr OutputSet kLabelOutputs = set_of(LFFN_OUT_LABEL_SCORES, LFFN_OUT_LABEL_ORDER);
inline constexpr OutputSet kDocumentOutputs = set_of(LFFN_OUT_DOCUMENT_SCORES, LFFN_OUT_DOCUMENT_ORDER);

// The parts of a context that answer a question, found as transformers' question answering does it: in windows over a
// long context. The likelihood of an answer is that of its first token times that of its last one.
struct AnswerOptions {
  int64_t max_tokens = LFFN_MAX_TOKENS_MODEL;  // or a number: of a window, including question and special tokens
  int64_t stride = -1;                         // tokens that a window shares with the one before; -1: see answer.cc
  int64_t max_answer_tokens = 15;              // of an answer
  int32_t top_k = 1;
  bool may_be_none = false;  // "no answer" is one of the answers
  const int32_t* cancel = nullptr;
};

struct Answer {
  size_t begin = 0, end = 0;  // bytes of the context; 0, 0: there is no answer
  double score = 0;
};

// At most top_k answers, the best first; fewer where the context has fewer. Throws Error for a model without such a
// head or without a tokenizer, for text that is not UTF-8, and for a question or a stride that leaves no room.
std::vector<Answer> find_answers(const Model& model, std::string_view question, std::string_view context,
                                 const AnswerOptions& options, CallMemory& memory);
void answer(const Model& model, std::string_view question, std::string_view context, const AnswerOptions& options,
            Outputs& outputs, CallMemory& memory);

// How well labels that a model never learned fit a text: whether the text entails "This example is LABEL.", as judged
// by a classifier of pairs, the way transformers' zero-shot classification does it.
struct ZeroShotOptions {
  std::string_view hypothesis = "This example is {}.";  // {}: the label
  int64_t max_tokens = LFFN_MAX_TOKENS_MODEL;           // as of TextOptions; only the text is cut
  bool several = false;                                 // each label is scored by itself
  const int32_t* cancel = nullptr;
};

// Throws Error(LFFN_ERROR_INVALID_ARGUMENT) for a model without a class of entailment, too.
void zero_shot(const Model& model, std::string_view text, const std::vector<std::string_view>& labels,
               const ZeroShotOptions& options, Outputs& outputs, CallMemory& memory);

struct Reranking {
  std::string_view query;
  const char* const* documents = nullptr;
  const size_t* document_sizes = nullptr;  // may be nullptr
  int64_t num_documents = 0;
  int64_t max_tokens = 0;   // LFFN_MAX_TOKENS_ or a number
  int32_t scores_kind = 0;  // LFFN_SCORES_
  bool repairs = false;
  int32_t num_threads = 0;
  const int32_t* cancel = nullptr;
};

// Throws Error unless the model can rerank.
void check_reranker(const Model& model);
void rerank(const Model& model, const Reranking& reranking, Outputs& outputs, CallMemory& memory);

}  // namespace lffn
