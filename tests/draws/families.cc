// SPDX-License-Identifier: Apache-2.0
// The families as their own code writes them.
#include "drawn_model.h"

namespace draws {
namespace {

Family bert() {
  Family f;
  f.type = "bert";
  f.name = "Bert";
  f.prefix = "bert.";
  f.eps = 0;
  f.most_types = 3;
  f.may_look_up = true;
  f.lm_dense = "cls.predictions.transform.dense";
  f.lm_norm = "cls.predictions.transform.LayerNorm";
  f.lm_bias = "cls.predictions.bias";
  f.lm_acts_as_layers = true;
  f.class_dense = "pooler.dense";
  f.class_out = "classifier";
  return f;
}

Family roberta(const std::string& type, const std::string& name) {
  Family f;
  f.type = type;
  f.name = name;
  f.prefix = "roberta.";
  f.eps = 0;
  f.most_types = 1;
  f.positions = Positions::kAfterPadding;
  f.may_look_up = type == "roberta";
  f.lm_dense = "lm_head.dense";
  f.lm_norm = "lm_head.layer_norm";
  f.lm_bias = "lm_head.bias";
  f.class_dense = "classifier.dense";
  f.class_out = "classifier.out_proj";
  return f;
}

Family pre_layer_norm() {
  Family f = roberta("roberta-prelayernorm", "RobertaPreLayerNorm");
  f.prefix = "roberta_prelayernorm.";
  f.norms = Norms::kBefore;
  f.attention_norm = "attention.LayerNorm";
  f.ffn_norm = "intermediate.LayerNorm";
  f.final_norm = "LayerNorm";
  return f;
}

Family xl() {
  Family f = roberta("xlm-roberta-xl", "XLMRobertaXL");
  f.norms = Norms::kBefore;
  f.embedding_norm = "";
  f.attention_norm = "attention.self_attn_layer_norm";
  f.ffn_norm = "LayerNorm";
  f.final_norm = "encoder.LayerNorm";
  return f;
}

Family distilbert() {
  Family f;
  f.type = "distilbert";
  f.name = "DistilBert";
  f.prefix = "distilbert.";
  f.keys = {{"hidden_size", "dim"},
            {"num_hidden_layers", "n_layers"},
            {"num_attention_heads", "n_heads"},
            {"intermediate_size", "hidden_dim"}};
  f.act_key = "activation";
  f.eps_key = "";
  f.layer = "transformer.layer.";
  f.query = "attention.q_lin";
  f.key = "attention.k_lin";
  f.value = "attention.v_lin";
  f.out = "attention.out_lin";
  f.attention_norm = "sa_layer_norm";
  f.up = "ffn.lin1";
  f.down = "ffn.lin2";
  f.ffn_norm = "output_layer_norm";
  f.lm_dense = "vocab_transform";
  f.lm_norm = "vocab_layer_norm";
  f.lm_bias = "vocab_projector.bias";
  f.lm_acts_as_layers = true;
  f.class_dense = "pre_classifier";
  f.class_out = "classifier";
  f.class_act = Act::kRelu;
  return f;
}

Family electra() {
  Family f;
  f.type = "electra";
  f.name = "Electra";
  f.prefix = "electra.";
  f.eps = 0;
  f.most_types = 2;
  f.widening = Widening::kAfterNorm;
  f.widener = "embeddings_project";
  f.lm_dense = "generator_predictions.dense";
  f.lm_norm = "generator_predictions.LayerNorm";
  f.lm_bias = "generator_lm_head.bias";
  f.class_dense = "classifier.dense";
  f.class_out = "classifier.out_proj";
  f.class_act = Act::kGelu;
  return f;
}

Family mpnet() {
  Family f = roberta("mpnet", "MPNet");
  f.prefix = "mpnet.";
  f.most_types = 0;
  f.may_look_up = false;
  f.distances = Distances::kBuckets;
  f.query = "attention.attn.q";
  f.key = "attention.attn.k";
  f.value = "attention.attn.v";
  f.out = "attention.attn.o";
  f.attention_norm = "attention.LayerNorm";
  return f;
}

Family deberta() {
  Family f;
  f.type = "deberta-v2";
  f.name = "DebertaV2";
  f.prefix = "deberta.";
  f.class_act_key = "pooler_hidden_act";
  f.eps = 0;
  f.most_types = 2;
  f.distances = Distances::kDisentangled;
  f.widening = Widening::kBeforeNorm;
  f.widener = "embeddings.embed_proj";
  f.query = "attention.self.query_proj";
  f.key = "attention.self.key_proj";
  f.value = "attention.self.value_proj";
  f.lm_dense = "cls.predictions.transform.dense";
  f.lm_norm = "cls.predictions.transform.LayerNorm";
  f.lm_bias = "cls.predictions.bias";
  f.lm_acts_as_layers = true;
  f.class_dense = "pooler.dense";
  f.class_out = "classifier";
  f.class_act = Act::kGelu;
  return f;
}

Family modernbert() {
  Family f;
  f.type = "modernbert";
  f.name = "ModernBert";
  f.prefix = "model.";
  f.act_key = "hidden_activation";
  f.eps_key = "norm_eps";
  f.eps = 0;
  f.norms = Norms::kBefore;
  f.norm_shift = f.first_attention_norm = false;
  f.positions = Positions::kNone;
  f.gate = Gate::kFirst;
  f.rotates = f.is_local = f.global_is_first = true;
  f.window_key = "local_attention";
  f.every_key = "global_attn_every_n_layers";
  f.theta_key = "global_rope_theta";
  f.local_theta_key = "local_rope_theta";
  f.query_bias = f.out_bias = "attention_bias";
  f.up_bias = f.down_bias = "mlp_bias";
  f.words = "embeddings.tok_embeddings";
  f.embedding_norm = "embeddings.norm";
  f.layer = "layers.";
  f.fused = "attn.Wqkv";
  f.out = "attn.Wo";
  f.attention_norm = "attn_norm";
  f.up = "mlp.Wi";
  f.down = "mlp.Wo";
  f.ffn_norm = "mlp_norm";
  f.final_norm = "final_norm";
  f.lm_dense = "head.dense";
  f.lm_norm = "head.norm";
  f.lm_bias = "decoder.bias";
  f.lm_dense_bias = "classifier_bias";
  f.class_dense = "head.dense";
  f.class_dense_bias = "classifier_bias";
  f.class_act = Act::kGelu;
  f.class_norm = "head.norm";
  f.class_out = "classifier";
  f.class_poolings = {ClassPooling::kFirst, ClassPooling::kMean};
  f.tokens_through_dense = true;
  return f;
}

Family rotary_bert(const std::string& type, const std::string& name, const std::string& prefix) {
  Family f;
  f.type = type;
  f.name = name;
  f.prefix = prefix;
  f.eps = 0;
  f.positions = Positions::kNone;
  f.rotates = true;
  f.class_dense = "pooler.dense";
  f.class_out = "classifier";
  return f;
}

Family nomic() {
  Family f = rotary_bert("nomic_bert", "NomicBert", "bert.");
  f.keys = {{"hidden_size", "n_embd"},
            {"num_hidden_layers", "n_layer"},
            {"num_attention_heads", "n_head"},
            {"intermediate_size", "n_inner"},
            {"max_position_embeddings", "n_positions"}};
  f.act_key = "activation_function";
  f.eps_key = "layer_norm_epsilon";
  f.theta_key = "rotary_emb_base";
  f.most_types = 2;
  f.gate = Gate::kSecond;
  f.query_bias = "qkv_proj_bias";
  f.out_bias = "no";
  f.up_bias = "mlp_fc1_bias";
  f.down_bias = "mlp_fc2_bias";
  f.embedding_norm = "emb_ln";
  f.layer = "encoder.layers.";
  f.fused = "attn.Wqkv";
  f.out = "attn.out_proj";
  f.attention_norm = "norm1";
  f.up = "mlp.fc11";
  f.up_second = "mlp.fc12";
  f.down = "mlp.fc2";
  f.ffn_norm = "norm2";
  f.lm_dense = "cls.predictions.transform.dense";
  f.lm_norm = "cls.predictions.transform.layer_norm";
  f.lm_bias = "cls.predictions.decoder.bias";
  f.lm_acts_as_layers = true;
  return f;
}

Family gte() {
  Family f = rotary_bert("new", "New", "new.");
  f.gate = Gate::kSecond;
  f.most_types = 2;
  f.up_bias = "no";
  f.fused = "attention.qkv_proj";
  f.out = "attention.o_proj";
  f.attention_norm = "attn_ln";
  f.up = "mlp.up_gate_proj";
  f.down = "mlp.down_proj";
  f.ffn_norm = "mlp_ln";
  f.lm_dense = "lm_head.dense";
  f.lm_norm = "lm_head.norm";
  f.lm_bias = "lm_head.decoder.bias";
  f.lm_acts_as_layers = true;
  return f;
}

Family llama(const std::string& type, const std::string& name) {
  Family f;
  f.type = type;
  f.name = name;
  f.prefix = "model.";
  f.eps_key = "rms_norm_eps";
  f.head_size_key = "head_dim";
  f.eps = 0;
  f.norms = Norms::kBefore;
  f.norm_kind = NormKind::kRms;
  f.norm_shift = false;
  f.positions = Positions::kNone;
  f.gate = Gate::kFirst;
  f.rotates = f.shares_keys = true;
  f.query_bias = f.out_bias = "attention_bias";
  f.up_bias = f.down_bias = "mlp_bias";
  f.words = "embed_tokens";
  f.embedding_norm = "";
  f.layer = "layers.";
  f.query = "self_attn.q_proj";
  f.key = "self_attn.k_proj";
  f.value = "self_attn.v_proj";
  f.out = "self_attn.o_proj";
  f.attention_norm = "input_layernorm";
  f.up = "mlp.gate_proj";
  f.up_second = "mlp.up_proj";
  f.down = "mlp.down_proj";
  f.ffn_norm = "post_attention_layernorm";
  f.final_norm = "norm";
  f.class_out = "score";
  f.class_out_bias = "no";
  f.class_poolings = {ClassPooling::kLast};
  f.token_out = "score";
  return f;
}

Family eurobert() {
  Family f = llama("eurobert", "EuroBert");
  f.class_dense = "dense";
  f.class_act = Act::kGelu;
  f.class_out = "classifier";
  f.class_out_bias = "yes";
  f.class_poolings = {ClassPooling::kFirst, ClassPooling::kMean, ClassPooling::kLate};
  f.token_out = "classifier";
  return f;
}

Family qwen3() {
  Family f = llama("qwen3", "Qwen3");
  f.causal = 1;
  f.norms_heads = true;
  f.architecture_causal = "ForCausalLM";
  return f;
}

Family gemma3() {
  Family f = llama("gemma3_text", "Gemma3");
  f.act_key = "hidden_activation";
  f.norms = Norms::kAround;
  f.norm_kind = NormKind::kRmsPlusOne;
  f.causal = 2;
  f.norms_heads = f.scales_words = f.is_local = true;
  f.window_key = "sliding_window";
  f.every_key = "sliding_window_pattern";
  f.local_theta_key = "rope_local_base_freq";
  f.attention_result_norm = "post_attention_layernorm";
  f.ffn_norm = "pre_feedforward_layernorm";
  f.ffn_result_norm = "post_feedforward_layernorm";
  f.architecture_causal = "ForCausalLM";
  return f;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = {bert(),
                                          roberta("roberta", "Roberta"),
                                          roberta("xlm-roberta", "XLMRoberta"),
                                          roberta("camembert", "Camembert"),
                                          xl(),
                                          pre_layer_norm(),
                                          distilbert(),
                                          electra(),
                                          mpnet(),
                                          deberta(),
                                          modernbert(),
                                          nomic(),
                                          gte(),
                                          eurobert(),
                                          qwen3(),
                                          gemma3()};
  return all;
}

}  // namespace draws
