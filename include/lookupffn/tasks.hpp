/* tasks.hpp - entities, answers, and labels that a model never learned, in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_TASKS_HPP
#define LOOKUPFFN_TASKS_HPP

#include <string>
#include <string_view>
#include <vector>

#include "lookupffn/run.hpp"

namespace lookupffn {

/** A name, a place or the like in a text. */
struct Entity {
  std::string label; /**< What it is, such as "PER". */
  float score;       /**< How probable. */
  std::size_t begin; /**< Its first byte in the text. */
  std::size_t end;   /**< The byte after its last one. */
};

/** A part of a context that answers a question. */
struct Answer {
  std::size_t begin; /**< Its first byte in the context. */
  std::size_t end;   /**< The byte after its last one. */
  float score;       /**< How probable. */
};

/** How to look for answers; see lffn_model_answer_args. */
struct AnswerOptions {
  std::int32_t top_k = 1;                          /**< Most answers to return. */
  std::int64_t max_tokens = LFFN_MAX_TOKENS_MODEL; /**< Of a window. */
  std::int64_t stride = LFFN_STRIDE_DEFAULT;       /**< Tokens that a window repeats. */
  std::int32_t max_answer_tokens = 15;             /**< Of an answer. */
  bool may_be_none = false;                        /**< "No answer" counts as an answer. */
  const CancelFlag* cancel = nullptr;              /**< Ends the call from another thread. */
};

/** A label, and how probable it is that it fits a text. */
struct ScoredLabel {
  std::string label; /**< As given. */
  float score;       /**< From 0 to 1. */
};

/** How to try labels; see lffn_model_zero_shot_args. */
struct ZeroShotOptions {
  std::string hypothesis = "This example is {}.";  /**< With the label in place of {}. */
  std::int64_t max_tokens = LFFN_MAX_TOKENS_MODEL; /**< The text is cut to fit; or LFFN_MAX_TOKENS_. */
  bool several = false;                            /**< Each label has its own probability. */
  const CancelFlag* cancel = nullptr;              /**< Ends the call from another thread. */
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_TASKS_HPP */
