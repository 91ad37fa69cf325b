// SPDX-License-Identifier: Apache-2.0
#include "layer/layer.h"
#include "layer/tensors.h"

namespace lffn {

void Layer::add_stored(const std::string& prefix, std::vector<TensorView>& tensors, std::vector<Memory>& memory) const {
  const int64_t d = config_.hidden_size;
  const HashPlan& plan = projection_.plan;
  const auto add_floats = [&](const char* name, std::vector<int64_t> shape, const float* data) {
    tensors.push_back(view_of(prefix + name, DType::kF32, std::move(shape), data));
  };
  const auto add_hashes = [&](const char* name, std::vector<int64_t> shape, const float* data) {
    if (plan.dense) data = memory.emplace_back(restored_hashes(plan, data)).as<float>();
    add_floats(name, std::move(shape), data);
  };

  // The tables first: their size is a multiple of 64 in all usual shapes, which keeps what follows aligned.
  const DType dtype = tables_.dtype == LFFN_DTYPE_F32    ? DType::kF32
                      : tables_.dtype == LFFN_DTYPE_BF16 ? DType::kBF16
                                                         : DType::kI8;
  const size_t row = static_cast<size_t>(config_.output_size) * dtype_size(dtype);
  const size_t rows = static_cast<size_t>(config_.num_tables) * static_cast<size_t>(config_.table_size);
  Memory unpacked(checked_product(rows, row));
  for (size_t r = 0; r < rows; ++r) {
    tables_.unpack_row(static_cast<int32_t>(r / static_cast<size_t>(config_.table_size)),
                       static_cast<int32_t>(r % static_cast<size_t>(config_.table_size)),
                       unpacked.as<uint8_t>() + r * row);
  }
  tensors.push_back(
      view_of(prefix + kTables, dtype, {config_.num_tables, config_.table_size, config_.output_size}, unpacked.data()));
  memory.push_back(std::move(unpacked));
  if (dtype == DType::kI8) {
    add_floats(kTablesScale, {config_.num_tables, config_.table_size}, tables_.row_scales.as<float>());
  }
  std::vector<int64_t> shape = projection_shape(config_);
  const void* weight = projection_.unfolded.data();
  if (weight == nullptr) weight = memory.emplace_back(restored_weight(config_, projection_, kernels_)).data();
  if (plan.arithmetic == HashArithmetic::kInt8) {
    tensors.push_back(view_of(prefix + kFoldedWeight, DType::kI8, shape, weight));
    shape.pop_back();
    add_hashes(kFoldedScale, shape, plan.weight_scales);
  } else {
    add_floats(kHashWeight, shape, static_cast<const float*>(weight));
  }
  add_hashes(kHashBias, {config_.num_hashes()}, plan.bias);
  if (config_.layer_norm) {
    add_floats(kNormGain, {d}, plan.norm.gain);
    add_floats(kNormShift, {d}, plan.norm.shift);
  }
  add_floats(kBias, {config_.output_size}, tables_.bias.as<float>());
}

void Layer::save(const std::string& path, LoadProgress* progress) const {
  std::vector<TensorView> tensors;
  std::vector<Memory> memory;
  add_stored("", tensors, memory);
  write_safetensors(
      path,
      {{"format", "lookupffn"}, {"format_version", "1"}, {"kind", "layer"}, {"config", layer_config_to_json(config_)}},
      tensors, progress);
}

}  // namespace lffn
