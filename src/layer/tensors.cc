// SPDX-License-Identifier: Apache-2.0
#include "layer/tensors.h"

#include <algorithm>
#include <set>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

class Finder {
 public:
  Finder(const std::vector<TensorView>& tensors, lffn_status status) : tensors_(tensors), status_(status) {}

  bool has(const char* name) const {
    return std::any_of(tensors_.begin(), tensors_.end(), [&](const TensorView& t) { return t.name == name; });
  }

  const TensorView* find(const char* name, const std::vector<int64_t>& shape, const std::vector<DType>& dtypes) {
    for (const TensorView& tensor : tensors_) {
      if (tensor.name != name) continue;
      check_tensor(tensor, shape, dtypes, status_);
      found_.insert(name);
      return &tensor;
    }
    fail(status_, "%s: this tensor is missing", name);
  }

  void refuse_others() const {
    for (const TensorView& tensor : tensors_) {
      if (found_.count(tensor.name) == 0) {
        fail(status_, "%s: a layer with this config has no such tensor", in_quotes(tensor.name).c_str());
      }
    }
  }

 private:
  const std::vector<TensorView>& tensors_;
  lffn_status status_;
  std::set<std::string> found_;
};

void check_not_negative(const TensorView& scale, lffn_status status) {
  const int64_t total = count_of(scale.shape);
  for (int64_t i = 0; i < total; ++i) {
    float value;
    read_floats(scale, i, 1, &value);
    if (value < 0) fail(status, "%s: element %lld is negative", scale.name.c_str(), static_cast<long long>(i));
  }
}

}  // namespace

std::vector<int64_t> projection_shape(const LayerConfig& config) {
  if (config.projection == LFFN_PROJECTION_DENSE) return {config.num_hashes(), config.hidden_size};
  const int64_t blocks = config.padded_size() / config.block_size;
  return {config.num_chains(), config.projection, blocks, config.block_size, config.block_size};
}

LayerTensors check_tensors(const LayerConfig& config, const std::vector<TensorView>& tensors, lffn_status status) {
  const std::vector<DType> floats = {DType::kF32, DType::kF16, DType::kBF16};
  const std::vector<DType> only_int8 = {DType::kI8}, only_f32 = {DType::kF32};
  Finder finder(tensors, status);
  LayerTensors found;
  if (config.layer_norm) {
    found.norm_gain = finder.find(kNormGain, {config.hidden_size}, floats);
    found.norm_shift = finder.find(kNormShift, {config.hidden_size}, floats);
  }
  if (finder.has(kFoldedWeight)) {
    std::vector<int64_t> shape = projection_shape(config);
    found.folded_weight = finder.find(kFoldedWeight, shape, only_int8);
    shape.pop_back();
    found.folded_scale = finder.find(kFoldedScale, shape, only_f32);
    check_not_negative(*found.folded_scale, status);
  } else {
    found.hash_weight = finder.find(kHashWeight, projection_shape(config), floats);
  }
  found.hash_bias = finder.find(kHashBias, {config.num_hashes()}, floats);
  const std::vector<DType> table_types = {DType::kF32, DType::kF16, DType::kBF16, DType::kI8};
  found.tables = finder.find(kTables, {config.num_tables, config.table_size, config.output_size}, table_types);
  if (found.tables->dtype == DType::kI8) {
    found.tables_scale = finder.find(kTablesScale, {config.num_tables, config.table_size}, only_f32);
    check_not_negative(*found.tables_scale, status);
  }
  found.bias = finder.find(kBias, {config.output_size}, floats);
  finder.refuse_others();
  return found;
}

}  // namespace lffn
