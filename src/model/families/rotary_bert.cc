// SPDX-License-Identifier: Apache-2.0
// BERT with rotary positions.
#include "model/families/family.h"

namespace lffn {
namespace {

constexpr Family rotary_bert(const char* name, const char* architecture, const char* prefix, const char* other_prefix) {
  Family family;
  family.name = name;
  family.architectures[0] = architecture;
  family.prefix = prefix;
  family.other_prefix = other_prefix;
  family.renamed_keys[0][0] = "rotary_emb_base";
  family.renamed_keys[0][1] = "rope_theta";
  family.layer_norm_eps = 1e-12f;
  family.rotates = true;
  family.position_embeddings = nullptr;
  family.class_dense = "pooler.dense";
  family.class_out = "classifier";
  family.ignored[0] = "embeddings.position_ids";
  family.ignored[1] = "pooler.";
  return family;
}

constexpr Family nomic() {
  Family family = rotary_bert("nomic_bert", "NomicBert", "nomic_bert.", "bert.");
  constexpr const char* kKeys[][2] = {{"n_embd", "hidden_size"},
                                      {"n_layer", "num_hidden_layers"},
                                      {"n_head", "num_attention_heads"},
                                      {"n_inner", "intermediate_size"},
                                      {"n_positions", "max_position_embeddings"},
                                      {"layer_norm_epsilon", "layer_norm_eps"},
                                      {"activation_function", "hidden_act"}};
  for (int i = 0; i < 7; ++i) {
    family.renamed_keys[i + 1][0] = kKeys[i][0];
    family.renamed_keys[i + 1][1] = kKeys[i][1];
  }
  family.theta = 1000;
  family.type_vocab_size = 2;
  family.texts_have_types = true;
  family.gate = Gate::kSecond;
  family.usual_activation = Activation::kSilu;
  family.attention_bias = {"qkv_proj_bias", false};
  family.attention_out_bias = {nullptr, false};
  family.up_bias = {"mlp_fc1_bias", false};
  family.down_bias = {"mlp_fc2_bias", false};
  family.embedding_norm = "emb_ln";
  family.layer = "encoder.layers.";
  family.query_key_value = "attn.Wqkv";
  family.attention_out = "attn.out_proj";
  family.attention_norm = "norm1";
  family.up = "mlp.fc11";
  family.up_second = "mlp.fc12";
  family.down = "mlp.fc2";
  family.ffn_norm = "norm2";
  family.lm_dense = "cls.predictions.transform.dense";
  family.lm_norm = "cls.predictions.transform.layer_norm";
  family.lm_activation_is_gelu = false;
  family.decoder = "cls.predictions.decoder";
  family.decoder_biases[0] = "cls.predictions.bias";
  family.decoder_biases[1] = "cls.predictions.decoder.bias";
  return family;
}

constexpr Family gte(const char* name, const char* architecture, const char* prefix) {
  Family family = rotary_bert(name, architecture, prefix, "");
  family.type_vocab_size = 0;
  family.gate = Gate::kSecond;
  family.up_bias = {nullptr, false};
  family.unpacked_when_false = "pack_qkv";
  family.query_key_value = "attention.qkv_proj";
  family.query = "attention.q_proj";
  family.key = "attention.k_proj";
  family.value = "attention.v_proj";
  family.attention_out = "attention.o_proj";
  family.attention_norm = "attn_ln";
  family.up = "mlp.up_gate_proj";
  family.down = "mlp.down_proj";
  family.ffn_norm = "mlp_ln";
  family.classes_by_architecture = true;
  family.ignored[2] = "classifier.";
  family.lm_dense = "lm_head.dense";
  family.lm_norm = "lm_head.norm";
  family.lm_activation_is_gelu = false;
  family.decoder = "lm_head.decoder";
  family.decoder_biases[0] = "lm_head.decoder.bias";
  return family;
}

constexpr Family jina(const char* name, const char* prefix) {
  Family family = rotary_bert(name, "JinaEmbeddingsV3", prefix, "");
  family.theta = 20000;
  family.layer_norm_eps = 1e-5f;
  family.embedding_norm = "emb_ln";
  family.layer = "encoder.layers.";
  family.query_key_value = "mixer.Wqkv";
  family.attention_out = "mixer.out_proj";
  family.attention_norm = "norm1";
  family.up = "mlp.fc1";
  family.down = "mlp.fc2";
  family.ffn_norm = "norm2";
  family.lm_dense = "lm_head.dense";
  family.lm_norm = "lm_head.layer_norm";
  family.decoder = "lm_head.decoder";
  family.decoder_biases[0] = "lm_head.bias";
  family.decoder_biases[1] = "lm_head.decoder.bias";
  family.class_dense = "classifier.dense";
  family.class_out = "classifier.out_proj";
  return family;
}

}  // namespace

const Family kNomicBert = nomic();
const Family kGte = gte("gte", "Gte", "gte.");
const Family kNew = gte("new", "New", "new.");
const Family kJinaV3 = jina("jina_embeddings_v3", "jina_embeddings_v3.");
const Family kXlmRobertaRotary = jina("xlm-roberta", "roberta.");

}  // namespace lffn
