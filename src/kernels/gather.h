// Adding up the chosen rows, for one slab of columns and many tokens. The order of the sum is that of the tables.
#pragma once

#include "kernels/kernels.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

constexpr int kStrip = 16;  // columns come in multiples of this

// Where a token's sums are read and written: `step` floats further for each token.
struct Cursor {
  float* at;
  int64_t step;
};

// y can take the sums as they are; otherwise they go into plan.sums first, and finish_sums brings them to y.
inline bool writes_y(const GatherPlan& plan) { return plan.last && !plan.add && plan.y_columns == plan.columns; }

inline void finish_sums(const GatherPlan& plan) {
  if (!plan.last || writes_y(plan)) return;
  const float* sums = static_cast<const float*>(plan.sums);
  for (int64_t t = 0; t < plan.num_tokens; ++t, sums += plan.columns) {
    float* y = plan.y + t * plan.y_stride;
    for (int32_t c = 0; c < plan.y_columns; ++c) y[c] = plan.add ? y[c] + sums[c] : sums[c];
  }
}

template <int kRowBytes>
inline void prefetch_row(const uint8_t* row) {
  for (int i = 0; i < kRowBytes; i += 64) __builtin_prefetch(row + i);
}

// One probe. add_part(row, v, score, sum) gives sum plus score times the v-th vector of a row; rows are kRowBytes
// apart. Where the rows are in no near cache (kCold), each is asked for two groups of tables ahead.
template <int kVectors, int kRowBytes, bool kCold, typename AddPart>
inline void gather_one_probe(const GatherPlan& plan, AddPart&& add_part) {
  // Copies, since the compiler must assume that storing sums may change the plan.
  const int64_t table_bytes = plan.table_bytes, stride = plan.stride, tokens = plan.num_tokens;
  const int32_t groups = plan.num_tables / kEntryGroup, rest = plan.num_tables % kEntryGroup;
  const uint8_t* const tables = plan.tables;
  const uint16_t* codes = plan.codes;
  const float* scores = plan.scores;
  float* sums = static_cast<float*>(plan.sums);
  Cursor from = plan.first ? Cursor{const_cast<float*>(plan.bias), 0} : Cursor{sums, kVectors * kLanes};
  Cursor to = writes_y(plan) ? Cursor{plan.y, plan.y_stride} : Cursor{sums, kVectors * kLanes};
  // A few lines of the next tables with each token, so that their first reader does not wait for memory.
  const uint8_t* next = plan.prefetch;
  const int64_t lines = (plan.prefetch_bytes / 64 + tokens - 1) / tokens;

  const auto run = [&](auto at_once) LFFN_INLINE {
    constexpr int kTokens = decltype(at_once)::value;
    F32 running[kTokens][kVectors];
    unroll<kTokens>([&](auto i) LFFN_INLINE {
      unroll<kVectors>([&](auto v) LFFN_INLINE { running[i][v] = F32::load(from.at + v * kLanes); });
      from.at += from.step;
    });
    for (int64_t i = 0; i < kTokens * lines; ++i, next += 64) __builtin_prefetch(next, 0, 2);
    const uint8_t* table = tables;
    const uint16_t* code = codes;
    const float* score = scores;
    const auto add_table = [&](int e) LFFN_INLINE {
      const uint8_t* rows[kTokens];
      F32 weights[kTokens];
      unroll<kTokens>([&](auto i) LFFN_INLINE {
        rows[i] = table + code[i * stride + e] * int64_t{kRowBytes};
        weights[i] = F32::set1(score[i * stride + e]);
      });
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        unroll<kTokens>([&](auto i) LFFN_INLINE { running[i][v] = add_part(rows[i], v, weights[i], running[i][v]); });
      });
      table += table_bytes;
    };
    for (int32_t g = 0; g < groups; ++g, code += kEntryGroup, score += kEntryGroup) {
      if (kCold && g + 2 < groups) {
        const uint16_t* ahead = code + 2 * kEntryGroup;
        for (int e = 0; e < kEntryGroup; ++e) {
          for (int i = 0; i < kTokens; ++i) {
            prefetch_row<kRowBytes>(table + (2 * kEntryGroup + e) * table_bytes +
                                    ahead[i * stride + e] * int64_t{kRowBytes});
          }
        }
      }
      unroll<kEntryGroup>([&](auto e) LFFN_INLINE { add_table(e); });
    }
    for (int32_t e = 0; e < rest; ++e) add_table(e);
    unroll<kTokens>([&](auto i) LFFN_INLINE {
      unroll<kVectors>([&](auto v) LFFN_INLINE { running[i][v].store(to.at + v * kLanes); });
      to.at += to.step;
    });
    codes += kTokens * stride;
    scores += kTokens * stride;
  };
  // Where a whole slab is few vectors, two tokens at once hide the latency of the additions.
  constexpr int kAtOnce = kVectors * kLanes == kMaxSlabColumns && kVectors <= 4 ? 2 : 1;
  int64_t t = 0;
  if constexpr (kAtOnce > 1) {
    for (; t + kAtOnce <= tokens; t += kAtOnce) run(Constant<kAtOnce>());
  }
  for (; t < tokens; ++t) run(Constant<1>());
}

template <int kVectors, int kRowBytes, typename AddPart>
inline void gather_probes(const GatherPlan& plan, AddPart&& add_part) {
  float* sums = static_cast<float*>(plan.sums);
  for (int64_t t = 0; t < plan.num_tokens; ++t, sums += kVectors * kLanes) {
    F32 running[kVectors];
    for (int v = 0; v < kVectors; ++v) running[v] = F32::load((plan.first ? plan.bias : sums) + v * kLanes);
    int64_t at = t * plan.stride;
    for (int32_t k = 0; k < plan.num_tables; ++k) {
      for (int32_t p = 0; p < plan.num_probes; ++p, ++at) {
        const uint8_t* row = plan.tables + k * plan.table_bytes + plan.codes[at] * int64_t{kRowBytes};
        unroll<kVectors>([&](auto v)
                             LFFN_INLINE { running[v] = add_part(row, v, F32::set1(plan.scores[at]), running[v]); });
      }
    }
    float* to = writes_y(plan) ? plan.y + t * plan.y_stride : sums;
    for (int v = 0; v < kVectors; ++v) running[v].store(to + v * kLanes);
  }
}

template <int kVectors, int kRowBytes, typename AddPart>
inline void gather_floats(const GatherPlan& plan, AddPart&& add_part) {
  if (plan.num_probes > 1) {
    gather_probes<kVectors, kRowBytes>(plan, add_part);
  } else if (plan.cold) {
    gather_one_probe<kVectors, kRowBytes, true>(plan, add_part);
  } else {
    gather_one_probe<kVectors, kRowBytes, false>(plan, add_part);
  }
  finish_sums(plan);
}

template <int kStrips>
void gather_f32_of(const GatherPlan& plan) {
  gather_floats<kStrips * kStrip / kLanes, kStrips * kStrip * 4>(
      plan, [](const uint8_t* row, int v, F32 score, F32 sum)
                LFFN_INLINE { return fma(score, F32::load(reinterpret_cast<const float*>(row) + v * kLanes), sum); });
}

inline void gather_f32(const GatherPlan& plan) {
  switch (plan.columns / kStrip) {
    case 1:
      return gather_f32_of<1>(plan);
    case 2:
      return gather_f32_of<2>(plan);
    case 3:
      return gather_f32_of<3>(plan);
    default:
      return gather_f32_of<4>(plan);
  }
}

// bf16: a word holds column i in its lower and i + 16 in its upper half.
template <int kStrips>
void gather_bf16_of(const GatherPlan& plan) {
  gather_floats<kStrips * kStrip / kLanes, kStrips * kStrip * 2>(
      plan, [](const uint8_t* row, int v, F32 score, F32 sum) LFFN_INLINE {
        const int column = v * kLanes, within = column % 32;
        const I32 words = I32::load(reinterpret_cast<const int32_t*>(row) + column / 32 * 16 + within % 16);
        const I32 bits = within < 16 ? shift_left<16>(words) : words & I32::set1(static_cast<int32_t>(0xffff0000));
        return fma(score, from_bits(bits), sum);
      });
}

inline void gather_bf16(const GatherPlan& plan) {
  if (plan.columns == 2 * kStrip) return gather_bf16_of<2>(plan);
  gather_bf16_of<4>(plan);
}

}  // namespace
}  // namespace lffn
