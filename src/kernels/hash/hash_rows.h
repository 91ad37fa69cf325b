// SPDX-License-Identifier: Apache-2.0
// int8 hashes with a dense projection: rows meet panels of outputs as in a linear layer. The outputs are sorted so that
// the j-th hash values of kPanel tables lie side by side. Then codes and scores do, too.
#pragma once

#include "kernels/hash/probes.h"
#include "kernels/hash/score.h"
#include "kernels/kernels.h"
#include "kernels/linear/linear.h"
#include "kernels/linear/panels.h"
#include "kernels/linear/parts.h"
#include "kernels/linear/quantised_rows.h"

namespace lffn {
namespace {

// Vectors of tables that are scored at once, to hide each other's latency.
constexpr int kScoreVectors = kRegisters == 32 ? 4 : 2;

// Up to kPanel tables, which are hashed together. Values that are read past the last hash value belong to no table.
struct TableGroup {
  int64_t first, tables, output, columns;
  TableGroup(const HashPlan& plan, int64_t first_table)
      : first(first_table),
        tables(plan.num_tables - first < kPanel ? plan.num_tables - first : kPanel),
        output(first * plan.code_bits),
        columns(round_up(tables * plan.code_bits, kPanel)) {}
};

struct RowBuffers {
  float* normed;  // [tokens][width]
  QuantisedRows rows;
  float* sums;       // [tokens][columns of a group]
  float* of_blocks;  // the same, summed over the blocks so far
  void* probes;
};
inline RowBuffers row_buffers(const HashPlan& plan, Parts& parts) {
  const int64_t columns = plan.code_bits * kPanel;
  RowBuffers buffers = {};
  buffers.normed = parts.take<float>(plan.layer_norm ? kCallTokens * plan.width : 0);
  buffers.rows = quantised_rows(plan, parts);
  buffers.sums = parts.take<float>(kCallTokens * columns + kPanel);
  buffers.of_blocks = parts.take<float>(row_blocks(plan) > 1 ? kCallTokens * columns + kPanel : 0);
  buffers.probes = parts.take<uint8_t>(static_cast<int64_t>(probe_scratch(plan.num_probes)));
  return buffers;
}

// sums[rows][panels * kPanel] = in[rows][cells] * weights, kPanels panels from the first on. The remaining rows meet
// them in few forms only, because each form takes space in the library.
template <int kPanels>
inline void multiply_panels(const int32_t* in, int64_t in_stride, int64_t rows, const HashProduct::Weight* weights,
                            int64_t cells, int64_t panels, int32_t* sums) {
  const int64_t columns = panels * kPanel;
  const auto some = [&](auto at_once, int64_t row) LFFN_INLINE {
    Ahead nothing;
    linear_piece<HashProduct, decltype(at_once)::value, kPanels>(in + row * in_stride, in_stride, cells, weights,
                                                                 cells * kPanel, true, false, sums + row * columns,
                                                                 columns, &nothing, row, KeepSums());
  };
  constexpr int kMost = rows_at_once(kPanels);
  int64_t r = 0;
  for (; r + kMost <= rows; r += kMost) some(Constant<kMost>(), r);
  if constexpr (kMost > 4) {
    for (; r + 4 <= rows; r += 4) some(Constant<4>(), r);
  }
  if constexpr (kMost > 2) {
    for (; r + 2 <= rows; r += 2) some(Constant<2>(), r);
  }
  for (; r < rows; ++r) some(Constant<1>(), r);
}

// The same for all panels.
inline void multiply_rows(const int32_t* in, int64_t in_stride, int64_t rows, const HashProduct::Weight* weights,
                          int64_t cells, int64_t panels, int32_t* sums) {
  int64_t panel = 0;
  const auto run = [&](auto at_once) LFFN_INLINE {
    constexpr int kPanels = decltype(at_once)::value;
    for (; panel + kPanels <= panels; panel += kPanels) {
      multiply_panels<kPanels>(in, in_stride, rows, weights + panel * cells * kPanel, cells, panels,
                               sums + panel * kPanel);
    }
  };
  // More panels for few rows: that hides the latency of the sums.
  if (rows <= rows_at_once(4)) run(Constant<4>());
  run(Constant<2>());
  run(Constant<1>());
}

// sums[tokens][columns of the group] = its hash values.
__attribute__((noinline)) inline void hash_values(const HashPlan& plan, const TableGroup& group, int64_t tokens,
                                                  const RowBuffers& buffers) {
  const int64_t columns = group.columns, output = group.output, blocks = row_blocks(plan);
  int32_t* const sums = reinterpret_cast<int32_t*>(buffers.sums);
  const int8_t* weights = plan.token_weights;
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t cells = cells_of(inputs_of_block(plan, b));
    const int8_t* const mine = weights + output * cells * kCellInputs;
    multiply_rows(buffers.rows.cells + b * kCallTokens * block_stride(plan), block_stride(plan), tokens,
                  reinterpret_cast<const HashProduct::Weight*>(mine), cells, columns / kPanel, sums);
    if constexpr (kByteDot) add_seconds(plan, buffers.rows, b, mine, cells, columns, sums);
    weights += plan.outputs * cells * kCellInputs;
    // The blocks' sums are added as floats, the bias last.
    const int32_t* const starts = plan.starts + b * plan.outputs + output;
    const float* const scales = plan.weight_scales + output;
    for (int64_t t = 0; t < tokens; ++t) {
      const F32 step = F32::set1(buffers.rows.steps[b * kCallTokens + t]);
      float* const of_blocks = blocks > 1 ? buffers.of_blocks + t * columns : nullptr;
      for (int64_t c = 0; c < columns; c += kLanes) {
        const I32 sum = I32::load(sums + t * columns + c);
        F32 value = to_float(kByteZero == 0 ? sum : sum + I32::load(starts + c)) * F32::load(scales + c) * step;
        if (b > 0) value = F32::load(of_blocks + c) + value;
        if (b + 1 < blocks) {
          value.store(of_blocks + c);
        } else {
          (value + F32::load(plan.bias + output + c)).store(buffers.sums + t * columns + c);
        }
      }
    }
  }
}

// Codes and scores of a group, from its hash values.
__attribute__((noinline)) inline void score_rows(const HashPlan& plan, const TableGroup& group, int64_t tokens,
                                                 const float* values, const HashOutput& out) {
  constexpr int kOfToken = kScoreVectors < kPanelVectors ? kScoreVectors : kPanelVectors;
  constexpr int kTokens = kScoreVectors / kOfToken;
  for (int64_t first = 0; first < tokens; first += kTokens) {
    int64_t token[kTokens];
    unroll<kTokens>([&](auto t) LFFN_INLINE { token[t] = first + t < tokens ? first + t : tokens - 1; });
    for (int64_t lane = 0; lane < group.tables; lane += kOfToken * kLanes) {
      I32 codes[kScoreVectors];
      F32 scores[kScoreVectors];
      score_lanes<kScoreVectors>(
          plan.code_bits, plan.sigmoid,
          [&](int32_t j, int v) LFFN_INLINE {
            return F32::load(values + token[v / kOfToken] * group.columns + j * group.tables + lane +
                             v % kOfToken * kLanes);
          },
          codes, scores);
      unroll<kScoreVectors>([&](auto v) LFFN_INLINE {
        const int64_t at = token[v / kOfToken] * out.stride + group.first + lane + v % kOfToken * kLanes;
        store_u16(codes[v], out.codes + at);
        scores[v].store(out.scores + at);
      });
    }
  }
}

// The likeliest codes of a group.
__attribute__((noinline)) inline void probe_rows(const HashPlan& plan, const TableGroup& group, int64_t tokens,
                                                 const float* values, const HashOutput& out, void* scratch) {
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t k = 0; k < group.tables; ++k) {
      float z[16];
      for (int32_t j = 0; j < plan.code_bits; ++j) z[j] = values[t * group.columns + j * group.tables + k];
      probe_table(plan, z, static_cast<int32_t>(group.first + k), static_cast<int32_t>(t), out, scratch);
    }
  }
}

// Up to kCallTokens tokens.
__attribute__((noinline)) inline void hash_rows(const HashPlan& plan, const float* x, int64_t x_stride, int64_t tokens,
                                                const HashOutput& out, void* scratch) {
  Parts parts(scratch);
  const RowBuffers buffers = row_buffers(plan, parts);
  if (plan.layer_norm) {
    normalise(plan.norm, x, x_stride, tokens, buffers.normed, plan.width);
    x = buffers.normed;
    x_stride = plan.width;
  }
  quantise_all(plan, x, x_stride, tokens, buffers.rows);
  for (int64_t first = 0; first < plan.num_tables; first += kPanel) {
    const TableGroup group(plan, first);
    hash_values(plan, group, tokens, buffers);
    if (plan.num_probes == 1) {
      score_rows(plan, group, tokens, buffers.sums, out);
    } else {
      probe_rows(plan, group, tokens, buffers.sums, out, buffers.probes);
    }
  }
}

}  // namespace
}  // namespace lffn
