// SPDX-License-Identifier: Apache-2.0
#include "model/memory_estimate.h"

#include <algorithm>

#include "layer/packed_bytes.h"
#include "model/linear.h"

namespace lffn {
namespace {

size_t bytes_of(int64_t numbers, size_t size) { return checked_product(static_cast<size_t>(numbers), size); }

// The sum over all parts, in the order in which Model packs them.
class Sum {
 public:
  Sum(const LoadOptions& options, const Kernels& kernels) : options_(options), kernels_(kernels) {}

  void floats(int64_t count) { add(bytes_of(count, sizeof(float))); }

  void linear(const LinearTensors& tensors, int32_t wanted) {
    const int32_t dtype = held_as(tensors.scales[0] != nullptr ? DType::kI8 : DType::kF32, wanted);
    const int64_t padded = round_up(tensors.outputs, kPanel);
    floats(padded);
    work_ = std::max(work_, bytes_of(tensors.inputs * kPanel, sizeof(float)));
    if (dtype == LFFN_F32) return floats(padded * tensors.inputs);
    const int64_t slices = (tensors.inputs + kSliceInputs - 1) / kSliceInputs;
    add(bytes_of(padded, static_cast<size_t>(round_up(tensors.inputs, 4))));
    floats(padded * (1 + slices));
  }

  void words(const TensorView& tensor) {
    const int32_t dtype = held_as(tensor.dtype, options_.embedding_dtype);
    const int64_t padded = round_up(tensor.shape[0], kPanel);
    const int64_t stride = round_up(tensor.shape[1], dtype == LFFN_INT8 ? kWordUnitInt8 : kPartialSums);
    add(bytes_of(padded * stride, dtype == LFFN_F32 ? 4 : dtype == LFFN_BF16 ? 2 : 1));
    if (dtype == LFFN_INT8) floats(2 * padded);
    work_ = std::max(work_, bytes_of(tensor.shape[1], sizeof(float) + 1));
  }

  void lookup(const LayerConfig& config, const LayerTensors& tensors) {
    const DType hash = tensors.folded_weight != nullptr ? DType::kI8 : DType::kF32;
    add(packed_bytes(config, held_as(tensors.tables->dtype, options_.table_dtype), held_as(hash, options_.hash_dtype),
                     kernels_));
    work_ = std::max(work_, packing_bytes(config));
  }

  void add(size_t bytes) {
    if (__builtin_add_overflow(bytes, sum_, &sum_)) throw std::bad_alloc();
  }
  size_t sum() const { return sum_; }
  size_t work() const { return work_; }

 private:
  const LoadOptions& options_;
  const Kernels& kernels_;
  size_t sum_ = 0;
  size_t work_ = size_t{1} << 20;  // windows into files, rows on their way
};

}  // namespace

MemoryEstimate estimate_memory(const ModelConfig& config, const ModelTensors& tensors, const LoadOptions& options,
                               const Kernels& kernels) {
  const int64_t d = config.hidden_size;
  Sum sum(options, kernels);
  sum.words(*tensors.words);
  sum.floats(config.position_rows() * d + (tensors.types != nullptr ? config.type_vocab_size * d : d));
  sum.floats(2 * d * 2);  // the norms of the embeddings and at the end
  for (const EncoderLayerTensors& layer : tensors.layers) {
    sum.floats(2 * d * 2);
    sum.linear(layer.query_key_value, options.linear_dtype);
    sum.linear(layer.attention_out, options.linear_dtype);
    if (layer.kind == FfnKind::kLookup) {
      sum.lookup(layer.lookup_config, layer.lookup);
      if (layer.lookup_linear.outputs > 0) sum.linear(layer.lookup_linear, options.linear_dtype);
    } else {
      sum.linear(layer.up, options.linear_dtype);
      sum.linear(layer.down, options.linear_dtype);
    }
  }
  if (tensors.has_lm_head) {
    sum.linear(tensors.lm_dense, LFFN_F32);
    sum.floats(2 * d + round_up(config.vocab_size, kPanel));
    if (tensors.decoder != nullptr) sum.words(*tensors.decoder);
  }
  if (tensors.num_classes > 0) {
    sum.linear(tensors.class_dense, LFFN_F32);
    sum.linear(tensors.class_out, LFFN_F32);
  }
  for (const LinearTensors& module : tensors.modules) {
    if (module.outputs > 0) sum.linear(module, LFFN_F32);
  }
  const size_t weights = sum.sum();
  sum.add(sum.work());
  return {weights, sum.sum()};
}

}  // namespace lffn
