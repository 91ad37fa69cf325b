// SPDX-License-Identifier: Apache-2.0
// Compares two vectors that lie anywhere in memory, each in one piece, as in a row of a database.
#pragma once

#include "kernels/kernels.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

// Number i goes into sum i % kApart, so the order of the sums is the same everywhere; so many sums hide the latency.
constexpr int64_t kApart = 32;

inline TwoVectors compare_f32(const float* a, const float* b, int64_t size) {
  constexpr int kVectors = kApart / kLanes;
  F32 ab[kVectors], bb[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { ab[v] = bb[v] = F32::set1(0); });
  const auto add = [&](const float* x, const float* y) LFFN_INLINE {
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const F32 other = F32::load(y + v * kLanes);
      ab[v] = fma(F32::load(x + v * kLanes), other, ab[v]);
      bb[v] = fma(other, other, bb[v]);
    });
  };
  int64_t at = 0;
  for (; at + kApart <= size; at += kApart) add(a + at, b + at);
  if (at < size) {
    float x[kApart] = {}, y[kApart] = {};
    const size_t bytes = static_cast<size_t>(size - at) * sizeof(float);
    __builtin_memcpy(x, a + at, bytes);
    __builtin_memcpy(y, b + at, bytes);
    add(x, y);
  }
  float sums[kApart];
  const auto in_order = [&](const F32* from) LFFN_INLINE {
    unroll<kVectors>([&](auto v) LFFN_INLINE { from[v].store(sums + v * kLanes); });
    for (int i = 0; i < 16; ++i) sums[i] += sums[i + 16];
    for (int i = 0; i < 8; ++i) sums[i] += sums[i + 8];
    for (int i = 0; i < 4; ++i) sums[i] += sums[i + 4];
    return (double{sums[0]} + double{sums[1]}) + (double{sums[2]} + double{sums[3]});
  };
  TwoVectors result;
  result.ab = in_order(ab);
  result.bb = in_order(bb);
  return result;
}

// Exact, so that any order gives the same.
inline TwoVectors compare_int8(const int8_t* a, const int8_t* b, int64_t size) {
  constexpr int64_t kStep = 2 * kLanes;
  constexpr int64_t kMost = 1 << 16;  // products, each of at most 2^14, are below 2^31
  TwoVectors result = {0, 0};
  for (int64_t begin = 0; begin < size; begin += kMost) {
    const int64_t end = size - begin < kMost ? size : begin + kMost;
    I32 ab = I32::set1(0), bb = I32::set1(0);
    const auto add = [&](const int8_t* x, const int8_t* y) LFFN_INLINE {
      const I32 other = load_pairs(y);
      ab = dot_pairs(ab, load_pairs(x), other);
      bb = dot_pairs(bb, other, other);
    };
    int64_t at = begin;
    for (; at + kStep <= end; at += kStep) add(a + at, b + at);
    if (at < end) {
      int8_t x[kStep] = {}, y[kStep] = {};
      __builtin_memcpy(x, a + at, static_cast<size_t>(end - at));
      __builtin_memcpy(y, b + at, static_cast<size_t>(end - at));
      add(x, y);
    }
    result.ab += static_cast<double>(lane_sum(ab));
    result.bb += static_cast<double>(lane_sum(bb));
  }
  return result;
}

// Where there is no instruction for it, a compiler would call a function of its library.
inline int64_t count_bits(uint64_t x) {
#if defined(__POPCNT__) || defined(__aarch64__)
  return __builtin_popcountll(x);
#else
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  return static_cast<int64_t>(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
#endif
}

inline int64_t different_bits(const uint8_t* a, const uint8_t* b, int64_t bytes) {
  int64_t count = 0, at = 0;
  for (; at + 8 <= bytes; at += 8) {
    uint64_t x, y;
    __builtin_memcpy(&x, a + at, sizeof x);
    __builtin_memcpy(&y, b + at, sizeof y);
    count += count_bits(x ^ y);
  }
  for (; at < bytes; ++at) count += count_bits(static_cast<uint8_t>(a[at] ^ b[at]));
  return count;
}

}  // namespace
}  // namespace lffn
