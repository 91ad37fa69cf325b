// SPDX-License-Identifier: Apache-2.0
#include "model/family.h"

namespace lffn {
namespace {

constexpr Family make() {
  Family family;
  family.name = "electra";
  family.architectures[0] = "Electra";
  family.prefix = "electra.";
  family.type_vocab_size = 2;
  family.pad_token_id = 0;
  family.layer_norm_eps = 1e-12f;
  family.texts_have_types = true;
  family.widening = Widening::kAfterNorm;
  family.widener = "embeddings_project";
  family.lm_dense = "generator_predictions.dense";
  family.lm_norm = "generator_predictions.LayerNorm";
  family.decoder = "generator_lm_head";
  family.decoder_biases[0] = "generator_lm_head.bias";
  family.class_dense = "classifier.dense";
  family.class_out = "classifier.out_proj";
  family.class_activation = Activation::kGelu;
  family.ignored[0] = "embeddings.position_ids";
  family.ignored[1] = "embeddings.token_type_ids";
  family.ignored[2] = "discriminator_predictions.";
  return family;
}

}  // namespace

const Family kElectra = make();

}  // namespace lffn
