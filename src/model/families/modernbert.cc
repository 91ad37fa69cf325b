// SPDX-License-Identifier: Apache-2.0
#include "model/families/family.h"

namespace lffn {
namespace {

constexpr Family make() {
  Family family;
  family.name = "modernbert";
  family.architectures[0] = "ModernBert";
  family.prefix = "model.";
  family.activation = "hidden_activation";
  family.layer_norm_eps_key = "norm_eps";
  family.norm_bias_key = "norm_bias";
  family.has_norm_shift = false;
  family.type_vocab_size = 0;
  family.norms = NormPlace::kBefore;
  family.norms_first_attention = false;
  family.attention_bias = family.attention_out_bias = {"attention_bias", false};
  family.up_bias = family.down_bias = {"mlp_bias", false};
  family.gate = Gate::kFirst;
  family.rotates = true;
  family.theta = 160000;
  family.local_theta = 10000;
  family.window = "local_attention";
  family.usual_window = 128;
  family.global_every = "global_attn_every_n_layers";
  family.usual_global_every = 3;
  family.global_is_first = true;
  family.words = "embeddings.tok_embeddings";
  family.position_embeddings = nullptr;
  family.types = nullptr;
  family.embedding_norm = "embeddings.norm";
  family.layer = "layers.";
  family.query_key_value = "attn.Wqkv";
  family.attention_out = "attn.Wo";
  family.attention_norm = "attn_norm";
  family.up = "mlp.Wi";
  family.down = "mlp.Wo";
  family.ffn_norm = "mlp_norm";
  family.final_norm = "final_norm";
  family.lm_dense = "head.dense";
  family.lm_norm = "head.norm";
  family.lm_dense_bias = {"classifier_bias", false};
  family.lm_activation_key = "classifier_activation";
  family.decoder = "decoder";
  family.decoder_biases[0] = "decoder.bias";
  family.decoder_bias = {"decoder_bias", true};
  family.class_dense = "head.dense";
  family.class_dense_bias = {"classifier_bias", false};
  family.class_activation_key = "classifier_activation";
  family.class_activation = Activation::kGelu;
  family.class_norm = "head.norm";
  family.class_out = "classifier";
  family.class_pooling_key = "classifier_pooling";
  family.token_heads_read_classes = true;
  return family;
}

}  // namespace

const Family kModernBert = make();

}  // namespace lffn
