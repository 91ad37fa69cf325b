// SPDX-License-Identifier: Apache-2.0
#include "model/families/family.h"

namespace lffn {
namespace {

// DeBERTa of the second and the third version.
constexpr Family make() {
  Family family;
  family.name = "deberta-v2";
  family.architectures[0] = "DebertaV2";
  family.prefix = "deberta.";
  family.adds_positions = "position_biased_input";
  family.class_activation_key = "pooler_hidden_act";
  family.type_vocab_size = 0;
  family.pad_token_id = 0;
  family.layer_norm_eps = 1e-7f;
  family.texts_have_types = true;
  family.widening = Widening::kBeforeNorm;
  family.widener = "embeddings.embed_proj";
  family.widener_has_bias = false;
  family.distances = Distances::kDisentangled;
  family.distance_table = "encoder.rel_embeddings";
  family.distance_norm = "encoder.LayerNorm";
  family.query = "attention.self.query_proj";
  family.key = "attention.self.key_proj";
  family.value = "attention.self.value_proj";
  family.distance_key = "attention.self.pos_key_proj";
  family.distance_query = "attention.self.pos_query_proj";
  family.lm_dense = "cls.predictions.transform.dense";
  family.lm_norm = "cls.predictions.transform.LayerNorm";
  family.decoder = "cls.predictions.decoder";
  family.decoder_biases[0] = "cls.predictions.bias";
  family.decoder_biases[1] = "cls.predictions.decoder.bias";
  family.lm_activation_is_gelu = false;
  family.class_dense = "pooler.dense";
  family.class_out = "classifier";
  family.class_activation = Activation::kGelu;
  // The name in models whose config sets "legacy" to false.
  family.renamed[0][0] = "lm_predictions.lm_head.bias";
  family.renamed[0][1] = "cls.predictions.bias";
  family.renamed[1][0] = "lm_predictions.lm_head.";
  family.renamed[1][1] = "cls.predictions.transform.";
  family.ignored[0] = "embeddings.position_ids";
  family.ignored[1] = "pooler.";
  family.ignored[2] = "mask_predictions.";
  return family;
}

}  // namespace

const Family kDebertaV2 = make();

}  // namespace lffn
