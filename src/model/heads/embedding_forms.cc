// SPDX-License-Identifier: Apache-2.0
#include "model/heads/embedding_forms.h"

#include <algorithm>
#include <cmath>

#include "runtime/cancel_flag.h"

namespace lffn {

void scale_to_one(float* values, int64_t size) {
  double squares = 0;
  for (int64_t i = 0; i < size; ++i) squares += double{values[i]} * double{values[i]};
  constexpr double kLeast = 1e-12;  // as in PyTorch; a vector of zeros stays one
  const double length = std::max(std::sqrt(squares), kLeast);
  for (int64_t i = 0; i < size; ++i) values[i] = static_cast<float>(double{values[i]} / length);
}

namespace {

// Returns the scale. If it is 0 or not a number, all bytes are zeros.
float make_bytes(const float* values, int64_t size, int8_t* to) {
  constexpr float kMost = 127;
  float largest = 0;
  for (int64_t i = 0; i < size; ++i) {
    const float magnitude = std::fabs(values[i]);
    largest = magnitude > largest || std::isnan(magnitude) ? magnitude : largest;  // a NaN stays
  }
  const float scale = largest / kMost;
  if (!(scale > 0) || std::isinf(scale)) {
    std::fill_n(to, size, int8_t{0});
    return scale;
  }
  for (int64_t i = 0; i < size; ++i) {
    to[i] = static_cast<int8_t>(std::nearbyint(std::clamp(values[i] / scale, -kMost, kMost)));
  }
  return scale;
}

void make_bits(const float* values, int64_t size, uint8_t* to) {
  std::fill_n(to, bit_bytes(size), uint8_t{0});
  for (int64_t i = 0; i < size; ++i) {
    if (values[i] > 0) to[i / 8] = static_cast<uint8_t>(to[i / 8] | 0x80u >> (i % 8));
  }
}

}  // namespace

void make_forms(const float* embeddings, const EmbeddingForms& forms, float* row, const int32_t* cancel) {
  for (int64_t r = 0; r < forms.rows; ++r) {
    poll(cancel);
    const int64_t begin = forms.row_offsets == nullptr ? r : forms.row_offsets[r];
    const int64_t end = forms.row_offsets == nullptr ? r + 1 : forms.row_offsets[r + 1];
    std::copy_n(embeddings + begin * forms.size, forms.size, row);
    for (int64_t e = begin + 1; e < end; ++e) {
      for (int64_t i = 0; i < forms.size; ++i) row[i] += embeddings[e * forms.size + i];
    }
    for (int64_t i = 0; end > begin + 1 && i < forms.size; ++i) row[i] /= static_cast<float>(end - begin);
    // A row that is one whole embedding is scaled already.
    if (forms.scales && (end > begin + 1 || forms.dimensions < forms.size)) scale_to_one(row, forms.dimensions);
    if (forms.floats != nullptr) std::copy_n(row, forms.dimensions, forms.floats + r * forms.dimensions);
    if (forms.bytes != nullptr) {
      forms.byte_scales[r] = make_bytes(row, forms.dimensions, forms.bytes + r * forms.dimensions);
    }
    if (forms.bits != nullptr) make_bits(row, forms.dimensions, forms.bits + r * bit_bytes(forms.dimensions));
  }
}

void make_bytes_of_rows(const float* vectors, int64_t rows, int64_t size, int8_t* to, float* scales,
                        const int32_t* cancel) {
  for (int64_t r = 0; r < rows; ++r) {
    poll(cancel);
    scales[r] = make_bytes(vectors + r * size, size, to + r * size);
  }
}

}  // namespace lffn
