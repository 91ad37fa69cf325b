// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"
#include "model/sentence_files.h"
#include "model/tokenizer_files.h"

namespace lffn {

void Model::save(const std::string& path) const {
  const Family& names = family();
  const int64_t d = config_.hidden_size, vocabulary = config_.vocab_size;
  std::vector<TensorView> tensors;
  std::vector<Memory> memory;
  const auto add = [&](const std::string& name, std::vector<int64_t> shape, const Memory& from) {
    tensors.push_back(view_of(name, DType::kF32, std::move(shape), from.data()));
  };
  const auto add_norm = [&](const std::string& name, const Norm& norm) {
    if (norm.bytes() > 0) norm.add_stored(name + ".", tensors);
  };
  const auto add_linear = [&](const std::string& name, const Linear& linear) {
    linear.add_stored(name + ".", {""}, tensors, memory);
  };
  words_.add_stored(std::string(names.words) + ".weight", tensors, memory);
  add(std::string(names.position_embeddings) + ".weight", {config_.position_rows(), d}, positions_);
  if (config_.type_vocab_size > 0) add(std::string(names.types) + ".weight", {config_.type_vocab_size, d}, types_);
  add_norm(names.embedding_norm, embedding_norm_);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const EncoderLayer& layer = layers_[i];
    const std::string prefix = names.layer + std::to_string(i) + ".";
    add_norm(prefix + names.attention_norm, names.pre_norm ? layer.norm_before_attention : layer.norm_before_ffn);
    const Norm& next = i + 1 < layers_.size() ? layers_[i + 1].norm_before_attention : final_norm_;
    add_norm(prefix + names.ffn_norm, names.pre_norm ? layer.norm_before_ffn : next);
    const std::string query = names.query + std::string("."), key = names.key + std::string("."),
                      value = names.value + std::string(".");
    layer.query_key_value.add_stored(prefix, {query.c_str(), key.c_str(), value.c_str()}, tensors, memory);
    add_linear(prefix + names.attention_out, layer.attention_out);
    if (layer.lookup == nullptr) {
      add_linear(prefix + names.up, layer.up);
      add_linear(prefix + names.down, layer.down);
      continue;
    }
    const size_t first = tensors.size();
    const std::string own = prefix + names.lookup;
    layer.lookup->add_stored(own, tensors, memory);
    if (layer.lookup_linear.bytes() > 0) add_linear(own + "linear", layer.lookup_linear);
    if (names.lookup_norm != LookupNorm::kOfLayer) continue;
    for (size_t t = first; t < tensors.size(); ++t) {
      if (tensors[t].name == own + kNormGain) tensors[t].name = prefix + names.ffn_norm + ".weight";
      if (tensors[t].name == own + kNormShift) tensors[t].name = prefix + names.ffn_norm + ".bias";
    }
  }
  if (names.final_norm != nullptr) add_norm(names.final_norm, final_norm_);
  if (has_lm_head()) {
    add_linear(names.lm_dense, lm_dense_);
    add_norm(names.lm_norm, lm_norm_);
    if (!decoder_.empty() || (names.ties_decoder && !config_.ties_decoder)) {  // which then must be there
      decoder().add_stored(std::string(names.decoder) + ".weight", tensors, memory);
    }
    add(names.decoder_biases[0], {vocabulary}, decoder_bias_);
  }
  if (num_classes_ > 0) {
    add_linear(names.class_dense, class_dense_);
    add_linear(names.class_out, class_out_);
  }
  for (size_t i = 0; i < modules_.size(); ++i) {
    if (!sentence_.modules[i].normalise) add_linear(module_prefix(i) + "linear", modules_[i]);
  }
  std::string tokenizer;
  if (tokenizer_ != nullptr) {
    tokenizer = tokenizer_->to_json();
    tensors.push_back(
        view_of(kTokenizerTensor, DType::kU8, {static_cast<int64_t>(tokenizer.size())}, tokenizer.data()));
  }
  std::map<std::string, std::string> metadata = {
      {"format", "lookupffn"}, {"format_version", "1"}, {"kind", "model"}, {"config", config_.text}};
  if (sentence_.is_sentence_encoder) metadata[kSentenceKey] = sentence_to_json(sentence_);
  write_safetensors(path, metadata, tensors);
}

}  // namespace lffn
