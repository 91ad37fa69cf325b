// SPDX-License-Identifier: Apache-2.0
#include "model/families/family.h"

namespace lffn {
namespace {

constexpr Family make() {
  Family family;
  family.name = "mpnet";
  family.architectures[0] = "MPNet";
  family.prefix = "mpnet.";
  family.pad_token_key = nullptr;
  family.type_vocab_size = 0;
  family.types = nullptr;
  family.layer_norm_eps = 1e-12f;
  family.positions = PositionRule::kAfterPadding;
  family.distances = Distances::kBuckets;
  family.distance_table = "encoder.relative_attention_bias";
  family.query = "attention.attn.q";
  family.key = "attention.attn.k";
  family.value = "attention.attn.v";
  family.attention_out = "attention.attn.o";
  family.attention_norm = "attention.LayerNorm";
  family.lm_dense = "lm_head.dense";
  family.lm_norm = "lm_head.layer_norm";
  family.decoder = "lm_head.decoder";
  family.decoder_biases[0] = "lm_head.bias";
  family.decoder_biases[1] = "lm_head.decoder.bias";
  family.class_dense = "classifier.dense";
  family.class_out = "classifier.out_proj";
  family.ignored[0] = "embeddings.position_ids";
  family.ignored[1] = "pooler.";
  return family;
}

}  // namespace

const Family kMpnet = make();

}  // namespace lffn
