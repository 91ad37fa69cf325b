// SPDX-License-Identifier: Apache-2.0
// Hashes with a dense projection: rows meet panels of outputs as in a linear layer. The outputs are sorted so that the
// j-th hash values of kPanel tables lie side by side: so do codes and scores then.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear.h"
#include "kernels/panels.h"
#include "kernels/parts.h"
#include "kernels/probes.h"
#include "kernels/row_words.h"
#include "kernels/score.h"

namespace lffn {
namespace {

// Vectors of tables that are scored at once, to hide each other's latency.
constexpr int kScoreVectors = kRegisters == 32 ? 4 : 2;

// Up to kPanel tables, which are hashed together. What is read past the last hash value counts for no table.
struct TableGroup {
  int64_t first, tables, output, columns;
  bool more;  // are there after these
  TableGroup(const HashPlan& plan, int64_t first_table)
      : first(first_table),
        tables(plan.num_tables - first < kPanel ? plan.num_tables - first : kPanel),
        output(first * plan.code_bits),
        columns(round_up(tables * plan.code_bits, kPanel)),
        more(first + kPanel < plan.num_tables) {}
};

struct RowBuffers {
  float* normed;          // [tokens][width]
  RowWords rows;          // int8
  float* sums;            // [tokens][columns of a group]
  float* of_blocks;       // the same, of all blocks
  int32_t* picked_codes;  // [tokens][kPanel], then [kPanel][tokens of a vector]
  float* picked_scores;   // the same
  float* weights;         // [tables][tokens]
  void* probes;
};
inline RowBuffers row_buffers(const HashPlan& plan, Parts& parts) {
  const bool int8 = plan.arithmetic == HashArithmetic::kInt8;
  const int64_t columns = plan.code_bits * kPanel;
  RowBuffers buffers = {};
  buffers.normed = parts.take<float>(plan.layer_norm ? kCallTokens * plan.width : 0);
  if (int8) buffers.rows = row_words(plan, parts);
  buffers.sums = parts.take<float>(kCallTokens * columns + kPanel);
  buffers.of_blocks = parts.take<float>(int8 && row_blocks(plan) > 1 ? kCallTokens * columns + kPanel : 0);
#if defined(LFFN_PICKS)
  if (plan.num_probes == 1 && (1 << plan.code_bits) <= kPickRows) {
    buffers.picked_codes = parts.take<int32_t>((kCallTokens + kPanel) * kPanel);
    buffers.picked_scores = parts.take<float>((kCallTokens + kPanel) * kPanel);
    buffers.weights = parts.take<float>(round_up(plan.num_tables, kEntryGroup) * kCallTokens);
  }
#endif
  buffers.probes = parts.take<uint8_t>(static_cast<int64_t>(probe_scratch(plan.num_probes)));
  return buffers;
}

// sums[rows][panels * kPanel] = in[rows][inputs] * weights
template <typename Product, typename Number>
inline void multiply_rows(const Number* in, int64_t in_stride, int64_t rows, const typename Product::Weight* weights,
                          int64_t words, int64_t panels, bool more, Number* sums) {
  const int64_t panel_stride = words * kPanel;
  for_panels(rows, panels, [&](auto at_once, int64_t panel) LFFN_INLINE {
    constexpr int kPanels = decltype(at_once)::value;
    sum_panels<Product, kPanels>(in, in_stride, rows, weights + panel * panel_stride, words, panel_stride,
                                 more || panel + kPanels < panels, sums + panel * kPanel, panels * kPanel, KeepSums());
  });
}

// Hash values of a group. at(token, place): a vector of them, `place` of bit j from j * tables on.
template <bool kWhole>
struct HashValues {
  const float* sums;  // whole numbers as bits, or floats
  int64_t columns, tables;
  const float* bias;
  const float *scales, *steps;
  const int32_t* starts;
  F32 scaled(int64_t token, int64_t place) const {
    const F32 sum = F32::load(sums + token * columns + place);
    if constexpr (!kWhole) return sum;
    const I32 whole = kByteZero == 0 ? bits(sum) : bits(sum) + I32::load(starts + place);
    return to_float(whole) * F32::load(scales + place) * F32::set1(steps[token]);
  }
  F32 at(int64_t token, int64_t place) const { return scaled(token, place) + F32::load(bias + place); }
};

// The sums of one block of inputs for a group.
inline HashValues<true> block_values(const HashPlan& plan, const TableGroup& group, int64_t b, const int8_t* weights,
                                     int64_t tokens, const RowBuffers& buffers) {
  const int64_t words = words_of(inputs_of_block(plan, b)), columns = group.columns, output = group.output;
  int32_t* const sums = reinterpret_cast<int32_t*>(buffers.sums);
  weights += output * words * kWordInputs;
  multiply_rows<HashProduct>(buffers.rows.words + b * kCallTokens * block_stride(plan), block_stride(plan), tokens,
                             reinterpret_cast<const HashProduct::Weight*>(weights), words, columns / kPanel, group.more,
                             sums);
  if constexpr (kByteDot) add_seconds(plan, buffers.rows, b, weights, words, columns, sums);
  return {buffers.sums,
          columns,
          group.tables,
          plan.bias + output,
          plan.weight_scales + output,
          buffers.rows.steps + b * kCallTokens,
          plan.starts + b * plan.outputs + output};
}

// use(the group's hash values)
template <bool kInt8, typename Use>
inline void with_values(const HashPlan& plan, const TableGroup& group, const float* x, int64_t x_stride, int64_t tokens,
                        const RowBuffers& buffers, Use&& use) {
  const int64_t columns = group.columns;
  HashValues<false> floats = {buffers.sums, columns, group.tables, plan.bias + group.output, nullptr, nullptr, nullptr};
  if constexpr (!kInt8) {
    multiply_rows<FloatLinear>(x, x_stride, tokens, plan.weights + group.output * plan.width, plan.width,
                               columns / kPanel, group.more, buffers.sums);
    use(floats);
    return;
  }
  const int8_t* weights = plan.token_weights;
  const int64_t blocks = row_blocks(plan);
  if (blocks == 1) return use(block_values(plan, group, 0, weights, tokens, buffers));
  // The blocks' sums are added as floats.
  for (int64_t b = 0; b < blocks; ++b) {
    const HashValues<true> values = block_values(plan, group, b, weights, tokens, buffers);
    for (int64_t i = 0; i < tokens * columns; i += kLanes) {
      const F32 value = values.scaled(i / columns, i % columns);
      (b == 0 ? value : F32::load(buffers.of_blocks + i) + value).store(buffers.of_blocks + i);
    }
    weights += plan.outputs * words_of(inputs_of_block(plan, b)) * kWordInputs;
  }
  floats.sums = buffers.of_blocks;
  use(floats);
}

// use(token, table of the group, codes, scores) for all tokens, vector by vector of tables.
template <bool kWhole, typename Use>
LFFN_INLINE inline void score_rows(const HashPlan& plan, const HashValues<kWhole> values, int64_t tokens, Use&& use) {
  constexpr int kOfToken = kScoreVectors < kPanelVectors ? kScoreVectors : kPanelVectors;
  constexpr int kTokens = kScoreVectors / kOfToken;
  for (int64_t first = 0; first < tokens; first += kTokens) {
    int64_t token[kTokens];
    unroll<kTokens>([&](auto t) LFFN_INLINE { token[t] = first + t < tokens ? first + t : tokens - 1; });
    for (int64_t lane = 0; lane < values.tables; lane += kOfToken * kLanes) {
      I32 codes[kScoreVectors];
      F32 scores[kScoreVectors];
      score_lanes<kScoreVectors>(
          plan.code_bits, plan.sigmoid,
          [&](int32_t j, int v)
              LFFN_INLINE { return values.at(token[v / kOfToken], j * values.tables + lane + v % kOfToken * kLanes); },
          codes, scores);
      unroll<kScoreVectors>(
          [&](auto v) LFFN_INLINE { use(token[v / kOfToken], lane + v % kOfToken * kLanes, codes[v], scores[v]); });
    }
  }
}

// The likeliest codes of a group.
template <bool kWhole>
inline void probe_rows(const HashPlan& plan, const HashValues<kWhole>& values, int64_t first, int64_t tokens,
                       const RowBuffers& buffers, const HashOutput& out) {
  for (int64_t t = 0; t < tokens; ++t) {
    float all[16 * kPanel];
    for (int64_t place = 0; place < values.columns; place += kLanes) values.at(t, place).store(all + place);
    for (int64_t k = 0; k < values.tables; ++k) {
      float z[16];
      for (int32_t j = 0; j < plan.code_bits; ++j) z[j] = all[j * values.tables + k];
      probe_table(plan, z, static_cast<int32_t>(first + k), static_cast<int32_t>(t), out, buffers.probes);
    }
  }
}

#if defined(LFFN_PICKS)
// Codes and score bytes of all tables, as gather_picked wants them.
template <bool kInt8>
inline void pick_rows(const HashPlan& plan, const float* x, int64_t x_stride, int64_t tokens, const RowBuffers& buffers,
                      const PickOutput& out) {
  static_assert(kLanes == kPanel, "a vector of tables is one of tokens after it is transposed");
  const Picks picks = {out, plan.num_tables, buffers.weights, kCallTokens};
  const int64_t padded = round_up(tokens, kLanes);
  I32 largest[kCallTokens / kLanes];
  for (I32& one : largest) one = I32::set1(0);
  float* const code_rows = reinterpret_cast<float*>(buffers.picked_codes);
  float* const codes = code_rows + kCallTokens * kPanel;
  float* const scores = buffers.picked_scores + kCallTokens * kPanel;
  for (int64_t t = tokens; t < padded; ++t) {
    F32::set1(0).store(code_rows + t * kPanel);
    F32::set1(0).store(buffers.picked_scores + t * kPanel);
  }
  for (int64_t first = 0; first < plan.num_tables; first += kPanel) {
    with_values<kInt8>(plan, TableGroup(plan, first), x, x_stride, tokens, buffers, [&](const auto& values) {
      score_rows(plan, values, tokens, [&](int64_t token, int64_t, I32 code, F32 score) LFFN_INLINE {
        code.store(buffers.picked_codes + token * kPanel);
        score.store(buffers.picked_scores + token * kPanel);
      });
    });
    for (int64_t t = 0; t < padded; t += kLanes) {
      native_transpose(code_rows + t * kPanel, kPanel, codes, kPanel);
      native_transpose(buffers.picked_scores + t * kPanel, kPanel, scores, kPanel);
      for (int64_t k = 0; k < kPanel && first + k < plan.num_tables; k += kEntryGroup) {
        I32 four_codes[kEntryGroup];
        F32 four_scores[kEntryGroup];
        unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
          four_codes[e] = bits(F32::load(codes + (k + e) * kPanel));
          four_scores[e] = F32::load(scores + (k + e) * kPanel);
        });
        picks.put(first + k, t, four_codes, four_scores, &largest[t / kLanes]);
      }
    }
  }
  for (int64_t t = 0; t < padded; t += kLanes) picks.finish(t, largest[t / kLanes]);
}
#endif

// Up to kCallTokens tokens.
template <bool kInt8>
void hash_rows(const HashPlan& plan, const float* x, int64_t x_stride, int64_t tokens, const HashOutput& out,
               void* scratch) {
  Parts parts(scratch);
  const RowBuffers buffers = row_buffers(plan, parts);
  if (plan.layer_norm) {
    normalise(plan.norm, x, x_stride, tokens, buffers.normed, plan.width);
    x = buffers.normed;
    x_stride = plan.width;
  }
  if constexpr (kInt8) all_words(plan, x, x_stride, tokens, buffers.rows);
#if defined(LFFN_PICKS)
  if (out.picks != nullptr) return pick_rows<kInt8>(plan, x, x_stride, tokens, buffers, *out.picks);
#endif
  for (int64_t first = 0; first < plan.num_tables; first += kPanel) {
    with_values<kInt8>(plan, TableGroup(plan, first), x, x_stride, tokens, buffers, [&](const auto& values) {
      if (plan.num_probes > 1) return probe_rows(plan, values, first, tokens, buffers, out);
      score_rows(plan, values, tokens, [&](int64_t token, int64_t lane, I32 code, F32 score) LFFN_INLINE {
        const int64_t at = token * out.stride + first + lane;
        store_u16(code, out.codes + at);
        score.store(out.scores + at);
      });
    });
  }
}

}  // namespace
}  // namespace lffn
