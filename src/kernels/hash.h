// From tokens to codes and scores, a tile at a time or one token at a time.
#pragma once

#include "kernels/kernels.h"
#include "kernels/probes.h"
#include "kernels/product.h"
#include "kernels/product_int8.h"
#include "kernels/score.h"
#include "kernels/transform.h"

namespace lffn {
namespace {

#if defined(__AVX512F__) || !defined(__aarch64__)
constexpr int kTileVectors = 3;
#else
constexpr int kTileVectors = 4;
#endif
// What is hashed at once: the int8 form keeps fewer tokens.
constexpr int32_t kTileTokens = kTileVectors * kLanes;
constexpr int32_t kCallTokens = kTileTokens * kTileVectorsInt8;  // whole tiles of either form

inline int64_t block_panel(const HashPlan& plan) { return plan.dense || plan.block >= kPanel ? kPanel : plan.block; }

// Numbers of the buffers behind one another: inputs, a factor's outputs, all chains' outputs, int8 inputs of a factor.
inline int64_t buffer_rows(const HashPlan& plan) {
  const int64_t quantised = plan.arithmetic == HashArithmetic::kInt8 ? plan.width + 1 : 0;
  return plan.width + plan.outputs + static_cast<int64_t>(plan.chains) * plan.outputs + quantised;
}

inline size_t hash_scratch(const HashPlan& plan) {
  const int64_t tile = buffer_rows(plan) * kTileTokens;
  const int64_t tables = round_up(plan.num_tables, kLanes);
  const int64_t token = buffer_rows(plan) + plan.code_bits * tables + 2 * tables;
  return static_cast<size_t>(tile > token ? tile : token) * sizeof(float) + probe_scratch(plan.num_probes);
}

// One chain: in[width][tokens] -> out[outputs][tokens], with `other` as large as out. A factor(index, in, out)
// multiplies by all blocks of one.
template <typename Factor>
inline void run_chain(const HashPlan& plan, const float* in, float* other, float* out, int64_t tokens,
                      Factor&& factor) {
  for (int32_t f = 0; f < plan.factors; ++f) {
    float* to = (plan.factors - f) % 2 == 1 ? out : other;
    factor(f, in, to);
    if (!plan.dense) butterflies(to, plan.width / plan.block, plan.block * tokens);
    in = to;
  }
}

// product(block, offset of the block's inputs, offset of its outputs, outputs of the block) for each block of a factor.
template <typename Product>
inline void for_blocks(const HashPlan& plan, Product&& product) {
  if (plan.dense) return product(0, 0, plan.outputs);
  for (int64_t b = 0; b < plan.width / plan.block; ++b) product(b, b * plan.block, plan.block);
}

template <int kVectors>
void run_chain_tile(const HashPlan& plan, int32_t chain, const float* in, float* other, float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const int64_t panel = block_panel(plan), inputs = plan.dense ? plan.width : plan.block;
  run_chain(plan, in, other, out, kTokens, [&](int32_t f, const float* from, float* to) {
    const float* weights = plan.weights + (chain * plan.factors + f) * plan.outputs * inputs;
    for_blocks(plan, [&](int64_t block, int64_t row, int64_t outputs) {
      product_tile<kVectors>(weights + block * inputs * outputs, panel, from + row * kTokens, inputs, outputs,
                             to + row * kTokens);
    });
  });
}

// The int8 form. `largest` are the inputs' magnitudes. A panel of every block is multiplied, goes through the
// butterflies and gives its magnitudes while it is in the nearest cache.
template <int kVectors>
void run_chain_int8(const HashPlan& plan, int32_t chain, const float* in, const I32* largest, float* panels, float* out,
                    int32_t* quantised) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const int64_t panel = block_panel(plan), inputs = plan.dense ? plan.width : plan.block;
  const int64_t outputs = plan.dense ? plan.outputs : plan.block, blocks = plan.dense ? 1 : plan.width / plan.block;
  const int64_t pairs = pairs_of(inputs);
  F32 scale[kVectors];
  I32 magnitude[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    scale[v] = F32::set1(1);
    magnitude[v] = largest[v];
  }
  for (int32_t f = 0; f < plan.factors; ++f) {
    const bool last = f + 1 == plan.factors;
    quantise_tile<kVectors>(f == 0 ? in : out, plan.width, inputs, plan.steps, magnitude, quantised, scale);
    const int64_t first = static_cast<int64_t>(chain) * plan.factors + f;
    const int16_t* panel_weights = plan.weights_int8 + first * plan.outputs * pairs * 2;
    const float* scales = plan.weight_scales + first * plan.outputs;
    F32 multiplier[kVectors];
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      magnitude[v] = I32::set1(0);
      multiplier[v] = last ? scale[v] : F32::set1(1);
    });
    for (int64_t p = 0; p < outputs; p += panel) {
      for (int64_t b = 0; b < blocks; ++b, panel_weights += pairs * panel * 2) {
        product_int8_panel<kVectors>(panel_weights, scales + b * outputs + p, panel, quantised + b * pairs * kTokens,
                                     pairs, panels + b * panel * kTokens);
      }
      butterflies(panels, blocks, panel * kTokens);
      for (int64_t b = 0; b < blocks; ++b) {
        const float* from = panels + b * panel * kTokens;
        float* to = out + (b * outputs + p) * kTokens;
        for (int64_t i = 0; i < panel * kTokens; i += kTokens) {
          unroll<kVectors>([&](auto v) LFFN_INLINE {
            const F32 value = F32::load(from + i + v * kLanes) * multiplier[v];
            magnitude[v] = larger_magnitude(magnitude[v], value);
            value.store(to + i + v * kLanes);
          });
        }
      }
    }
  }
}

inline void run_chain_token(const HashPlan& plan, int32_t chain, const float* in, float* other, float* out,
                            int32_t* quantised) {
  const int64_t panel = block_panel(plan), inputs = plan.dense ? plan.width : plan.block;
  if (plan.arithmetic == HashArithmetic::kF32) {
    run_chain(plan, in, other, out, 1, [&](int32_t f, const float* from, float* to) {
      const float* weights = plan.weights + (chain * plan.factors + f) * plan.outputs * inputs;
      for_blocks(plan, [&](int64_t block, int64_t row, int64_t outputs) {
        product_token(weights + block * inputs * outputs, panel, from + row, inputs, outputs, to + row);
      });
    });
    return;
  }
  const int64_t pairs = pairs_of(inputs);
  float all = 1;
  run_chain(plan, in, other, out, 1, [&](int32_t f, const float* from, float* to) {
    const int64_t first = static_cast<int64_t>(chain) * plan.factors + f;
    all *= quantise_token(from, plan.width, inputs, plan.steps, quantised);
    const int8_t* weights = plan.weights_token + first * plan.outputs * pairs * 2;
    const float* scales = plan.weight_scales + first * plan.outputs;
    for_blocks(plan, [&](int64_t block, int64_t row, int64_t outputs) {
      product_int8_token(weights + block * pairs * 2 * outputs, scales + row, panel, quantised + block * pairs, pairs,
                         outputs, to + row);
    });
  });
  for (int64_t r = 0; r < plan.outputs; ++r) out[r] *= all;
}

template <int kVectors>
void hash_tile_of(const HashPlan& plan, const float* x, int64_t x_stride, int32_t num_tokens, HashOutput out,
                  void* scratch) {
  constexpr int64_t kTokens = kVectors * kLanes;
  float* u = static_cast<float*>(scratch);
  float* other = u + plan.width * kTokens;
  float* y = other + plan.outputs * kTokens;
  int32_t* quantised = reinterpret_cast<int32_t*>(y + plan.chains * plan.outputs * kTokens);

  load_tile<kVectors>(x, x_stride, num_tokens, plan.input_size, u);
  if (plan.layer_norm) normalise_tile<kVectors>(plan, u);
  for (int64_t i = plan.input_size * kTokens; i < plan.width * kTokens; i += kLanes) F32::set1(0).store(u + i);
  if (plan.arithmetic == HashArithmetic::kF32) {
    for (int32_t chain = 0; chain < plan.chains; ++chain) {
      run_chain_tile<kVectors>(plan, chain, u, other, y + chain * plan.outputs * kTokens);
    }
  } else {
    I32 largest[kVectors];
    find_largest<kVectors>(u, plan.width, largest);
    for (int32_t chain = 0; chain < plan.chains; ++chain) {
      run_chain_int8<kVectors>(plan, chain, u, largest, other, y + chain * plan.outputs * kTokens, quantised);
    }
  }

  const int64_t mask = plan.width - 1;  // BH's width is a power of two
  const auto hash_value = [&](int64_t c, int64_t offset) {
    const F32 z = F32::load(y + c * kTokens + offset) + F32::set1(plan.bias[c]);
    return plan.dense ? z : fma(F32::set1(plan.keep), F32::load(u + (c & mask) * kTokens + offset), z);
  };
  if (plan.num_probes == 1) {
    for (int32_t k = 0; k < plan.num_tables; k += kEntryGroup) {
      I32 codes[kEntryGroup * kVectors];
      F32 scores[kEntryGroup * kVectors];
      for (int i = 0; i < kEntryGroup; ++i) {
        const int64_t first = static_cast<int64_t>(k + i < plan.num_tables ? k + i : k) * plan.code_bits;
        score_lanes<kVectors>(
            plan.code_bits, plan.sigmoid,
            [&](int32_t j, int v) LFFN_INLINE { return hash_value(first + j, v * kLanes); }, codes + i * kVectors,
            scores + i * kVectors);
      }
      for (int v = 0; v < kVectors; ++v) {
        const int64_t at = v * kLanes * out.stride + k;
        store_entries<kVectors>(codes + v, scores + v, out.codes + at, out.scores + at, out.stride);
      }
    }
    return;
  }
  for (int64_t c = 0; c < plan.num_hashes; ++c) {
    for (int v = 0; v < kVectors; ++v) hash_value(c, v * kLanes).store(y + c * kTokens + v * kLanes);
  }
  void* probes = static_cast<float*>(scratch) + buffer_rows(plan) * kTileTokens;
  for (int32_t t = 0; t < num_tokens; ++t) {
    for (int32_t k = 0; k < plan.num_tables; ++k) {
      float z[16];
      for (int32_t j = 0; j < plan.code_bits; ++j)
        z[j] = y[(static_cast<int64_t>(k) * plan.code_bits + j) * kTokens + t];
      probe_table(plan, z, k, t, out, probes);
    }
  }
}

inline void hash_vectors(const HashPlan& plan, const float* x, int64_t x_stride, int32_t num_tokens, HashOutput out,
                         void* scratch) {
  switch ((num_tokens + kLanes - 1) / kLanes) {
    case 1:
      return hash_tile_of<1>(plan, x, x_stride, num_tokens, out, scratch);
    case 2:
      return hash_tile_of<2>(plan, x, x_stride, num_tokens, out, scratch);
    case 3:
      return hash_tile_of<3>(plan, x, x_stride, num_tokens, out, scratch);
    default:
      return hash_tile_of<kTileVectors>(plan, x, x_stride, num_tokens, out, scratch);
  }
}

inline void hash_tile(const HashPlan& plan, const float* x, int64_t x_stride, int32_t num_tokens, HashOutput out,
                      void* scratch) {
  const int32_t at_once = plan.arithmetic == HashArithmetic::kInt8 ? kTileVectorsInt8 * kLanes : kTileTokens;
  for (int32_t t = 0; t < num_tokens; t += at_once) {
    const int32_t tokens = num_tokens - t < at_once ? num_tokens - t : at_once;
    const HashOutput here = {out.codes + t * out.stride, out.scores + t * out.stride, out.stride};
    hash_vectors(plan, x + t * x_stride, x_stride, tokens, here, scratch);
  }
}

inline void hash_token(const HashPlan& plan, const float* x, HashOutput out, void* scratch) {
  float* u = static_cast<float*>(scratch);
  float* other = u + plan.width;
  float* y = other + plan.outputs;
  int32_t* quantised = reinterpret_cast<int32_t*>(y + plan.chains * plan.outputs);

  if (plan.layer_norm) {
    normalise_token(plan, x, u);
  } else {
    for (int64_t f = 0; f < plan.input_size; ++f) u[f] = x[f];
  }
  for (int64_t f = plan.input_size; f < plan.width; ++f) u[f] = 0;
  for (int32_t chain = 0; chain < plan.chains; ++chain) {
    run_chain_token(plan, chain, u, other, y + chain * plan.outputs, quantised);
    if (plan.dense) continue;
    // The input's share; the columns past num_hashes have no bias and are not read.
    float* z = y + chain * plan.outputs;
    const int64_t used =
        plan.num_hashes - chain * plan.outputs < plan.outputs ? plan.num_hashes - chain * plan.outputs : plan.outputs;
    const float* bias = plan.bias + chain * plan.outputs;
    int64_t c = 0;
    for (; c + kLanes <= used; c += kLanes) {
      fma(F32::set1(plan.keep), F32::load(u + c), F32::load(z + c) + F32::load(bias + c)).store(z + c);
    }
    for (; c < used; ++c) z[c] = fma1(plan.keep, u[c], z[c] + bias[c]);
  }
  if (plan.dense) {
    for (int64_t c = 0; c < plan.num_hashes; ++c) y[c] = y[c] + plan.bias[c];
  }

  if (plan.num_probes > 1) {
    void* probes = static_cast<float*>(scratch) + buffer_rows(plan) * kTileTokens;
    for (int32_t k = 0; k < plan.num_tables; ++k) {
      probe_table(plan, y + static_cast<int64_t>(k) * plan.code_bits, k, 0, out, probes);
    }
    return;
  }
  // One table in each lane.
  const int64_t tables = round_up(plan.num_tables, kLanes);
  float* lanes = u + buffer_rows(plan);
  for (int64_t k = 0; k < tables; ++k) {
    for (int32_t j = 0; j < plan.code_bits; ++j) {
      lanes[j * tables + k] = k < plan.num_tables ? y[k * plan.code_bits + j] : 0.0f;
    }
  }
  float* scores = lanes + plan.code_bits * tables;
  uint16_t* codes = reinterpret_cast<uint16_t*>(scores + tables);
  for (int64_t k = 0; k < tables; k += kLanes) {
    I32 code;
    F32 score;
    score_lanes<1>(
        plan.code_bits, plan.sigmoid, [&](int32_t j, int) { return F32::load(lanes + j * tables + k); }, &code, &score);
    store_u16(code, codes + k);
    score.store(scores + k);
  }
  for (int32_t k = 0; k < plan.num_tables; ++k) {
    out.codes[k] = codes[k];
    out.scores[k] = scores[k];
  }
}

}  // namespace
}  // namespace lffn
