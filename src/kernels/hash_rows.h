// SPDX-License-Identifier: Apache-2.0
// Hashes with a dense projection: rows meet panels of outputs as in a linear layer. The outputs are sorted so that
// panel j of kPanel tables has the j-th hash value of each: codes and scores come out side by side.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear_int8.h"
#include "kernels/panels.h"
#include "kernels/parts.h"
#include "kernels/probes.h"
#include "kernels/quantise.h"
#include "kernels/score.h"
#if defined(__AVX512F__) && !defined(LFFN_GENERIC)
#include "kernels/score_picks.h"
#define LFFN_PICKS 1
#endif

namespace lffn {
namespace {

// Vectors of tables that are scored at once, to hide each other's latency.
constexpr int kScoreVectors = kRegisters == 32 ? 4 : 2;

// Two weights of each output.
struct BytePair {
  int8_t bytes[2];
};
struct PairsOfBytes : IntegerProduct<false> {
  static constexpr int64_t kDepth = 256;
  static constexpr bool kWidens = true;
  using Weight = BytePair;
  using Weights = const BytePair*;
  using Wide = IntegerProduct<false>;
  static I32 load(const BytePair* weights) { return load_pairs(weights->bytes); }
  static void widen(const BytePair* weights, int64_t words, int32_t* to) {
    for (int64_t i = 0; i < words * kPanel; i += kLanes) load(weights + i).store(to + i);
  }
};
using HashProduct = std::conditional_t<kByteDot, FoursProduct, PairsOfBytes>;

// int8: the inputs are cut into blocks, each with a step of its own. Where bytes are multiplied, what stands out and
// does not fit one is listed: token << 20 | index << 8 | second byte.
constexpr int kTokenShift = 20, kIndexShift = 8;
inline int64_t row_blocks(const HashPlan& plan) { return (plan.width + plan.block - 1) / plan.block; }
inline int64_t inputs_of_block(const HashPlan& plan, int64_t b) {
  return b + 1 < row_blocks(plan) ? plan.block : plan.width - b * plan.block;
}
inline int64_t block_stride(const HashPlan& plan) { return round_up(words_of(plan.block), kPartialSums); }
// Less than a third of a block stands out, as that is what four times the mean is.
inline int64_t most_listed(const HashPlan& plan) { return kByteDot ? plan.block / 3 + 1 : 0; }

struct RowBuffers {
  float* normed;          // [tokens][width]
  int32_t* words;         // [blocks][tokens][block_stride]
  float* steps;           // [blocks][tokens]
  int32_t* listed;        // of all blocks
  int32_t* ends;          // [blocks]: of what each has in `listed`
  float* sums;            // [tokens][panels of kPanel tables]
  float* of_blocks;       // the same, of all blocks
  int32_t* picked_codes;  // [tokens][kPanel], then [kPanel][tokens of a vector]
  float* picked_scores;   // the same
  float* weights;         // [tables][tokens]
  void* probes;
};
inline RowBuffers row_buffers(const HashPlan& plan, Parts& parts) {
  const bool int8 = plan.arithmetic == HashArithmetic::kInt8;
  const int64_t blocks = int8 ? row_blocks(plan) : 0, columns = plan.code_bits * kPanel;
  RowBuffers buffers = {};
  buffers.normed = parts.take<float>(plan.layer_norm ? kCallTokens * plan.width : 0);
  buffers.words = parts.take<int32_t>(int8 ? blocks * kCallTokens * block_stride(plan) : 0);
  buffers.steps = parts.take<float>(blocks * kCallTokens);
  buffers.listed = parts.take<int32_t>(int8 ? blocks * kCallTokens * most_listed(plan) : 0);
  buffers.ends = parts.take<int32_t>(blocks);
  buffers.sums = parts.take<float>(kCallTokens * columns);
  buffers.of_blocks = parts.take<float>(blocks > 1 ? kCallTokens * columns : 0);
#if defined(LFFN_PICKS)
  if (int8 && plan.num_probes == 1 && (1 << plan.code_bits) <= kPickRows) {
    buffers.picked_codes = parts.take<int32_t>((kCallTokens + kPanel) * kPanel);
    buffers.picked_scores = parts.take<float>((kCallTokens + kPanel) * kPanel);
    buffers.weights = parts.take<float>(round_up(plan.num_tables, kEntryGroup) * kCallTokens);
  }
#endif
  buffers.probes = parts.take<uint8_t>(static_cast<int64_t>(probe_scratch(plan.num_probes)));
  return buffers;
}

// One block of one row -> words, with its step. Returns where the list ends then.
inline int32_t* make_words(const float* in, int64_t inputs, int64_t token, float* step, int32_t* words,
                           int32_t* listed) {
  F32 inverse;
  find_steps<TokenRows, true>(in, inputs, step_rule(inputs, inputs), nullptr, &inverse, step);
  const F32 round = F32::set1(kByteDot ? kRoundInLowBits + 128 : kRoundInLowBits);
  const bool finite = *step - *step == 0;
  for_vectors(in, inputs, [&](F32 value, int64_t first, int present) LFFN_INLINE {
    const I32 numbers = bits(fma(value, inverse, round));
    if constexpr (!kByteDot) {
      store_u16(numbers & I32::set1(0xffff), reinterpret_cast<uint16_t*>(words) + first);
      return;
    }
    store_u8(numbers ^ I32::set1(kRowLowered), reinterpret_cast<uint8_t*>(words) + first);
    if (!any_bit(numbers & I32::set1(0xff00)) || !finite) return;
    int32_t lanes[kLanes];
    numbers.store(lanes);
    for (int i = 0; i < present; ++i) {
      const int32_t second = lanes[i] >> 8 & 0xff;
      if (second != 0) {
        *listed++ = static_cast<int32_t>(token << kTokenShift | (first + i) << kIndexShift | second);
      }
    }
  });
  return listed;
}

inline void all_words(const HashPlan& plan, const float* x, int64_t x_stride, int64_t tokens,
                      const RowBuffers& buffers) {
  int32_t* end = buffers.listed;
  for (int64_t b = 0; b < row_blocks(plan); ++b) {
    for (int64_t t = 0; t < tokens; ++t) {
      const int64_t row = b * kCallTokens + t;
      end = make_words(x + t * x_stride + b * plan.block, inputs_of_block(plan, b), t, buffers.steps + row,
                       buffers.words + row * block_stride(plan), end);
    }
    buffers.ends[b] = static_cast<int32_t>(end - buffers.listed);
  }
}

// Adds what the second bytes give to the sums of some panels.
inline void add_seconds(const int32_t* listed, const int32_t* end, const int8_t* weights, int64_t words,
                        int64_t columns, int32_t* sums) {
  for (; listed < end; ++listed) {
    const int64_t index = *listed >> kIndexShift & ((1 << (kTokenShift - kIndexShift)) - 1);
    const auto second = static_cast<int8_t>(*listed & 0xff);
    const I32 magnitude = I32::set1((second < 0 ? -second : second) << 8 * (index % 4));
    int32_t* const to = sums + (*listed >> kTokenShift) * columns;
    for (int64_t c = 0; c < columns; c += kLanes) {
      const int8_t* four = weights + (c / kPanel * words * kPanel + index / 4 * kPanel + c % kPanel) * 4;
      const I32 product =
          shift_left<8>(dot_bytes(I32::set1(0), magnitude, I32::load(reinterpret_cast<const int32_t*>(four))));
      const I32 sum = I32::load(to + c);
      (second < 0 ? sum - product : sum + product).store(to + c);
    }
  }
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

// Hash values of kPanel tables. at(token, place): a vector of them, `place` of bit j from j * kPanel on.
template <bool kWhole>
struct HashValues {
  const float* sums;  // whole numbers as bits, or floats
  int64_t columns;
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

// The sums of one block of inputs for kPanel tables, whose first output is `output`.
inline HashValues<true> block_values(const HashPlan& plan, int64_t b, const int8_t* weights, int64_t output,
                                     int64_t tokens, bool more, const RowBuffers& buffers) {
  const int64_t panels = plan.code_bits, columns = panels * kPanel, words = words_of(inputs_of_block(plan, b));
  int32_t* const sums = reinterpret_cast<int32_t*>(buffers.sums);
  weights += output * words * kWordInputs;
  multiply_rows<HashProduct>(buffers.words + b * kCallTokens * block_stride(plan), block_stride(plan), tokens,
                             reinterpret_cast<const HashProduct::Weight*>(weights), words, panels, more, sums);
  if constexpr (kByteDot) {
    add_seconds(buffers.listed + (b == 0 ? 0 : buffers.ends[b - 1]), buffers.listed + buffers.ends[b], weights, words,
                columns, sums);
  }
  return {buffers.sums,
          columns,
          plan.bias + output,
          plan.weight_scales + output,
          buffers.steps + b * kCallTokens,
          plan.starts + b * plan.outputs + output};
}

// use(hash values of kPanel tables from `first` on)
template <bool kInt8, typename Use>
inline void with_values(const HashPlan& plan, int64_t first, const float* x, int64_t x_stride, int64_t tokens,
                        const RowBuffers& buffers, Use&& use) {
  const int64_t panels = plan.code_bits, columns = panels * kPanel, output = first * panels;
  const bool more = first + kPanel < plan.num_tables;
  if constexpr (!kInt8) {
    multiply_rows<FloatLinear>(x, x_stride, tokens, plan.weights + output * plan.width, plan.width, panels, more,
                               buffers.sums);
    use(HashValues<false>{buffers.sums, columns, plan.bias + output, nullptr, nullptr, nullptr});
    return;
  }
  const int8_t* weights = plan.token_weights;
  const int64_t blocks = row_blocks(plan);
  if (blocks == 1) return use(block_values(plan, 0, weights, output, tokens, more, buffers));
  // The blocks' sums are added as floats.
  for (int64_t b = 0; b < blocks; ++b) {
    const HashValues<true> values = block_values(plan, b, weights, output, tokens, more, buffers);
    for (int64_t i = 0; i < tokens * columns; i += kLanes) {
      const F32 value = values.scaled(i / columns, i % columns);
      (b == 0 ? value : F32::load(buffers.of_blocks + i) + value).store(buffers.of_blocks + i);
    }
    weights += plan.outputs * words_of(inputs_of_block(plan, b)) * kWordInputs;
  }
  use(HashValues<false>{buffers.of_blocks, columns, plan.bias + output, nullptr, nullptr, nullptr});
}

// use(token, lane of the panel, codes, scores) for all tokens and kPanel tables.
template <bool kWhole, typename Use>
LFFN_INLINE inline void score_rows(const HashPlan& plan, const HashValues<kWhole> values, int64_t tokens, Use&& use) {
  constexpr int kOfToken = kScoreVectors < kPanelVectors ? kScoreVectors : kPanelVectors;
  constexpr int kTokens = kScoreVectors / kOfToken;
  for (int64_t first = 0; first < tokens; first += kTokens) {
    int64_t token[kTokens];
    unroll<kTokens>([&](auto t) LFFN_INLINE { token[t] = first + t < tokens ? first + t : tokens - 1; });
    for (int64_t lane = 0; lane < kPanel; lane += kOfToken * kLanes) {
      I32 codes[kScoreVectors];
      F32 scores[kScoreVectors];
      score_lanes<kScoreVectors>(
          plan.code_bits, plan.sigmoid,
          [&](int32_t j, int v)
              LFFN_INLINE { return values.at(token[v / kOfToken], j * kPanel + lane + v % kOfToken * kLanes); },
          codes, scores);
      unroll<kScoreVectors>(
          [&](auto v) LFFN_INLINE { use(token[v / kOfToken], lane + v % kOfToken * kLanes, codes[v], scores[v]); });
    }
  }
}

// The likeliest codes of up to kPanel tables.
template <bool kWhole>
inline void probe_rows(const HashPlan& plan, const HashValues<kWhole>& values, int64_t first, int64_t tokens,
                       const RowBuffers& buffers, const HashOutput& out) {
  const int64_t tables = plan.num_tables - first < kPanel ? plan.num_tables - first : kPanel;
  for (int64_t t = 0; t < tokens; ++t) {
    float all[16 * kPanel];
    for (int64_t place = 0; place < values.columns; place += kLanes) values.at(t, place).store(all + place);
    for (int64_t k = 0; k < tables; ++k) {
      float z[16];
      for (int32_t j = 0; j < plan.code_bits; ++j) z[j] = all[j * kPanel + k];
      probe_table(plan, z, static_cast<int32_t>(first + k), static_cast<int32_t>(t), out, buffers.probes);
    }
  }
}

#if defined(LFFN_PICKS)
// Codes and score bytes of all tables, as gather_picked wants them.
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
    with_values<true>(plan, first, x, x_stride, tokens, buffers, [&](const auto& values) {
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
  if constexpr (kInt8) all_words(plan, x, x_stride, tokens, buffers);
#if defined(LFFN_PICKS)
  if (kInt8 && out.picks != nullptr) return pick_rows(plan, x, x_stride, tokens, buffers, *out.picks);
#endif
  for (int64_t first = 0; first < plan.num_tables; first += kPanel) {
    with_values<kInt8>(plan, first, x, x_stride, tokens, buffers, [&](const auto& values) {
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
