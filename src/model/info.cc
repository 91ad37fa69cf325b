#include "model/scratch_layout.h"

namespace lffn {

lffn_model_info Model::info() const {
  const int64_t d = config_.hidden_size, a = config_.attention_size(), layers = config_.num_layers;
  lffn_model_info info = {};
  info.struct_size = sizeof info;
  info.vocab_size = config_.vocab_size;
  info.hidden_size = config_.hidden_size;
  info.num_layers = config_.num_layers;
  info.num_heads = config_.num_heads;
  info.head_size = config_.head_size;
  info.max_tokens = static_cast<int32_t>(config_.max_tokens());
  info.intermediate_size = intermediate_size_;
  info.num_classes = num_classes_;
  info.has_lm_head = has_lm_head() ? 1 : 0;
  info.has_tokenizer = tokenizer_ != nullptr ? 1 : 0;
  info.bos_id = info.eos_id = info.pad_id = info.unk_id = info.mask_id = -1;
  if (tokenizer_ != nullptr) {
    info.bos_id = tokenizer_->bos_id();
    info.eos_id = tokenizer_->eos_id();
    info.pad_id = tokenizer_->pad_id();
    info.unk_id = tokenizer_->unk_id();
    info.mask_id = tokenizer_->mask_id();
  }
  info.num_threads = num_threads_;

  const int64_t norm = 2 * d;  // numbers of a layer norm
  int64_t parameters = static_cast<int64_t>((words_.size() + positions_.size() + types_.size()) / sizeof(float));
  parameters += (layers + 2) * norm;  // the attention's, the first and the last
  size_t bytes = words_.size() + positions_.size() + types_.size() + embedding_norm_.bytes() + final_norm_.bytes();
  int64_t stored = parameters * static_cast<int64_t>(sizeof(float));
  const auto add_linear = [&](const Linear& linear) {
    parameters += linear.num_parameters();
    stored += linear.stored_bytes();
    bytes += linear.bytes();
    return linear.flop_per_row();
  };
  const auto add_floats = [&](int64_t numbers, size_t held) {
    parameters += numbers;
    stored += numbers * static_cast<int64_t>(sizeof(float));
    bytes += held;
  };
  for (const EncoderLayer& layer : layers_) {
    bytes += layer.attention_norm.bytes();
    info.attention_flop_per_token += add_linear(layer.query_key_value) + add_linear(layer.attention_out);
    info.attention_flop_per_pair += 4 * a;
    info.other_flop_per_token += 2 * 8 * d + 2 * d;  // two layer norms, two residuals
    if (layer.lookup != nullptr) {
      const lffn_layer_info ffn = layer.lookup->info();
      info.num_lookup_layers += 1;
      info.table_dtype = ffn.table_dtype;
      info.hash_dtype = ffn.hash_dtype;
      info.ffn_flop_per_token += ffn.flop_per_token;
      parameters += ffn.num_parameters;
      stored += ffn.file_bytes;
      bytes += static_cast<size_t>(ffn.memory_bytes);
    } else {
      info.ffn_flop_per_token += add_linear(layer.up) + add_linear(layer.down);
      add_floats(norm, layer.ffn_norm.bytes());
    }
  }
  info.other_flop_per_token += 2 * 8 * d + 2 * d;  // embeddings with their layer norm, and the last one
  if (has_lm_head()) {
    info.lm_head_flop_per_token = add_linear(lm_dense_) + 8 * d + 2 * d * config_.vocab_size;
    add_floats(norm, lm_norm_.bytes());
    add_floats(config_.vocab_size, decoder_bias_.size());
    if (decoder_.size() > 0) add_floats(d * config_.vocab_size, decoder_.size());
  }
  if (num_classes_ > 0) {
    add_linear(class_dense_);
    add_linear(class_out_);
  }
  info.linear_dtype = layers_[0].query_key_value.dtype();
  info.num_parameters = parameters;
  info.file_bytes = stored;
  info.memory_bytes = static_cast<int64_t>(bytes);
  info.scratch_bytes = scratch_bytes();
  return info;
}

}  // namespace lffn
