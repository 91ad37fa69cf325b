// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/logit_row.h"

#include <string>

#include "format/tensor_numbers.h"
#include "model/config/model_config.h"
#include "model/tensors/tensor_finder.h"
#include "runtime/error.h"

namespace lffn {

void add_logit_row(std::string_view config_text, const LogitTokens& tokens, std::vector<TensorView>& tensors,
                   std::vector<Memory>& memory) {
  const ModelConfig config = parse_model_config(config_text);
  const Family& family = *config.family;
  if (!config.has_plain_decoder || config.class_pooling != ClassPooling::kLast || family.class_out == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "a LogitScore module follows a model of the family %s; supported are language models of the families qwen3 "
         "and gemma3_text (architectures Qwen3ForCausalLM, Gemma3ForCausalLM)",
         family.name);
  }
  for (const int32_t id : {tokens.yes, tokens.no.value_or(0)}) {
    if (id >= 0 && id < config.vocab_size) continue;
    fail(LFFN_ERROR_BAD_MODEL, "LogitScore names the token %d, but vocab_size is %d", id, config.vocab_size);
  }
  TensorFinder finder(tensors, family);
  const std::string head = std::string(family.decoder) + ".weight";
  const bool is_tied = config.ties_decoder || !finder.has(head);
  const int64_t size = config.hidden_size;
  const WordTensors words =
      finder.words(is_tied ? std::string(family.words) + ".weight" : head, config.vocab_size, size);
  memory.emplace_back(static_cast<size_t>(size) * sizeof(float));
  float* const row = memory.back().as<float>();
  read_row(*words.words, words.scales, tokens.yes, size, row);
  if (tokens.no) {
    std::vector<float> other(static_cast<size_t>(size));
    read_row(*words.words, words.scales, *tokens.no, size, other.data());
    for (size_t i = 0; i < other.size(); ++i) row[i] -= other[i];
  }
  tensors.push_back(view_of(std::string(family.class_out) + ".weight", DType::kF32, {1, size}, row));
}

}  // namespace lffn
