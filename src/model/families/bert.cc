// SPDX-License-Identifier: Apache-2.0
#include "model/families/family.h"

namespace lffn {
namespace {

constexpr Family bert() {
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

constexpr Family electra() {
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

constexpr Family distilbert() {
  Family family;
  family.name = "distilbert";
  family.architectures[0] = "DistilBert";
  family.prefix = "distilbert.";
  family.hidden_size = "dim";
  family.num_layers = "n_layers";
  family.num_heads = "n_heads";
  family.intermediate_size = "hidden_dim";
  family.activation = "activation";
  family.lookup_activation = nullptr;
  family.layer_norm_eps_key = nullptr;
  family.type_vocab_size = 0;
  family.layer_norm_eps = 1e-12f;
  family.types = nullptr;
  family.layer = "transformer.layer.";
  family.query = "attention.q_lin";
  family.key = "attention.k_lin";
  family.value = "attention.v_lin";
  family.attention_out = "attention.out_lin";
  family.attention_norm = "sa_layer_norm";
  family.up = "ffn.lin1";
  family.down = "ffn.lin2";
  family.ffn_norm = "output_layer_norm";
  family.lm_dense = "vocab_transform";
  family.lm_norm = "vocab_layer_norm";
  family.decoder = "vocab_projector";
  family.decoder_biases[0] = "vocab_projector.bias";
  family.lm_activation_is_gelu = false;
  family.class_dense = "pre_classifier";
  family.class_out = "classifier";
  family.class_activation = Activation::kRelu;
  family.ignored[0] = "embeddings.position_ids";
  return family;
}

}  // namespace

const Family kBert = bert();
const Family kElectra = electra();
const Family kDistilBert = distilbert();

}  // namespace lffn
