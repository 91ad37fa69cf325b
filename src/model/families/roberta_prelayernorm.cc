// SPDX-License-Identifier: Apache-2.0
#include "model/family.h"

namespace lffn {
namespace {

constexpr Family make() {
  Family family;
  family.name = "roberta-prelayernorm";
  family.prefix = "roberta_prelayernorm.";
  family.type_vocab_size = 2;
  family.layer_norm_eps = 1e-12f;
  family.pre_norm = true;
  family.positions = PositionRule::kAfterPadding;
  family.lookup_norm = LookupNorm::kOfLayer;
  family.attention_norm = "attention.LayerNorm";
  family.ffn_norm = "intermediate.LayerNorm";
  family.final_norm = "LayerNorm";
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

const Family kRobertaPreLayerNorm = make();

}  // namespace lffn
