// SPDX-License-Identifier: Apache-2.0
#include "model/family.h"

namespace lffn {
namespace {

constexpr Family make() {
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

const Family kDistilBert = make();

}  // namespace lffn
