// SPDX-License-Identifier: Apache-2.0
#include "model/family.h"

namespace lffn {
namespace {

constexpr Family make() {
  Family family;
  family.name = "bert";
  family.architectures[0] = "BertFor";
  family.architectures[1] = "BertModel";
  family.prefix = "bert.";
  family.type_vocab_size = 2;
  family.pad_token_id = 0;
  family.layer_norm_eps = 1e-12f;
  family.texts_have_types = true;
  family.lm_dense = "cls.predictions.transform.dense";
  family.lm_norm = "cls.predictions.transform.LayerNorm";
  family.decoder = "cls.predictions.decoder";
  family.decoder_biases[0] = "cls.predictions.bias";
  family.decoder_biases[1] = "cls.predictions.decoder.bias";
  family.lm_activation_is_gelu = false;
  family.class_dense = "pooler.dense";
  family.class_out = "classifier";
  family.ignored[0] = "embeddings.position_ids";
  family.ignored[1] = "embeddings.token_type_ids";
  family.ignored[2] = "pooler.";
  family.ignored[3] = "cls.seq_relationship.";
  return family;
}

}  // namespace

const Family kBert = make();

}  // namespace lffn
