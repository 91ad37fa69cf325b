// SPDX-License-Identifier: Apache-2.0
// What encoders with rotary positions may ask for and the library does not do: refused by name, in one sentence.
#include <gtest/gtest.h>

#include "made_folder.h"

namespace lffn {
namespace {

// A config is refused before any tensor is looked at.
void refused(const std::string& members, lffn_status status, const std::string& part,
             const std::string& family = "qwen3") {
  MadeFolder folder;
  const bool has_size = members.find("head_dim") != std::string::npos;
  folder.files["config.json"] =
      "{" + members + (members.empty() ? "" : ",") + (has_size ? "" : R"("head_dim":8,)") + R"("model_type":")" +
      family +
      R"(","hidden_size":16,"num_hidden_layers":2,"num_attention_heads":2,"num_key_value_heads":1,)"
      R"("intermediate_size":24,"vocab_size":1000,"max_position_embeddings":512})";
  folder.tensors.push_back(made_tensor("none", {1}));
  SCOPED_TRACE(members);
  folder.refused(status, part);
}
void refused(const std::string& members, const std::string& part) { refused(members, LFFN_ERROR_UNSUPPORTED, part); }

TEST(RotaryRefusals, TheConfigItselfIsNot) { refused("", LFFN_ERROR_BAD_MODEL, "this tensor is missing"); }

TEST(RotaryRefusals, OtherScaling) {
  for (const char* name : {"dynamic", "yarn", "longrope", "proportional", "su", "x"}) {
    const std::string type = std::string("\"") + name + "\"";
    const std::string part = std::string("rotary positions are scaled by '") + name +
                             "', which is not supported; choose a model without scaling, or with linear, llama3 or ntk";
    refused(R"("rope_scaling":{"type":)" + type + R"(,"factor":2.0})", part);
    refused(R"("rope_scaling":{"rope_type":)" + type + R"(,"factor":2.0})", part);
    refused(R"("rope_parameters":{"rope_theta":10000.0,"rope_type":)" + type + R"(,"factor":2.0})", part);
    refused(R"("rope_parameters":{"full_attention":{"rope_theta":10000.0,"rope_type":)" + type + R"(,"factor":2.0}})",
            part);
  }
  refused(R"("rotary_scaling_factor":2.0)", "'rotary_scaling_factor' is set, but this scaling of positions is not");
  refused(R"("rotary_emb_scale_base":512)", "'rotary_emb_scale_base' is set, but");
}

TEST(RotaryRefusals, PartsOfHeadsAndPairs) {
  refused(R"("partial_rotary_factor":0.5)", "'partial_rotary_factor' is set, but only whole heads are rotated; choose");
  refused(R"("rope_parameters":{"rope_theta":10000.0,"partial_rotary_factor":0.25})", "only whole heads are rotated");
  refused(R"("rotary_emb_fraction":0.5)", "'rotary_emb_fraction' is set, but only whole heads are rotated; choose");
  refused(R"("rotary_emb_interleaved":true)", "only halves of heads are rotated, not pairs side by side; choose");
  refused(R"("rope_interleaved":true)", "'rope_interleaved' is set, but only halves of heads are rotated");
  refused(R"("head_dim":7)", LFFN_ERROR_BAD_MODEL, "'head_dim' is 7, but halves of heads are rotated; it must be even");
}

TEST(RotaryRefusals, Attention) {
  refused(R"("logn_attention_scale":true)", "'logn_attention_scale' is set, but attention that is scaled by a text's");
  refused(R"("logn_attention_clip1":true)", "'logn_attention_clip1' is set");
  refused(R"("use_sliding_window":true)", "'use_sliding_window' is set, but such windows are not supported; choose");
  refused(R"("attn_logit_softcapping":50.0)", "'attn_logit_softcapping' is set, but soft caps are not supported");
  refused(R"("final_logit_softcapping":30.0)", "'final_logit_softcapping' is set");
  refused(R"("layer_types":["full_attention","chunked_attention"])", "'layer_types' has 'chunked_attention', which is");
  refused(R"("layer_types":["full_attention","sliding_attention"])", "'layer_types' has 'sliding_attention', which is");
}

TEST(RotaryRefusals, Layers) {
  for (const char* key : {"num_experts", "num_local_experts", "moe_every_n_layers"}) {
    refused("\"" + std::string(key) + "\":2", "'" + std::string(key) + "' is set, but experts are not supported");
  }
  for (const char* key : {"prenorm", "use_rms_norm", "parallel_block"}) {
    refused("\"" + std::string(key) + "\":true", "'" + std::string(key) + "' is set, but such layers are not");
  }
  refused(R"("layer_norm_type":"rms_norm")", "'layer_norm_type' is set, but only layer norms are supported");
}

TEST(RotaryRefusals, NumbersThatMeanNothing) {
  const lffn_status bad = LFFN_ERROR_BAD_MODEL;
  refused(R"("rope_theta":1.0)", bad, "the theta of rotary positions is 1, allowed is any number above 1");
  refused(R"("rope_theta":-5)", bad, "theta");
  refused(R"("rope_scaling":{"type":"linear"})", bad, "factor");
  refused(R"("rope_scaling":{"type":"linear","factor":0})", bad, "'factor' of rotary positions is 0, allowed is any");
  refused(R"("rope_scaling":7)", bad, "'rope_scaling' must be an object");
  refused(R"("rope_parameters":[])", bad, "'rope_parameters' must be an object");
  refused(R"("rope_scaling":{"rope_type":"llama3","factor":8,"low_freq_factor":4,"high_freq_factor":4,)"
          R"("original_max_position_embeddings":128})",
          bad, "'high_freq_factor' is 4, but must be above 'low_freq_factor', 4");
  refused(R"("layer_types":["full_attention"])", bad, "'layer_types' has 1 entries");
  refused(R"("local_attention":0)", bad, "'local_attention' is 0, allowed is 1", "modernbert");
  refused(R"("global_attn_every_n_layers":0)", bad, "'global_attn_every_n_layers' is 0", "modernbert");
  refused(R"("query_pre_attn_scalar":0)", bad, "'query_pre_attn_scalar' is 0, allowed is any number above 0",
          "gemma3_text");
}

TEST(RotaryRefusals, Experts) {
  refused(R"("moe_every_n_layers":2)", LFFN_ERROR_UNSUPPORTED, "experts are not supported", "nomic_bert");
}

}  // namespace
}  // namespace lffn
