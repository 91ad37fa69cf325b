// SPDX-License-Identifier: Apache-2.0
// One head's queries, keys and values as whole numbers: a query and a key as bytes with a scale, values as bytes with a
// scale for each column.
#pragma once

#include "kernels/attention/attention_places.h"
#include "kernels/kernels.h"
#include "kernels/linear/parts.h"
#include "kernels/linear/quantise.h"

namespace lffn {
namespace {

using AttentionProduct = IntegerProduct<kByteDot>;

constexpr float kHeadSteps = 127;  // what the largest magnitude of a query, a key or a column of values becomes
// What is subtracted from weights, which are 0 to 255, where the first factor of a product is signed.
constexpr int kWeightZero = kByteDot ? 128 - kByteZero : 0;
constexpr auto kMinusZeros = static_cast<int32_t>(0x80808080u);  // four bytes of -128
// For padding in the last panel of keys: its scores are below all others.
constexpr int32_t kNoKeyStart = -(1 << 30);
constexpr float kNoKeyScale = 1e38f;

constexpr int64_t kInt8Queries = 16;  // of a tile
// How many of these meet how many panels at once.
constexpr int kPieceRows = kPanelVectors == 4 && kRegisters == 16 ? 2 : 4;
constexpr int kScorePanels = kPanelVectors == 1 ? 4 : 1, kSumPanels = kPanelVectors == 1 ? 2 : 1;

constexpr int64_t kBlockCells = kKeyBlock / kCellInputs;
// A cell of weights or of values has one key from each panel of a group. In the last panels, which fill no group, it
// has keys side by side.
constexpr int64_t kGroupKeys = kCellInputs * kPanel;
inline I32 pack_numbers(const I32* numbers) {
  if constexpr (kByteDot) return pack_bytes(numbers[0], numbers[1], numbers[2], numbers[3]);
  return low_and_high(numbers[0], shift_left<16>(numbers[1]));
}
// Stores numbers side by side, from number `at` on.
inline void store_side_by_side(I32 numbers, int32_t* cells, int64_t at) {
  if constexpr (kByteDot) {
    store_u8(numbers, reinterpret_cast<uint8_t*>(cells) + at);
  } else {
    store_u16(numbers & I32::set1(0xffff), reinterpret_cast<uint16_t*>(cells) + at);
  }
}

struct Int8Scratch {
  int32_t* keys;        // [panels of keys][key_cells][kPanel]
  int32_t* key_starts;  // [keys in whole panels]: what their sums start with
  float* key_scales;
  float* largest_key_scale;  // NaN where a key has a number that is not finite
  int32_t* values;           // [panels of columns][value_cells][kPanel]
  int32_t* value_starts;     // [blocks of keys][columns]: what sums start with; only with kWeightZero
  float* value_scales;       // [columns]
  float* part;               // [keys][kPanel], of values whose columns fill no panel
  int32_t* queries;          // [kInt8Queries][row_cells]
  int32_t* row;              // [kPanel][row_cells]: keys on their way into a panel
  float* sums;               // [kInt8Queries][columns]
  int64_t key_cells, row_cells, value_cells, columns;
};

inline Int8Scratch lay_out_int8(int64_t num_keys, int64_t head_size, Parts& parts) {
  Int8Scratch s;
  const int64_t padded = round_up(num_keys, kPanel);
  s.key_cells = cells_of(head_size);
  s.row_cells = round_up(s.key_cells, 4);
  s.value_cells = cells_of(padded);
  s.columns = round_up(head_size, kPanel);
  s.keys = parts.take<int32_t>(padded * s.row_cells);
  s.key_starts = parts.take<int32_t>(padded);
  s.key_scales = parts.take<float>(padded);
  s.largest_key_scale = parts.take<float>(1);
  s.values = parts.take<int32_t>(s.columns * s.value_cells);
  s.value_starts = parts.take<int32_t>(kWeightZero == 0 ? 0 : (num_keys + kKeyBlock - 1) / kKeyBlock * s.columns);
  s.value_scales = parts.take<float>(s.columns);
  s.part = parts.take<float>(head_size % kPanel == 0 ? 0 : num_keys * kPanel);
  s.queries = parts.take<int32_t>(kInt8Queries * s.row_cells);
  s.row = parts.take<int32_t>(kPanel * s.row_cells);
  s.sums = parts.take<float>(kInt8Queries * s.columns);
  return s;
}

inline size_t attention_int8_scratch(int64_t num_keys, int64_t head_size) {
  Parts parts(nullptr);
  lay_out_int8(num_keys, head_size, parts);
  return parts.size();
}

// One row of a head -> cells. Returns its scale, NaN where a number is not finite.
inline float quantise_head(const float* in, int64_t size, float zero, int32_t* cells) {
  I32 largest = I32::set1(0);
  for_vectors(in, size, [&](F32 x, int64_t, int) LFFN_INLINE { largest = larger_magnitude(largest, x); });
  const int32_t most = largest_lane(largest);
  float range;
  __builtin_memcpy(&range, &most, sizeof range);
  range = range < kSmallestRange ? kSmallestRange : range;
  const F32 inverse = F32::set1(kHeadSteps / range), round = F32::set1(kRoundInLowBits + zero);
  for_vectors(in, size, [&](F32 x, int64_t first, int) LFFN_INLINE {
    store_side_by_side(bits(fma(x, inverse, round)), cells, first);
  });
  return range * (1 / kHeadSteps) + (range - range);
}

inline const float* as_floats(const int32_t* cells) { return reinterpret_cast<const float*>(cells); }

// Returns the largest scale, NaN where a key has a number that is not finite.
inline float pack_keys(const AttentionPlan& plan, const Int8Scratch& s) {
  float largest = 0, poison = 0;
  for (int64_t first = 0; first < plan.num_keys; first += kPanel) {
    const int64_t count = plan.num_keys - first < kPanel ? plan.num_keys - first : kPanel;
    int32_t* const panel = s.keys + first * s.row_cells;
    int32_t* const starts = s.key_starts + first;
    float* const scales = s.key_scales + first;
    for (int64_t k = 0; k < kPanel; ++k) {
      int32_t* const row = s.row + k * s.row_cells;
      scales[k] = kNoKeyScale;
      if (k >= count) {
        for (int64_t w = 0; w < s.row_cells; ++w) row[w] = 0;
        continue;
      }
      const float scale = quantise_head(plan.keys + (first + k) * plan.stride, plan.head_size, 0, row);
      scales[k] = scale;
      largest = scale > largest ? scale : largest;
      poison += scale - scale;
    }
    for (int64_t k = 0; k < kPanel; k += 4) {
      const float* rows = as_floats(s.row + k * s.row_cells);
      for (int64_t w = 0; w < s.row_cells; w += 4) {
        transpose4(rows + w, rows + s.row_cells + w, rows + 2 * s.row_cells + w, rows + 3 * s.row_cells + w,
                   reinterpret_cast<float*>(panel) + w * kPanel + k, kPanel);
      }
    }
    for (int64_t k = 0; k < kPanel; k += kLanes) {
      I32 sums = I32::set1(0);
      for (int64_t w = 0; w < s.key_cells && kRaised != 0; ++w) {
        sums = dot_raised(sums, I32::set1(kRaised), I32::load(panel + w * kPanel + k));
      }
      (I32::set1(0) - sums).store(starts + k);
    }
    for (int64_t k = count; k < kPanel; ++k) starts[k] = kNoKeyStart;
  }
  return largest + poison;
}

// Packs a panel of columns from `first` on. They begin at `values`, in rows `stride` floats apart.
inline void pack_value_panel(const Int8Scratch& s, int64_t num_keys, int64_t first, const float* values,
                             int64_t stride) {
  I32 largest[kPanelVectors];
  F32 inverse[kPanelVectors];
  unroll<kPanelVectors>([&](auto v) LFFN_INLINE { largest[v] = I32::set1(0); });
  for (int64_t k = 0; k < num_keys; ++k) {
    const float* const from = values + k * stride;
    unroll<kPanelVectors>([&](auto v)
                              LFFN_INLINE { largest[v] = larger_magnitude(largest[v], F32::load(from + v * kLanes)); });
  }
  unroll<kPanelVectors>([&](auto v) LFFN_INLINE {
    const F32 range = range_of(largest[v]);
    inverse[v] = F32::set1(kHeadSteps) / range;
    (range * F32::set1(1 / kHeadSteps) + (range - range)).store(s.value_scales + first + v * kLanes);
  });
  const F32 round = F32::set1(kRoundInLowBits);
  int32_t* to = s.values + first * s.value_cells;
  // Writes a cell of the numbers of key, key + step and so on, as far as there are keys.
  const auto put = [&](int64_t key, int64_t step, bool all_there) LFFN_INLINE {
    I32 numbers[kPanelVectors][kCellInputs];
    unroll<kCellInputs>([&](auto i) LFFN_INLINE {
      const int64_t at = key + i * step;
      const float* const from = all_there || at < num_keys ? values + at * stride : kNothing;
      unroll<kPanelVectors>(
          [&](auto v) LFFN_INLINE { numbers[v][i] = bits(fma(F32::load(from + v * kLanes), inverse[v], round)); });
    });
    unroll<kPanelVectors>([&](auto v) LFFN_INLINE { pack_numbers(numbers[v]).store(to + v * kLanes); });
    to += kPanel;
  };
  int64_t k = 0;
  for (; k + kGroupKeys <= num_keys; k += kGroupKeys) {
    for (int64_t i = k; i < k + kPanel; ++i) put(i, kPanel, true);
  }
  const int64_t padded = round_up(num_keys, kPanel);
  const bool grouped = k + kGroupKeys <= padded;
  const int64_t step = grouped ? kPanel : 1, end = grouped ? k + kPanel : padded;
  for (; k < end; k += grouped ? 1 : kCellInputs) put(k, step, false);
}

inline void pack_values(const AttentionPlan& plan, const Int8Scratch& s) {
  int64_t first = 0;
  for (; first + kPanel <= plan.head_size; first += kPanel) {
    pack_value_panel(s, plan.num_keys, first, plan.values + first, plan.stride);
  }
  if (first == plan.head_size) return;
  for (int64_t k = 0; k < plan.num_keys; ++k) {
    for (int64_t c = 0; c < kPanel; ++c) {
      s.part[k * kPanel + c] = first + c < plan.head_size ? plan.values[k * plan.stride + first + c] : 0.0f;
    }
  }
  pack_value_panel(s, plan.num_keys, first, s.part, kPanel);
}

// What sums start with where weights are lowered by kWeightZero.
inline void sum_values(const Int8Scratch& s) {
  for (int64_t first = 0; first < s.columns; first += kLanes) {
    const int32_t* from = s.values + first / kPanel * kPanel * s.value_cells + first % kPanel;
    for (int64_t begin = 0, block = 0; begin < s.value_cells; begin += kBlockCells, ++block) {
      const int64_t end = begin + kBlockCells < s.value_cells ? begin + kBlockCells : s.value_cells;
      I32 sums = I32::set1(0);
      for (int64_t w = begin; w < end; ++w) {
        sums = dot_raised(sums, I32::set1(kMinusZeros), I32::load(from + w * kPanel));
      }
      (I32::set1(0) - sums).store(s.value_starts + block * s.columns + first);
    }
  }
}

}  // namespace
}  // namespace lffn
