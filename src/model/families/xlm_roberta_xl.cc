// SPDX-License-Identifier: Apache-2.0
#include "model/family.h"

namespace lffn {
namespace {

// XLM-RoBERTa normalised before each part, and not behind its embeddings.
constexpr Family make() {
  Family family;
  family.name = "xlm-roberta-xl";
  family.architectures[0] = "XLMRobertaXL";
  family.prefix = "roberta.";
  family.pre_norm = true;
  family.positions = PositionRule::kAfterPadding;
  family.lookup_norm = LookupNorm::kOfLayer;
  family.embedding_norm = nullptr;
  family.attention_norm = "attention.self_attn_layer_norm";
  family.ffn_norm = "LayerNorm";
  family.final_norm = "encoder.LayerNorm";
  family.lm_dense = "lm_head.dense";
  family.lm_norm = "lm_head.layer_norm";
  family.decoder = "lm_head.decoder";
  family.decoder_biases[0] = "lm_head.bias";
  family.decoder_biases[1] = "lm_head.decoder.bias";
  family.class_dense = "classifier.dense";
  family.class_out = "classifier.out_proj";
  family.ignored[0] = "embeddings.position_ids";
  family.ignored[1] = "embeddings.token_type_ids";
  family.ignored[2] = "pooler.";
  return family;
}

}  // namespace

const Family kXlmRobertaXl = make();

}  // namespace lffn
