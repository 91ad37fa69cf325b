#include "model/model.h"

namespace lffn {

void Model::save(const std::string& path) const {
  const int64_t d = config_.hidden_size, vocabulary = config_.vocab_size;
  std::vector<TensorView> tensors;
  std::vector<Memory> memory;
  const auto add = [&](const char* name, std::vector<int64_t> shape, const Memory& from) {
    tensors.push_back(float_view(name, std::move(shape), from.as<float>()));
  };
  add("embeddings.word_embeddings.weight", {vocabulary, d}, words_);
  add("embeddings.position_embeddings.weight", {config_.position_rows(), d}, positions_);
  add("embeddings.token_type_embeddings.weight", {config_.type_vocab_size, d}, types_);
  embedding_norm_.add_stored("embeddings.LayerNorm.", tensors);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const EncoderLayer& layer = layers_[i];
    const std::string prefix = "encoder.layer." + std::to_string(i) + ".";
    layer.attention_norm.add_stored(prefix + "attention.LayerNorm.", tensors);
    layer.query_key_value.add_stored(prefix + "attention.", {"query.", "key.", "value."}, tensors, memory);
    layer.attention_out.add_stored(prefix + "attention.", {"dense."}, tensors, memory);
    if (layer.lookup != nullptr) {
      layer.lookup->add_stored(prefix + "FFN.", tensors, memory);
    } else {
      layer.ffn_norm.add_stored(prefix + "FFN.0.", tensors);
      layer.up.add_stored(prefix + "FFN.1.", {""}, tensors, memory);
      layer.down.add_stored(prefix + "FFN.3.", {""}, tensors, memory);
    }
  }
  final_norm_.add_stored("encoder.LayerNorm.", tensors);
  if (has_lm_head()) {
    lm_dense_.add_stored("lm_head.dense.", {""}, tensors, memory);
    lm_norm_.add_stored("lm_head.layer_norm.", tensors);
    if (decoder_.size() > 0) add("lm_head.decoder.weight", {vocabulary, d}, decoder_);
    add("lm_head.decoder.bias", {vocabulary}, decoder_bias_);
  }
  if (num_classes_ > 0) {
    class_dense_.add_stored("classifier.dense.", {""}, tensors, memory);
    class_out_.add_stored("classifier.out_proj.", {""}, tensors, memory);
  }
  std::string tokenizer;
  if (tokenizer_ != nullptr) {
    tokenizer = tokenizer_->to_json();
    TensorView view;
    view.name = kTokenizerTensor;
    view.dtype = DType::kU8;
    view.shape = {static_cast<int64_t>(tokenizer.size())};
    view.data = reinterpret_cast<const uint8_t*>(tokenizer.data());
    view.size = tokenizer.size();
    tensors.push_back(std::move(view));
  }
  write_safetensors(
      path, {{"format", "lookupffn"}, {"format_version", "1"}, {"kind", "model"}, {"config", config_.text}}, tensors);
}

}  // namespace lffn
