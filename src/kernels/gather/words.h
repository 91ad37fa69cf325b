// SPDX-License-Identifier: Apache-2.0
// Products of a few rows with the vectors of all words, which are used as they lie: one copy serves to look words up
// and to score them. The inputs lie in the lanes; number i goes into partial sum i % kPartialSums, so the order of the
// sums is the same everywhere.
#pragma once

#include "kernels/linear/linear_int8.h"
#include "kernels/simd/reduce.h"

namespace lffn {
namespace {

// What the words are made of. kNumbers: how many numbers of a word kPartialSums lanes take at once.
struct FloatWords : FloatProduct {
  static constexpr int64_t kNumbers = kPartialSums;
  using Element = float;
  static F32 load(const float* word) { return F32::load(word); }
};
struct Bf16Words : FloatWords {
  using Element = uint16_t;
  static F32 load(const uint16_t* word) { return load_bf16(word); }
};
struct Int8Words : IntegerProduct<kByteDot> {
  static I32 load(const int8_t* word) {
    if constexpr (kByteDot) return I32::load(reinterpret_cast<const int32_t*>(word));
    return swap_pairs(load_pairs(word));
  }
  static constexpr int64_t kNumbers = 4 * kPartialSums / BytesProduct::kParts;
  using Element = int8_t;
};

constexpr int kWordsAtOnce = 4;
constexpr int kWordRows = kRegisters == 32 ? 16 / (kWordsAtOnce * kPanelVectors) : 1;

// partial[row][word][kPartialSums] of kRows rows and kWordsAtOnce words.
template <typename Words, int kRows>
inline void words_piece(const typename Words::Number* in, int64_t in_stride, const typename Words::Element* words,
                        int64_t stride, float* partial) {
  using Vector = typename Words::Vector;
  constexpr int64_t kPerLane = Words::kNumbers / kPartialSums;  // elements of a word
  Vector sums[kPanelVectors][kRows][kWordsAtOnce];
  unroll<kRows * kWordsAtOnce * kPanelVectors>([&](auto i) LFFN_INLINE { (&sums[0][0][0])[i] = Vector::set1(0); });
  for (int64_t i = 0; i < stride; i += Words::kNumbers, in += kPartialSums) {
    unroll<kPanelVectors>([&](auto v) LFFN_INLINE {
      add_products<Words>(
          sums[v], [&](auto w) LFFN_INLINE { return Words::load(words + w * stride + i + v * kLanes * kPerLane); },
          [&](auto r, int) LFFN_INLINE { return Vector::load(in + r * in_stride + v * kLanes); });
    });
  }
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kWordsAtOnce>([&](auto w) LFFN_INLINE {
      unroll<kPanelVectors>([&](auto v) LFFN_INLINE {
        float* to = partial + (r * kPanel + w) * kPartialSums + v * kLanes;
        if constexpr (std::is_same_v<Vector, F32>) {
          sums[v][r][w].store(to);
        } else {
          from_bits(settled(sums[v][r][w])).store(to);
        }
      });
    });
  });
}

template <typename Words, typename Finish>
inline void score_words_of(const WordsPlan& plan, const typename Words::Number* in, int64_t in_stride,
                           Finish&& finish) {
  const auto* words = static_cast<const typename Words::Element*>(plan.words);
  for (int64_t first = 0; first < plan.num_words; first += kPanel, words += kPanel * plan.word_stride) {
    for (int64_t r = 0; r < plan.rows;) {
      alignas(64) float partial[kWordRows * kPanel * kPartialSums];
      const int rows = plan.rows - r >= kWordRows ? kWordRows : 1;
      for (int64_t w = 0; w < kPanel; w += kWordsAtOnce) {
        const typename Words::Element* at = words + w * plan.word_stride;
        float* to = partial + w * kPartialSums;
        if (rows == kWordRows) {
          words_piece<Words, kWordRows>(in + r * in_stride, in_stride, at, plan.word_stride, to);
        } else {
          words_piece<Words, 1>(in + r * in_stride, in_stride, at, plan.word_stride, to);
        }
      }
      for (int i = 0; i < rows; ++i, ++r) {
        float scores[kPanel];
        reduce_rows(partial + i * kPanel * kPartialSums, kPanel, [&](F32* columns, int64_t word) LFFN_INLINE {
          finish(columns, r, first + word).store(scores + word);
        });
        const int64_t count = plan.num_words - first < kPanel ? plan.num_words - first : kPanel;
        __builtin_memcpy(plan.out + r * plan.out_stride + first, scores, static_cast<size_t>(count) * sizeof(float));
      }
    }
  }
}

inline void score_words(const WordsPlan& plan) {
  const auto add_bias = [&](F32* columns, int64_t, int64_t word)
                            LFFN_INLINE { return add_up(columns) + F32::load(plan.bias + word); };
  switch (plan.kind) {
    case WordKind::kF32:
      return score_words_of<FloatWords>(plan, plan.in, plan.in_stride, add_bias);
    case WordKind::kBf16:
      return score_words_of<Bf16Words>(plan, plan.in, plan.in_stride, add_bias);
    case WordKind::kInt8:
      break;
  }
  const ScaleSums scaling = {plan.in_int8,
                             plan.in_stride,
                             plan.word_sums,
                             plan.word_scales,
                             plan.bias,
                             static_cast<const int8_t*>(plan.words),
                             0};
  score_words_of<Int8Words>(plan, plan.in_int8 + kRowHeader, plan.in_stride,
                            [&](const F32* columns, int64_t row, int64_t word) LFFN_INLINE {
                              I32 sums = bits(columns[0]);
                              for (int p = 1; p < kPartialSums; ++p) sums = sums + bits(columns[p]);
                              const ScaleSums::Column column = scaling.column(word);
                              const F32 result = ScaleSums::result(sums, column, scaling.row(row));
                              const int32_t* header = plan.in_int8 + row * plan.in_stride;
                              float large, weights[kLanes];
                              __builtin_memcpy(&large, header + 2, sizeof large);
                              if (large == 0) return result;
                              for (int i = 0; i < kLanes; ++i)
                                weights[i] = scaling.weights[(word + i) * plan.word_stride + header[3]];
                              return fma(F32::load(weights) * column.scale, F32::set1(large), result);
                            });
}

}  // namespace
}  // namespace lffn
