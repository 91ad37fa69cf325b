#include "layer/tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

float float_from_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = bits >> 10 & 0x1f;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // zero and denormals
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | mantissa << 13;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

void check_finite(const TensorView& tensor, lffn_status status) {
  if (tensor.dtype == DType::kI8) return;
  const int64_t total = count_of(tensor.shape);
  float part[1024];
  for (int64_t first = 0; first < total; first += 1024) {
    const int64_t count = std::min<int64_t>(1024, total - first);
    read_floats(tensor, first, count, part);
    for (int64_t i = 0; i < count; ++i) {
      if (!std::isfinite(part[i])) {
        const long long element = first + i;
        fail(status, "%s: element %lld is not a finite number", tensor.name.c_str(), element);
      }
    }
  }
}

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

int32_t held_as(DType stored, int32_t wanted) {
  if (wanted != LFFN_DTYPE_AS_STORED) return wanted;
  return stored == DType::kI8 ? LFFN_INT8 : stored == DType::kBF16 ? LFFN_BF16 : LFFN_F32;
}

int64_t count_of(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

void check_tensor(const TensorView& tensor, const std::vector<int64_t>& shape, const std::vector<DType>& dtypes,
                  lffn_status status) {
  const char* name = tensor.name.c_str();
  if (tensor.shape != shape) {
    TensorView expected;
    expected.shape = shape;
    fail(status, "%.200s: shape %s, expected %s", name, tensor.shape_text().c_str(), expected.shape_text().c_str());
  }
  if (std::find(dtypes.begin(), dtypes.end(), tensor.dtype) == dtypes.end()) {
    std::string names;
    for (const DType dtype : dtypes) names += std::string(names.empty() ? "" : ", ") + dtype_name(dtype);
    fail(status, "%.200s: element type %s, expected one of %s", name, dtype_name(tensor.dtype), names.c_str());
  }
  check_finite(tensor, status);
}

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

void read_floats(const TensorView& tensor, int64_t first, int64_t count, float* out) {
  if (tensor.dtype == DType::kF32) {
    return tensor.read(static_cast<size_t>(first) * sizeof(float), static_cast<size_t>(count) * sizeof(float), out);
  }
  uint16_t bits[512];
  for (int64_t i = 0; i < count; i += 512) {
    const int64_t part = std::min<int64_t>(512, count - i);
    tensor.read(static_cast<size_t>(first + i) * 2, static_cast<size_t>(part) * 2, bits);
    for (int64_t k = 0; k < part; ++k) {
      out[i + k] = tensor.dtype == DType::kBF16 ? float_from_bf16(bits[k]) : float_from_f16(bits[k]);
    }
  }
}

void read_row(const TensorView& tensor, const TensorView* scales, int64_t row, int64_t size, float* out) {
  if (tensor.dtype != DType::kI8) return read_floats(tensor, row * size, size, out);
  float scale;
  read_floats(*scales, row, 1, &scale);
  // A scale near the largest float would make infinities, which no weight may be.
  constexpr float kMost = std::numeric_limits<float>::max();
  int8_t integers[1024];
  for (int64_t i = 0; i < size; i += 1024) {
    const int64_t part = std::min<int64_t>(1024, size - i);
    tensor.read(static_cast<size_t>(row * size + i), static_cast<size_t>(part), integers);
    for (int64_t k = 0; k < part; ++k) out[i + k] = std::clamp(static_cast<float>(integers[k]) * scale, -kMost, kMost);
  }
}

float float_from_bf16(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

uint16_t bf16_from_float(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  // A finite value stays finite: the largest ones would round to infinity.
  if ((rounded & 0x7f80) == 0x7f80 && std::isfinite(value))
    return static_cast<uint16_t>((bits >> 16 & 0x8000) | 0x7f7f);
  return static_cast<uint16_t>(rounded);
}

}  // namespace lffn
