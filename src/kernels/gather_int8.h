// Gathering int8 rows: four tables' rows at a time, in integers, which are the same on every instruction set.
#pragma once

#include "kernels/gather.h"

namespace lffn {
namespace {

constexpr int kRowBytesInt8 = kColumnsInt8;           // every slab is this wide
constexpr int kUnits = kRowBytesInt8 / (4 * kLanes);  // vectors of bytes in a row
constexpr int kSumsInt8 = kRowBytesInt8 / kLanes;     // vectors of int32 sums of a token

// interleave_rows leaves the columns in another order; the rows are stored so that it comes out right.
inline int32_t int8_position(int32_t column) {
  const int32_t unit = column / (4 * kLanes), within = column % (4 * kLanes);
  const int32_t vector = within / kLanes, lane = within % kLanes;
  return unit * 4 * kLanes + lane / 4 * 16 + vector * 4 + lane % 4;
}

template <bool kCold>
inline void gather_int8_sums(const GatherPlan& plan) {
  const int64_t table_bytes = plan.table_bytes, stride = plan.stride, tokens = plan.num_tokens;
  const int32_t groups = plan.num_tables / kEntryGroup, rest = plan.num_tables % kEntryGroup;
  const uint8_t* const tables = plan.tables;
  const bool first = plan.first;
  const uint16_t* codes = plan.codes;
  const uint8_t* weights = plan.weights;
  int32_t* sums = static_cast<int32_t*>(plan.sums);
  const uint8_t* next = plan.prefetch;
  const int64_t lines = tokens == 0 ? 0 : (plan.prefetch_bytes / 64 + tokens - 1) / tokens;
  for (int64_t t = 0; t < tokens; ++t, sums += kRowBytesInt8) {
    I32 running[kSumsInt8];
    unroll<kSumsInt8>([&](auto v) LFFN_INLINE { running[v] = first ? I32::set1(0) : I32::load(sums + v * kLanes); });
    for (int64_t i = 0; i < lines; ++i, next += 64) __builtin_prefetch(next, 0, 2);
    const uint8_t* table = tables;
    const uint16_t* code = codes + t * stride;
    const uint8_t* weight = weights + t * stride;
    // `present` of the four tables exist; for the others the weight is 0, and any row will do.
    const auto add_group = [&](int32_t present) LFFN_INLINE {
      const uint8_t* rows[kEntryGroup];
      unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
        rows[e] = e < present ? table + e * table_bytes + code[e] * int64_t{kRowBytesInt8} : tables;
      });
      int32_t word;
      __builtin_memcpy(&word, weight, sizeof word);
      const I32 four = I32::set1(word);
      unroll<kUnits>([&](auto u) LFFN_INLINE {
        I32 bytes[kEntryGroup], words[kEntryGroup];
        unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
          bytes[e] = I32::load(reinterpret_cast<const int32_t*>(rows[e] + u * 4 * kLanes));
        });
        interleave_rows(bytes, words);
        unroll<4>([&](auto i) LFFN_INLINE { running[u * 4 + i] = dot_quads(running[u * 4 + i], four, words[i]); });
      });
    };
    for (int32_t g = 0; g < groups; ++g) {
      if (kCold && g + 4 < groups) {
        unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
          const int64_t ahead = code[4 * kEntryGroup + e];
          __builtin_prefetch(table + (4 * kEntryGroup + e) * table_bytes + ahead * kRowBytesInt8);
        });
      }
      add_group(kEntryGroup);
      table += kEntryGroup * table_bytes;
      code += kEntryGroup;
      weight += kEntryGroup;
    }
    if (rest > 0) add_group(rest);
    unroll<kSumsInt8>([&](auto v) LFFN_INLINE { running[v].store(sums + v * kLanes); });
  }
}

// sums -> y = bias + scale * sum.
inline void finish_int8(const GatherPlan& plan) {
  const int32_t* sums = static_cast<const int32_t*>(plan.sums);
  for (int64_t t = 0; t < plan.num_tokens; ++t, sums += kRowBytesInt8) {
    const F32 scale = F32::set1(plan.weight_scales[t]);
    float values[kRowBytesInt8];
    float* y = plan.y + t * plan.y_stride;
    float* to = plan.y_columns == kRowBytesInt8 && !plan.add ? y : values;
    for (int c = 0; c < kRowBytesInt8; c += kLanes) {
      fma(scale, to_float(I32::load(sums + c)), F32::load(plan.bias + c)).store(to + c);
    }
    if (to == y) continue;
    for (int32_t c = 0; c < plan.y_columns; ++c) y[c] = plan.add ? y[c] + values[c] : values[c];
  }
}

inline void gather_int8(const GatherPlan& plan) {
  if (plan.cold) {
    gather_int8_sums<true>(plan);
  } else {
    gather_int8_sums<false>(plan);
  }
  if (plan.last) finish_int8(plan);
}

// Several probes: their scores may be negative, so they stay floats.
inline void gather_int8_scores(const GatherPlan& plan) {
  float* sums = static_cast<float*>(plan.sums);
  for (int64_t t = 0; t < plan.num_tokens; ++t, sums += kRowBytesInt8) {
    if (plan.first) {
      for (int c = 0; c < kRowBytesInt8; ++c) sums[c] = plan.bias[c];
    }
    int64_t at = t * plan.stride;
    for (int32_t k = 0; k < plan.num_tables; ++k) {
      for (int32_t p = 0; p < plan.num_probes; ++p, ++at) {
        const int64_t row = plan.codes[at];
        const int8_t* values =
            reinterpret_cast<const int8_t*>(plan.tables + k * plan.table_bytes + row * kRowBytesInt8);
        const float weight = plan.scores[at] * plan.row_scales[k * (plan.table_bytes / kRowBytesInt8) + row];
        for (int c = 0; c < kRowBytesInt8; ++c) {
          sums[c] = fma1(weight, static_cast<float>(values[int8_position(c)]), sums[c]);
        }
      }
    }
  }
  if (!plan.last) return;
  sums = static_cast<float*>(plan.sums);
  for (int64_t t = 0; t < plan.num_tokens; ++t, sums += kRowBytesInt8) {
    float* y = plan.y + t * plan.y_stride;
    for (int32_t c = 0; c < plan.y_columns; ++c) y[c] = plan.add ? y[c] + sums[c] : sums[c];
  }
}

constexpr float kRoundToInt = 12582912.0f;  // adding it leaves the rounded number in the lowest bits

// Scores times their rows' scales, as numbers from 0 to 127 that are multiples of the token's scale.
inline void quantise_scores(const HashOutput& hashed, int32_t num_tables, const float* row_scales, int32_t table_size,
                            int32_t num_tokens, uint8_t* weights, float* weight_scales) {
  for (int32_t t = 0; t < num_tokens; ++t, weights += hashed.stride) {
    float* scores = hashed.scores + t * hashed.stride;
    const uint16_t* codes = hashed.codes + t * hashed.stride;
    // As integers, floats that are not negative keep their order, and NaN is the largest: it must reach the scale.
    int32_t largest = 0;
    for (int32_t k = 0; k < num_tables; ++k) {
      const float product = scores[k] * row_scales[static_cast<int64_t>(k) * table_size + codes[k]];
      scores[k] = product;
      int32_t magnitude;
      __builtin_memcpy(&magnitude, &product, sizeof magnitude);
      largest = magnitude > largest ? magnitude : largest;
    }
    float most;
    __builtin_memcpy(&most, &largest, sizeof most);
    weight_scales[t] = most / 127.0f;
    const F32 step = F32::set1(largest > 0 ? 127.0f / most : 0.0f);
    // The stride is more than whole vectors.
    for (int32_t k = 0; k < num_tables; k += kLanes) {
      int32_t rounded[kLanes];
      (bits(F32::load(scores + k) * step + F32::set1(kRoundToInt)) & I32::set1(127)).store(rounded);
      for (int i = 0; i < kLanes; ++i) weights[k + i] = static_cast<uint8_t>(rounded[i]);
    }
    for (int32_t k = num_tables; k % kEntryGroup != 0; ++k) weights[k] = 0;
  }
}

}  // namespace
}  // namespace lffn
