// SPDX-License-Identifier: Apache-2.0
// Answers to a question in a context.
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

}  // namespace lffn
