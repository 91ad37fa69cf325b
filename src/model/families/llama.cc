// SPDX-License-Identifier: Apache-2.0
// Encoders built like Llama's language models: RMS norms before each part, gated neurons, key heads that several query
// heads share.
#include "model/families/family.h"

namespace lffn {
namespace {

constexpr Family llama(const char* name, const char* architecture) {
  Family family;
  family.name = name;
  family.architectures[0] = architecture;
  family.prefix = "model.";
  family.num_key_heads = "num_key_value_heads";
  family.head_size = "head_dim";
  family.layer_norm_eps_key = "rms_norm_eps";
  family.layer_norm_eps = 1e-6f;
  family.type_vocab_size = 0;
  family.norms = NormPlace::kBefore;
  family.norm_kind = NormKind::kRms;
  family.has_norm_shift = false;
  family.attention_bias = family.attention_out_bias = {"attention_bias", false};
  family.up_bias = family.down_bias = {"mlp_bias", false};
  family.gate = Gate::kFirst;
  family.usual_activation = Activation::kSilu;
  family.rotates = true;
  family.words = "embed_tokens";
  family.position_embeddings = nullptr;
  family.types = nullptr;
  family.embedding_norm = nullptr;
  family.layer = "layers.";
  family.query = "self_attn.q_proj";
  family.key = "self_attn.k_proj";
  family.value = "self_attn.v_proj";
  family.attention_out = "self_attn.o_proj";
  family.attention_norm = "input_layernorm";
  family.up = "mlp.gate_proj";
  family.up_second = "mlp.up_proj";
  family.down = "mlp.down_proj";
  family.ffn_norm = "post_attention_layernorm";
  family.final_norm = "norm";
  family.decoder = "lm_head";
  family.class_out = "score";
  family.class_out_bias = {nullptr, false};
  family.class_pooling = ClassPooling::kLast;
  family.ignored[0] = "lm_head.";
  return family;
}

constexpr Family eurobert() {
  Family family = llama("eurobert", "EuroBert");
  family.layer_norm_eps = 1e-5f;
  family.theta = 250000;
  family.class_dense = "dense";
  family.class_activation = Activation::kGelu;
  family.class_out = "classifier";
  family.class_out_bias = {};
  family.class_pooling = ClassPooling::kFirst;
  family.class_pooling_key = "classifier_pooling";
  return family;
}

constexpr Family qwen3() {
  Family family = llama("qwen3", "Qwen3");
  family.theta = 1e6f;
  family.is_causal = true;
  family.usual_head_size = 128;
  family.query_norm = "self_attn.q_norm";
  family.key_norm = "self_attn.k_norm";
  family.token_classes = "score";
  return family;
}

constexpr Family gemma3() {
  Family family = llama("gemma3_text", "Gemma3");
  family.activation = "hidden_activation";
  family.usual_activation = Activation::kGeluTanh;
  family.norms = NormPlace::kAround;
  family.norm_kind = NormKind::kRmsPlusOne;
  family.is_causal = true;
  family.bidirectional = "use_bidirectional_attention";
  family.score_scale = "query_pre_attn_scalar";
  family.usual_head_size = 256;
  family.scales_words = true;
  family.theta = 1e6f;
  family.local_theta = 10000;
  family.scales_local = false;
  family.window = "sliding_window";
  family.usual_window = 4096;
  family.window_rule = WindowRule::kHalfOrBefore;
  family.global_every = "sliding_window_pattern";
  family.usual_global_every = 6;
  family.renamed_keys[0][0] = "_sliding_window_pattern";
  family.renamed_keys[0][1] = "sliding_window_pattern";
  family.query_norm = "self_attn.q_norm";
  family.key_norm = "self_attn.k_norm";
  family.attention_result_norm = "post_attention_layernorm";
  family.ffn_norm = "pre_feedforward_layernorm";
  family.ffn_result_norm = "post_feedforward_layernorm";
  family.token_classes = "score";
  return family;
}

}  // namespace

const Family kEuroBert = eurobert();
const Family kQwen3 = qwen3();
const Family kGemma3 = gemma3();

}  // namespace lffn
