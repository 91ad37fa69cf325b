// SPDX-License-Identifier: Apache-2.0
#include "vectors.h"

#include <cmath>
#include <cstring>

// Compiled with -ffp-contract=off: a product and a sum are rounded apart, whether or not the processor could join them.
namespace lffn::sql {
namespace {

// Sums of products of two vectors, and of the second one's numbers with themselves.
struct Products {
  double ab = 0, bb = 0;
};

// Of 8 numbers at once, which a compiler cuts to the registers that there are.
using Floats = float __attribute__((vector_size(32)));
constexpr size_t kLanes = 8;

#define LFFN_INLINE inline __attribute__((always_inline))

LFFN_INLINE double sum_of(const Floats& first, const Floats& second) {
  double sum = 0;
  for (size_t i = 0; i < kLanes; ++i) sum += static_cast<double>(first[i]);
  for (size_t i = 0; i < kLanes; ++i) sum += static_cast<double>(second[i]);
  return sum;
}

LFFN_INLINE void multiply_floats(const char* a, const char* b, size_t bytes, Products& out) {
  // Two of each, since a sum waits for the one before.
  Floats ab = {}, bb = {}, more_ab = {}, more_bb = {};
  constexpr size_t kStep = sizeof(Floats);
  Floats x, y;
  size_t at = 0;
  for (; at + 2 * kStep <= bytes; at += 2 * kStep) {
    std::memcpy(&x, a + at, kStep);
    std::memcpy(&y, b + at, kStep);
    ab += x * y;
    bb += y * y;
    std::memcpy(&x, a + at + kStep, kStep);
    std::memcpy(&y, b + at + kStep, kStep);
    more_ab += x * y;
    more_bb += y * y;
  }
  for (; at < bytes; at += kStep) {
    x = y = Floats{};
    std::memcpy(&x, a + at, bytes - at < kStep ? bytes - at : kStep);
    std::memcpy(&y, b + at, bytes - at < kStep ? bytes - at : kStep);
    ab += x * y;
    bb += y * y;
  }
  out = {sum_of(ab, more_ab), sum_of(bb, more_bb)};
}

// Exact, so that any order gives the same. 2^16 products, each at most 2^14, are below 2^31.
LFFN_INLINE void multiply_bytes(const char* a, const char* b, size_t bytes, Products& out) {
  const auto* const x = reinterpret_cast<const int8_t*>(a);
  const auto* const y = reinterpret_cast<const int8_t*>(b);
  int64_t sums[2] = {};
  constexpr size_t kBlock = size_t{1} << 16;
  for (size_t begin = 0; begin < bytes; begin += kBlock) {
    const size_t end = bytes - begin < kBlock ? bytes : begin + kBlock;
    int32_t ab = 0, bb = 0;
    for (size_t i = begin; i < end; ++i) {
      ab += x[i] * y[i];
      bb += y[i] * y[i];
    }
    sums[0] += ab;
    sums[1] += bb;
  }
  out = {static_cast<double>(sums[0]), static_cast<double>(sums[1])};
}

using Multiply = void (*)(const char* a, const char* b, size_t bytes, Products& out);

void floats_for_any(const char* a, const char* b, size_t bytes, Products& out) { multiply_floats(a, b, bytes, out); }
void bytes_for_any(const char* a, const char* b, size_t bytes, Products& out) { multiply_bytes(a, b, bytes, out); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) void floats_for_avx2(const char* a, const char* b, size_t bytes, Products& out) {
  multiply_floats(a, b, bytes, out);
}
__attribute__((target("avx2"))) void bytes_for_avx2(const char* a, const char* b, size_t bytes, Products& out) {
  multiply_bytes(a, b, bytes, out);
}
Multiply floats_here() { return __builtin_cpu_supports("avx2") ? floats_for_avx2 : floats_for_any; }
Multiply bytes_here() { return __builtin_cpu_supports("avx2") ? bytes_for_avx2 : bytes_for_any; }
#else
Multiply floats_here() { return floats_for_any; }
Multiply bytes_here() { return bytes_for_any; }
#endif

Products products_of(const void* a, const void* b, size_t bytes, Form form) {
  static const Multiply floats = floats_here(), whole = bytes_here();
  Products sums;
  (form == Form::kFloats ? floats : whole)(static_cast<const char*>(a), static_cast<const char*>(b), bytes, sums);
  return sums;
}

LFFN_INLINE int64_t count_different(const char* a, const char* b, size_t bytes) {
  int64_t count = 0;
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    count += __builtin_popcountll(x ^ y);
  }
  for (; at < bytes; ++at) count += __builtin_popcount(static_cast<uint8_t>(a[at] ^ b[at]));
  return count;
}

using Count = int64_t (*)(const char* a, const char* b, size_t bytes);

int64_t bits_for_any(const char* a, const char* b, size_t bytes) { return count_different(a, b, bytes); }

#if defined(__x86_64__)
// Not all processors of this kind count bits by an instruction.
__attribute__((target("popcnt"))) int64_t bits_for_popcnt(const char* a, const char* b, size_t bytes) {
  return count_different(a, b, bytes);
}
Count bits_here() { return __builtin_cpu_supports("popcnt") ? bits_for_popcnt : bits_for_any; }
#else
Count bits_here() { return bits_for_any; }
#endif

int64_t different_bits(const char* a, const char* b, size_t bytes) {
  static const Count count = bits_here();
  return count(a, b, bytes);
}

}  // namespace

size_t bytes_of(Form form, int64_t numbers) {
  const auto count = static_cast<size_t>(numbers);
  return form == Form::kFloats ? count * sizeof(float) : form == Form::kBytes ? count : (count + 7) / 8;
}

Similarity::Similarity(const void* one, size_t bytes, Form form) : one_(one), bytes_(bytes), form_(form) {
  if (form != Form::kBits) length_ = std::sqrt(products_of(one, one, bytes, form).bb);
}

double Similarity::to(const void* other) const {
  if (form_ == Form::kBits) {
    if (bytes_ == 0) return 0;
    const int64_t different = different_bits(static_cast<const char*>(one_), static_cast<const char*>(other), bytes_);
    return 1 - static_cast<double>(different) / (4 * static_cast<double>(bytes_));
  }
  const Products sums = products_of(one_, other, bytes_, form_);
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
