// SPDX-License-Identifier: Apache-2.0
// What is done with a model's runs: answers, labels that it never learned, documents in order. All throw Error.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "model/heads/answers.h"
#include "model/heads/zero_shot.h"
#include "model/model.h"
#include "run/memory.h"
#include "run/outputs.h"

namespace lffn {

inline constexpr OutputSet kAnswerOutputs =
    set_of(LFFN_OUT_ANSWER_BEGINS, LFFN_OUT_ANSWER_ENDS, LFFN_OUT_ANSWER_SCORES, LFFN_OUT_ANSWER_OFFSETS);
inline constexpr OutputSet kLabelOutputs = set_of(LFFN_OUT_LABEL_SCORES, LFFN_OUT_LABEL_ORDER);
inline constexpr OutputSet kDocumentOutputs = set_of(LFFN_OUT_DOCUMENT_SCORES, LFFN_OUT_DOCUMENT_ORDER);

void answer(const Model& model, std::string_view question, std::string_view context, const AnswerOptions& options,
            Outputs& outputs);

void zero_shot(const Model& model, std::string_view text, const std::vector<std::string_view>& labels,
               const ZeroShotOptions& options, Outputs& outputs);

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

// Whether the model can do it.
void check_reranker(const Model& model);
void rerank(const Model& model, const Reranking& reranking, Outputs& outputs, CallMemory& memory);

}  // namespace lffn
