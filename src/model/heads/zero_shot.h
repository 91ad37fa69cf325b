// SPDX-License-Identifier: Apache-2.0
// Labels that a model never learned.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace lffn {

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

}  // namespace lffn
