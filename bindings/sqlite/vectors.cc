// SPDX-License-Identifier: Apache-2.0
#include "vectors.h"

#include <cmath>
#include <cstring>

// Compiled with -ffp-contract=off: a product and a sum are rounded apart, whether or not the processor could join them.
namespace lffn::sql {
namespace {

struct Products {
  double ab = 0, aa = 0, bb = 0;
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
  Floats ab = {}, aa = {}, bb = {}, more_ab = {}, more_aa = {}, more_bb = {};
  constexpr size_t kStep = sizeof(Floats);
  Floats x, y;
  size_t at = 0;
  for (; at + 2 * kStep <= bytes; at += 2 * kStep) {
    std::memcpy(&x, a + at, kStep);
    std::memcpy(&y, b + at, kStep);
    ab += x * y;
    aa += x * x;
    bb += y * y;
    std::memcpy(&x, a + at + kStep, kStep);
    std::memcpy(&y, b + at + kStep, kStep);
    more_ab += x * y;
    more_aa += x * x;
    more_bb += y * y;
  }
  for (; at < bytes; at += kStep) {
    x = y = Floats{};
    std::memcpy(&x, a + at, bytes - at < kStep ? bytes - at : kStep);
    std::memcpy(&y, b + at, bytes - at < kStep ? bytes - at : kStep);
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  out = {sum_of(ab, more_ab), sum_of(aa, more_aa), sum_of(bb, more_bb)};
}

// Exact, so that any order gives the same. 2^16 products, each at most 2^14, are below 2^31.
LFFN_INLINE void multiply_bytes(const char* a, const char* b, size_t bytes, Products& out) {
  const auto* const x = reinterpret_cast<const int8_t*>(a);
  const auto* const y = reinterpret_cast<const int8_t*>(b);
  int64_t sums[3] = {};
  constexpr size_t kBlock = size_t{1} << 16;
  for (size_t begin = 0; begin < bytes; begin += kBlock) {
    const size_t end = bytes - begin < kBlock ? bytes : begin + kBlock;
    int32_t ab = 0, aa = 0, bb = 0;
    for (size_t i = begin; i < end; ++i) {
      ab += x[i] * y[i];
      aa += x[i] * x[i];
      bb += y[i] * y[i];
    }
    sums[0] += ab;
    sums[1] += aa;
    sums[2] += bb;
  }
  out = {static_cast<double>(sums[0]), static_cast<double>(sums[1]), static_cast<double>(sums[2])};
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

int64_t different_bits(const char* a, const char* b, size_t bytes) {
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

}  // namespace

size_t bytes_of(Form form, int64_t numbers) {
  const auto count = static_cast<size_t>(numbers);
  return form == Form::kFloats ? count * sizeof(float) : form == Form::kBytes ? count : (count + 7) / 8;
}

double similarity(const void* a, const void* b, size_t bytes, Form form) {
  static const Multiply floats = floats_here(), whole = bytes_here();
  const auto* const x = static_cast<const char*>(a);
  const auto* const y = static_cast<const char*>(b);
  if (form == Form::kBits) {
    if (bytes == 0) return 0;
    return 1 - static_cast<double>(different_bits(x, y, bytes)) / (4 * static_cast<double>(bytes));
  }
  Products sums;
  (form == Form::kFloats ? floats : whole)(x, y, bytes, sums);
  const double lengths = std::sqrt(sums.aa) * std::sqrt(sums.bb);
  return lengths == 0 ? 0 : sums.ab / lengths;
}

uint8_t reversed_bits(uint8_t byte) {
  uint8_t result = 0;
  for (int bit = 0; bit < 8; ++bit) result = static_cast<uint8_t>(result << 1 | (byte >> bit & 1));
  return result;
}

}  // namespace lffn::sql
