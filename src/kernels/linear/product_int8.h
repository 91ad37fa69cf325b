// SPDX-License-Identifier: Apache-2.0
// The products of product.h with int8 weights and inputs that quantise.h made whole numbers: exact sums, the same on
// every instruction set and in any order.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear/product.h"
#include "kernels/linear/quantise.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

// As many outputs of kTileVectorsInt8 vectors of tokens as the registers hold, with room for products in flight.
constexpr int kOutputsInt8 = kRegisters == 32 && kByteDot ? 8 : 4;
// Whether tiles are faster for many tokens of a dense hash; otherwise rows are at least as fast.
constexpr bool kDenseTiles = kRegisters == 32 || !kByteDot;

// Here the inputs are the vectors, and the inputs are raised.
struct RaisedProduct : IntegerProduct<kByteDot> {
  static I32 multiply(I32 inputs, I32 weight, I32 sums) {
    return IntegerProduct<kByteDot>::multiply(weight, inputs, sums);
  }
};

// One block's inputs.
struct BlockInputs {
  const int32_t* cells;
  const int32_t* high;
  const int32_t* high_starts;
  const int32_t* listed;
  int32_t count;
};

inline BlockInputs block_inputs(const Quantised& from, int64_t block, int64_t block_cells, int64_t tokens,
                                bool outliers) {
  return {from.cells + block * block_cells * tokens, from.high + block * block_cells * tokens,
          from.high_starts + block * tokens, from.listed + block * block_cells,
          kByteDot && outliers ? from.counts[block] : 0};
}

// out[kOutputs][tokens] = or += weights[cells][kOutputs] * inputs, times their scales and steps[tokens]. `starts`:
// minus what raising the inputs adds.
template <int kOutputs, int kVectors>
inline void product_int8_piece(const int32_t* weights, const int32_t* starts, const float* scales,
                               const BlockInputs& in, int64_t cells, const float* steps, bool add, float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  I32 sums[kOutputs][kVectors];
  unroll<kOutputs>([&](auto o) LFFN_INLINE {
    const I32 start = I32::set1(kByteZero == 0 ? 0 : starts[o]);
    unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = start; });
  });
  if constexpr (kByteDot) {
    if (in.count > 0) {
      unroll<kOutputs>([&](auto o) LFFN_INLINE {
        unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = I32::load(in.high_starts + v * kLanes); });
      });
      for (int32_t i = 0; i < in.count; ++i) {
        const int64_t cell = in.listed[i];
        I32 seconds[kVectors];
        unroll<kVectors>([&](auto v) LFFN_INLINE { seconds[v] = I32::load(in.high + cell * kTokens + v * kLanes); });
        unroll<kOutputs>([&](auto o) LFFN_INLINE {
          const I32 weight = I32::set1(weights[cell * kOutputs + o]) ^ I32::set1(kRaised);
          unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = dot_raised(sums[o][v], weight, seconds[v]); });
        });
      }
      unroll<kOutputs>([&](auto o) LFFN_INLINE {
        const I32 start = I32::set1(kByteZero == 0 ? 0 : starts[o]);
        unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = shift_left<8>(settled(sums[o][v])) + start; });
      });
    }
  }
  const int32_t* from = in.cells;
  // The weights of the outputs after these lie behind them.
  const auto ask_ahead = [&](int64_t i) LFFN_INLINE { __builtin_prefetch(weights + (cells + i) * kOutputs); };
  const auto add_cell = [&](int64_t i) LFFN_INLINE {
    add_products<RaisedProduct>(
        sums, [&](auto v) LFFN_INLINE { return I32::load(from + i * kTokens + v * kLanes); },
        [&](auto o, int) LFFN_INLINE { return I32::set1(weights[i * kOutputs + o]); });
  };
  int64_t cell = 0;
  if constexpr (kByteDot) {
    for (; cell + 2 <= cells; cell += 2) {
      ask_ahead(cell);
      add_cell(cell);
      add_cell(cell + 1);
    }
  }
  for (; cell < cells; ++cell) add_cell(cell);
  F32 step[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { step[v] = F32::load(steps + v * kLanes); });
  unroll<kOutputs>([&](auto o) LFFN_INLINE {
    const F32 scale = F32::set1(scales[o]);
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      float* to = out + o * kTokens + v * kLanes;
      const F32 value = to_float(sums[o][v]) * scale * step[v];
      (add ? F32::load(to) + value : value).store(to);
    });
  });
}

// The same for `outputs` that are a power of two up to kOutputsInt8.
template <int kVectors>
void product_int8(int64_t outputs, const int32_t* weights, const int32_t* starts, const float* scales,
                  const BlockInputs& in, int64_t cells, const float* steps, bool add, float* out) {
  if (outputs == kOutputsInt8) {
    return product_int8_piece<kOutputsInt8, kVectors>(weights, starts, scales, in, cells, steps, add, out);
  }
  if (kOutputsInt8 > 4 && outputs == 4) {
    return product_int8_piece<4, kVectors>(weights, starts, scales, in, cells, steps, add, out);
  }
  if (outputs == 2) return product_int8_piece<2, kVectors>(weights, starts, scales, in, cells, steps, add, out);
  product_int8_piece<1, kVectors>(weights, starts, scales, in, cells, steps, add, out);
}

// The same for one token, the outputs side by side: the same numbers and sums as a tile's.

// Loads four bytes, or two sign-extended ones, of each of as many outputs as there are lanes.
inline I32 load_weights(const int8_t* at) {
  if constexpr (kByteDot) return I32::load(reinterpret_cast<const int32_t*>(at));
  return load_pairs(at);
}

// kPanels panels, `kOfBlock` of each block from `block` on: out = the products times their scales and the step.
template <int kPanels, int kOfBlock>
LFFN_INLINE inline void token_piece(const int8_t* weights, const int32_t* starts, const float* scales,
                                    const Quantised& in, bool outliers, int64_t block, int64_t block_cells,
                                    int64_t cells, float step, float* out) {
  constexpr int kVectors = static_cast<int>(kPanel) / kLanes;
  const auto weight_of = [&](int panel, int64_t cell, int v) LFFN_INLINE {
    return load_weights(weights + ((panel * cells + cell) * kPanel + v * kLanes) * kCellInputs);
  };
  const int32_t* token = in.cells + block * block_cells;
  // The panels of a block side by side.
  I32 sums[kPanels / kOfBlock][1][kOfBlock * kVectors];
  const auto sum_of = [&](auto p, auto v) LFFN_INLINE -> I32& {
    constexpr int kIndex = decltype(p)::value;
    return sums[kIndex / kOfBlock][0][kIndex % kOfBlock * kVectors + decltype(v)::value];
  };
  unroll_constants<kPanels>([&](auto p) LFFN_INLINE {
    const int64_t b = block + p / kOfBlock;
    const int32_t count = kByteDot && outliers ? in.counts[b] : 0;
    unroll_constants<kVectors>([&](auto v) LFFN_INLINE {
      I32 sum = I32::set1(0);
      if (count > 0) {
        sum = I32::set1(in.high_starts[b]);
        for (int32_t i = 0; i < count; ++i) {
          const int64_t cell = in.listed[b * block_cells + i];
          const I32 second = I32::set1(in.high[b * block_cells + cell]);
          sum = dot_raised(sum, weight_of(p, cell, v) ^ I32::set1(kRaised), second);
        }
        sum = shift_left<8>(sum);
      }
      sum_of(p, v) = kByteZero == 0 ? sum : sum + I32::load(starts + p * kPanel + v * kLanes);
    });
  });
  for (int64_t i = 0; i < cells; ++i) {
    unroll<kPanels / kOfBlock>([&](auto b) LFFN_INLINE {
      const auto weight = [&](auto v) LFFN_INLINE {
        constexpr int kIndex = decltype(v)::value;
        return weight_of(b * kOfBlock + kIndex / kVectors, i, kIndex % kVectors);
      };
      add_products<IntegerProduct<kByteDot>>(
          sums[b], weight, [&](auto, int) LFFN_INLINE { return I32::set1(token[b * block_cells + i]); });
    });
  }
  unroll_constants<kPanels>([&](auto p) LFFN_INLINE {
    unroll_constants<kVectors>([&](auto v) LFFN_INLINE {
      const int at = p * static_cast<int>(kPanel) + v * kLanes;
      const F32 value = to_float(sum_of(p, v)) * F32::load(scales + at) * F32::set1(step);
      value.store(out + at);
    });
  });
}

// One block with all its outputs.
inline void token_block(const int8_t* weights, const int32_t* starts, const float* scales, int64_t outputs,
                        const Quantised& in, bool outliers, int64_t block, int64_t block_cells, int64_t cells,
                        float step, float* out) {
  int64_t o = 0;
  for (; o + 4 * kPanel <= outputs; o += 4 * kPanel) {
    token_piece<4, 4>(weights + o * cells * kCellInputs, starts + o, scales + o, in, outliers, block, block_cells,
                      cells, step, out + o);
  }
  for (; o + kPanel <= outputs; o += kPanel) {
    token_piece<1, 1>(weights + o * cells * kCellInputs, starts + o, scales + o, in, outliers, block, block_cells,
                      cells, step, out + o);
  }
  if (o == outputs) return;
  // Fewer outputs than a panel.
  const uint8_t* low = reinterpret_cast<const uint8_t*>(in.cells + block * block_cells);
  const int8_t* high = reinterpret_cast<const int8_t*>(in.high + block * block_cells);
  const bool seconds = kByteDot && outliers && in.counts[block] > 0;
  for (; o < outputs; ++o) {
    int32_t sum = 0;
    for (int64_t i = 0; i < cells * kCellInputs; ++i) {
      const int8_t weight = weights[(i / kCellInputs * outputs + o) * kCellInputs + i % kCellInputs];
      int32_t number;
      if constexpr (kByteDot) {
        number = (low[i] ^ (kByteZero == 0 ? 0x80 : 0)) - 128 + (seconds ? 256 * high[i] : 0);
      } else {
        number = static_cast<int16_t>(low[2 * i] | low[2 * i + 1] << 8);
      }
      sum += weight * number;
    }
    const float value = static_cast<float>(sum) * scales[o] * step;
    out[o] = value;
  }
}

// All blocks of one factor.
inline void token_factor(const HashPlan& plan, const int8_t* weights, const int32_t* starts, const float* scales,
                         const Quantised& in, bool outliers, float* out) {
  const int64_t block = plan.block, cells = cells_of(block), width = plan.width;
  // Four panels of several small blocks, which share a step.
  constexpr int64_t kRows = 4 * kPanel;
  if ((block == kPanel || block == 2 * kPanel) && plan.step_rows == kRows) {
    for (int64_t row = 0; row < width; row += kRows, weights += kRows * cells * kCellInputs) {
      const float step = in.steps[row / kRows];
      if (block == kPanel) {
        token_piece<4, 1>(weights, starts + row, scales + row, in, outliers, row / block, cells, cells, step,
                          out + row);
      } else {
        token_piece<4, 2>(weights, starts + row, scales + row, in, outliers, row / block, cells, cells, step,
                          out + row);
      }
    }
    return;
  }
  for (int64_t row = 0; row < width; row += block, weights += block * cells * kCellInputs) {
    token_block(weights, starts + row, scales + row, block, in, outliers, row / block, cells, cells,
                in.steps[row / plan.step_rows], out + row);
  }
}

}  // namespace
}  // namespace lffn
