// SPDX-License-Identifier: Apache-2.0
#include "model/families/family.h"

namespace lffn {
namespace {

// RoBERTa, and families that differ from it in the tokenizer alone.
constexpr Family roberta(const char* name, const char* with_head, const char* without) {
  Family family;
  family.name = name;
  family.architectures[0] = with_head;
  family.architectures[1] = without;
  family.prefix = "roberta.";
  family.type_vocab_size = 2;
  family.layer_norm_eps = 1e-12f;
  family.positions = PositionRule::kAfterPadding;
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

constexpr Family roberta_prelayernorm() {
  Family family;
  family.name = "roberta-prelayernorm";
  family.prefix = "roberta_prelayernorm.";
  family.type_vocab_size = 2;
  family.layer_norm_eps = 1e-12f;
  family.norms = NormPlace::kBefore;
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

// XLM-RoBERTa with norms before each part, and none after its embeddings.
constexpr Family xlm_roberta_xl() {
  Family family;
  family.name = "xlm-roberta-xl";
  family.architectures[0] = "XLMRobertaXL";
  family.prefix = "roberta.";
  family.norms = NormPlace::kBefore;
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

const Family kRoberta = roberta("roberta", "RobertaFor", "RobertaModel");
const Family kXlmRoberta = roberta("xlm-roberta", "XLMRobertaFor", "XLMRobertaModel");
const Family kCamembert = roberta("camembert", "CamembertFor", "CamembertModel");
const Family kRobertaPreLayerNorm = roberta_prelayernorm();
const Family kXlmRobertaXl = xlm_roberta_xl();

}  // namespace lffn
