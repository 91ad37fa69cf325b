#include "model/model.h"

namespace lffn {

Model::Model(ModelConfig config, const ModelTensors& tensors, std::unique_ptr<const Tokenizer> tokenizer,
             const LoadOptions& options, const Kernels& kernels)
    : config_(std::move(config)),
      tokenizer_(std::move(tokenizer)),
      kernels_(kernels),
      executor_(options.executor),
      num_threads_(resolve_threads(options.num_threads, *executor_)),
      flush_denormals_(options.flush_denormals),
      intermediate_size_(tensors.intermediate_size),
      num_classes_(tensors.num_classes) {
  const int64_t d = config_.hidden_size;
  const float eps = config_.layer_norm_eps;
  words_ = read_padded(*tensors.words, config_.vocab_size * d);
  positions_ = read_padded(*tensors.positions, config_.position_rows() * d);
  types_ = read_padded(*tensors.types, config_.type_vocab_size * d);
  embedding_norm_ = Norm(tensors.embedding_norm, d, eps);
  for (const EncoderLayerTensors& from : tensors.layers) {
    EncoderLayer layer;
    layer.attention_norm = Norm(from.attention_norm, d, eps);
    layer.query_key_value = Linear(from.query_key_value, options.linear_dtype, kernels);
    layer.attention_out = Linear(from.attention_out, options.linear_dtype, kernels);
    if (from.kind == FfnKind::kLookup) {
      layer.lookup = std::make_unique<const Layer>(tensors.lookup, from.lookup, options, kernels);
    } else {
      layer.ffn_norm = Norm(from.ffn_norm, d, eps);
      layer.up = Linear(from.up, options.linear_dtype, kernels);
      layer.down = Linear(from.down, options.linear_dtype, kernels);
    }
    layers_.push_back(std::move(layer));
  }
  final_norm_ = Norm(tensors.final_norm, d, eps);
  if (tensors.has_lm_head) {
    lm_dense_ = Linear(tensors.lm_dense, LFFN_F32, kernels);
    lm_norm_ = Norm(tensors.lm_norm, d, eps);
    if (tensors.decoder != nullptr) decoder_ = read_padded(*tensors.decoder, config_.vocab_size * d);
    decoder_bias_ = read_padded(*tensors.decoder_bias, round_up(config_.vocab_size, kPanel));
  }
  if (num_classes_ > 0) {
    class_dense_ = Linear(tensors.class_dense, LFFN_F32, kernels);
    class_out_ = Linear(tensors.class_out, LFFN_F32, kernels);
  }
}

}  // namespace lffn
