// SPDX-License-Identifier: Apache-2.0
#include "format/tensor_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

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

// Looks at the bits alone: an exponent of all ones is an infinity or a NaN.
template <typename Bits>
void check_exponents(const TensorView& tensor, Bits exponent, lffn_status status) {
  const int64_t total = count_of(tensor.shape);
  constexpr int64_t kSome = 2048;
  Bits part[kSome];
  for (int64_t first = 0; first < total; first += kSome) {
    const int64_t count = std::min(kSome, total - first);
    tensor.read(static_cast<size_t>(first) * sizeof(Bits), static_cast<size_t>(count) * sizeof(Bits), part);
    bool any = false;
    for (int64_t i = 0; i < count; ++i) any |= (part[i] & exponent) == exponent;
    for (int64_t i = 0; any && i < count; ++i) {
      if ((part[i] & exponent) != exponent) continue;
      const long long element = first + i;
      fail(status, "%s: element %lld is not a finite number", tensor.name.c_str(), element);
    }
  }
}

void check_finite(const TensorView& tensor, lffn_status status) {
  if (tensor.dtype == DType::kF32) return check_exponents<uint32_t>(tensor, 0x7f800000u, status);
  if (tensor.dtype == DType::kBF16) return check_exponents<uint16_t>(tensor, 0x7f80, status);
  if (tensor.dtype == DType::kF16) return check_exponents<uint16_t>(tensor, 0x7c00, status);
}

}  // namespace

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

int32_t held_as(DType stored, int32_t wanted) {
  if (wanted != LFFN_DTYPE_AS_STORED) return wanted;
  return stored == DType::kI8 ? LFFN_DTYPE_INT8 : stored == DType::kBF16 ? LFFN_DTYPE_BF16 : LFFN_DTYPE_F32;
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
  const bool int4 = tensor.dtype == DType::kU8;
  if (tensor.dtype != DType::kI8 && !int4) return read_floats(tensor, row * size, size, out);
  float scale;
  read_floats(*scales, row, 1, &scale);
  // A scale near the largest float would make infinities, which no weight may be.
  constexpr float kMost = std::numeric_limits<float>::max();
  int8_t integers[1024];
  uint8_t pairs[512];
  for (int64_t i = 0; i < size; i += 1024) {
    const int64_t part = std::min<int64_t>(1024, size - i);
    if (int4) {
      tensor.read(static_cast<size_t>(row * ((size + 1) / 2) + i / 2), static_cast<size_t>((part + 1) / 2), pairs);
      for (int64_t k = 0; k < part; ++k) {
        integers[k] = static_cast<int8_t>((k % 2 == 0 ? pairs[k / 2] & 15 : pairs[k / 2] >> 4) - 8);
      }
    } else {
      tensor.read(static_cast<size_t>(row * size + i), static_cast<size_t>(part), integers);
    }
    for (int64_t k = 0; k < part; ++k) out[i + k] = std::clamp(static_cast<float>(integers[k]) * scale, -kMost, kMost);
  }
}

float quantise_row(const float* values, int64_t size, int8_t* out, int32_t most) {
  float largest = 0;
  for (int64_t i = 0; i < size; ++i) largest = std::max(largest, std::fabs(values[i]));
  const auto end = static_cast<float>(most);
  const float scale = largest / end;
  for (int64_t i = 0; i < size; ++i) {
    const float steps = scale > 0 ? std::nearbyint(values[i] / scale) : 0.0f;
    out[i] = static_cast<int8_t>(std::clamp(steps, -end, end));
  }
  return scale;
}

void pack_int4(const int8_t* numbers, int64_t size, uint8_t* out) {
  for (int64_t i = 0; i < size; i += 2) {
    const int second = i + 1 < size ? numbers[i + 1] : 0;
    out[i / 2] = static_cast<uint8_t>((numbers[i] + 8) | (second + 8) << 4);
  }
}

float read_int8_row(const TensorView& tensor, const TensorView* scales, int64_t row, int64_t size, float* floats,
                    int8_t* out) {
  if (tensor.dtype != DType::kI8) {
    read_floats(tensor, row * size, size, floats);
    return quantise_row(floats, size, out);
  }
  tensor.read(static_cast<size_t>(row * size), static_cast<size_t>(size), out);
  float scale;
  read_floats(*scales, row, 1, &scale);
  return scale;
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
