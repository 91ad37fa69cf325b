// Products with a matrix stored in panels: many tokens side by side, or one token with the outputs side by side. Both
// sum over the inputs in order, one FMA each, from zero.
#pragma once

#include "kernels/kernels.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int kRegisters = 32;
#else
constexpr int kRegisters = 16;
#endif

// `kOutputs` outputs of one panel for `kVectors` vectors of tokens, all sums in registers.
template <int kOutputs, int kVectors>
inline void product_piece(const float* weights, int64_t panel, const float* in, int64_t inputs, float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  F32 sums[kOutputs][kVectors];
  unroll<kOutputs>([&](auto o)
                       LFFN_INLINE { unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = F32::set1(0); }); });
  for (int64_t i = 0; i < inputs; ++i) {
    F32 tokens[kVectors];
    unroll<kVectors>([&](auto v) LFFN_INLINE { tokens[v] = F32::load(in + i * kTokens + v * kLanes); });
    unroll<kOutputs>([&](auto o) LFFN_INLINE {
      const F32 weight = F32::set1(weights[i * panel + o]);
      unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = fma(weight, tokens[v], sums[o][v]); });
    });
  }
  unroll<kOutputs>([&](auto o) LFFN_INLINE {
    unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v].store(out + o * kTokens + v * kLanes); });
  });
}

// As many outputs at once as keep the multipliers busy within the registers there are.
constexpr int outputs_at_once(int vectors) {
  return kRegisters == 32 ? (vectors >= 4 ? 4 : 8) : (vectors == 1 ? 8 : vectors == 4 ? 2 : 4);
}

// out[outputs][tokens] = weights * in[inputs][tokens]; outputs is a multiple of the panel.
template <int kVectors>
void product_tile(const float* weights, int64_t panel, const float* in, int64_t inputs, int64_t outputs, float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  constexpr int kOutputs = outputs_at_once(kVectors);
  for (int64_t p = 0; p < outputs; p += panel, weights += inputs * panel) {
    if (panel >= kOutputs) {
      for (int64_t o = 0; o < panel; o += kOutputs) {
        product_piece<kOutputs, kVectors>(weights + o, panel, in, inputs, out + (p + o) * kTokens);
      }
    } else {
      for (int64_t o = 0; o < panel; ++o) {
        product_piece<1, kVectors>(weights + o, panel, in, inputs, out + (p + o) * kTokens);
      }
    }
  }
}

// `kPanels` full panels for one token.
template <int kPanels>
inline void product_token_piece(const float* weights, const float* in, int64_t inputs, float* out) {
  constexpr int kVectors = static_cast<int>(kPanel) / kLanes;
  F32 sums[kPanels][kVectors];
  unroll<kPanels>([&](auto p)
                      LFFN_INLINE { unroll<kVectors>([&](auto v) LFFN_INLINE { sums[p][v] = F32::set1(0); }); });
  for (int64_t i = 0; i < inputs; ++i) {
    const F32 token = F32::set1(in[i]);
    unroll<kPanels>([&](auto p) LFFN_INLINE {
      const float* row = weights + (p * inputs + i) * kPanel;
      unroll<kVectors>([&](auto v) LFFN_INLINE { sums[p][v] = fma(F32::load(row + v * kLanes), token, sums[p][v]); });
    });
  }
  unroll<kPanels>([&](auto p) LFFN_INLINE {
    unroll<kVectors>([&](auto v) LFFN_INLINE { sums[p][v].store(out + p * kPanel + v * kLanes); });
  });
}

inline void product_token(const float* weights, int64_t panel, const float* in, int64_t inputs, int64_t outputs,
                          float* out) {
  int64_t p = 0;
  if (panel == kPanel) {
    for (; p + 4 * kPanel <= outputs; p += 4 * kPanel)
      product_token_piece<4>(weights + p * inputs, in, inputs, out + p);
    for (; p + kPanel <= outputs; p += kPanel) product_token_piece<1>(weights + p * inputs, in, inputs, out + p);
  }
  for (; p < outputs; p += panel) {
    for (int64_t o = 0; o < panel; ++o) {
      float sum = 0;
      for (int64_t i = 0; i < inputs; ++i) sum = fma1(weights[p * inputs + i * panel + o], in[i], sum);
      out[p + o] = sum;
    }
  }
}

}  // namespace
}  // namespace lffn
