// SPDX-License-Identifier: Apache-2.0
#include "model/family.h"

namespace lffn {
namespace {

constexpr Family make() {
  Family family;
  family.name = "roberta";
  family.architectures[0] = "RobertaFor";
  family.architectures[1] = "RobertaModel";
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

}  // namespace

const Family kRoberta = make();

}  // namespace lffn
