// SPDX-License-Identifier: Apache-2.0
// A language model used as a reranker: of its head only the rows of two words are needed.
#pragma once

#include <string_view>
#include <vector>

#include "format/safetensors.h"
#include "model/config/pair_settings.h"
#include "runtime/memory.h"

namespace lffn {

// Adds the weights of a classifier with one class to the model's tensors: the head's row for the first word, minus that
// for the second. Throws Error(LFFN_ERROR_BAD_MODEL), or Error(LFFN_ERROR_UNSUPPORTED) if it is no language model.
void add_logit_row(std::string_view config_text, const LogitTokens& tokens, std::vector<TensorView>& tensors,
                   std::vector<Memory>& memory);

}  // namespace lffn
