// SPDX-License-Identifier: Apache-2.0
#include "vectors.h"

#include <cmath>

#include "kernels/kernels.h"

namespace lffn::sql {
namespace {

TwoVectors compare(const void* a, const void* b, size_t bytes, Form form) {
  if (form == Form::kBytes) {
    return kernels().compare_int8(static_cast<const int8_t*>(a), static_cast<const int8_t*>(b),
                                  static_cast<int64_t>(bytes));
  }
  return kernels().compare_f32(static_cast<const float*>(a), static_cast<const float*>(b),
                               static_cast<int64_t>(bytes / sizeof(float)));
}

}  // namespace

size_t bytes_of(Form form, int64_t numbers) {
  const auto count = static_cast<size_t>(numbers);
  return form == Form::kFloats ? count * sizeof(float) : form == Form::kBytes ? count : (count + 7) / 8;
}

Similarity::Similarity(const void* one, size_t bytes, Form form) : one_(one), bytes_(bytes), form_(form) {
  if (form != Form::kBits) length_ = std::sqrt(compare(one, one, bytes, form).bb);
}

double Similarity::to(const void* other) const {
  if (form_ == Form::kBits) {
    if (bytes_ == 0) return 0;
    const int64_t different = kernels().different_bits(
        static_cast<const uint8_t*>(one_), static_cast<const uint8_t*>(other), static_cast<int64_t>(bytes_));
    return 1 - static_cast<double>(different) / (4 * static_cast<double>(bytes_));
  }
  const TwoVectors sums = compare(one_, other, bytes_, form_);
  const double lengths = length_ * std::sqrt(sums.bb);
  return lengths == 0 ? 0 : sums.ab / lengths;
}

double similarity(const void* a, const void* b, size_t bytes, Form form) { return Similarity(a, bytes, form).to(b); }

uint8_t reversed_bits(uint8_t byte) {
  uint8_t result = 0;
  for (int bit = 0; bit < 8; ++bit) result = static_cast<uint8_t>(result << 1 | (byte >> bit & 1));
  return result;
}

}  // namespace lffn::sql
