// SPDX-License-Identifier: Apache-2.0
// From tokens to codes and scores: a tile at a time or one token at a time; few tokens of a dense int8 projection by
// rows.
#pragma once

#include "kernels/hash/hash_int8.h"
#include "kernels/hash/hash_rows.h"
#include "kernels/hash/probes.h"
#include "kernels/hash/score.h"
#include "kernels/hash/transform.h"
#include "kernels/kernels.h"
#include "kernels/linear/product.h"

namespace lffn {
namespace {

inline int64_t block_panel(const HashPlan& plan) { return plan.dense || plan.block >= kPanel ? kPanel : plan.block; }

// Whether so many tokens go by rows. As measured, tiles of many tokens are faster, but for a dense int8 hash not on
// every instruction set, and not where they leave lanes idle.
inline bool by_rows(const HashPlan& plan, int64_t tokens, const HashOutput& out) {
  constexpr int64_t kMost = !kDenseTiles ? kCallTokens : kRegisters == 32 ? 24 : 12;
  return plan.dense && tokens <= kMost && out.picks == nullptr;
}

// What a tile of so many tokens needs, or one token.
struct HashBuffers {
  float* inputs;   // [width][tokens]
  float* outputs;  // [chains][outputs][tokens]
  float* other;    // f32: [outputs][tokens]
  float* lanes;    // one token: [code bits][tables], then as many scores, then as many codes
  void* probes;
  void* rest;  // int8: for the chains
};
inline HashBuffers hash_buffers(const HashPlan& plan, int64_t tokens, Parts& parts) {
  HashBuffers buffers = {};
  const bool exact = plan.arithmetic == HashArithmetic::kF32;
  buffers.inputs = parts.take<float>(plan.width * tokens);
  buffers.outputs = parts.take<float>(plan.chains * plan.outputs * tokens);
  buffers.other = parts.take<float>(exact ? plan.outputs * tokens : 0);
  buffers.lanes = parts.take<float>(tokens == 1 ? (plan.code_bits + 2) * round_up(plan.num_tables, kLanes) : 0);
  buffers.probes = parts.take<uint8_t>(static_cast<int64_t>(probe_scratch(plan.num_probes)));
  buffers.rest = parts.take<uint8_t>(0);
  if (!exact) int8_buffers(plan, tokens, parts);
  return buffers;
}

inline size_t hash_scratch(const HashPlan& plan) {
  Parts rows(nullptr), tile(nullptr), token(nullptr);
  hash_buffers(plan, kTileTokens, tile);
  hash_buffers(plan, 1, token);
  if (plan.dense && plan.arithmetic == HashArithmetic::kInt8) row_buffers(plan, rows);
  const size_t few = rows.size() > token.size() ? rows.size() : token.size();
  return tile.size() > few ? tile.size() : few;
}

// One chain: in[width][tokens] -> out[outputs][tokens], with `other` as large as out. `product` multiplies by a block.
template <typename Product>
inline void run_chain(const HashPlan& plan, int32_t chain, const float* in, float* other, float* out, int64_t tokens,
                      Product&& product) {
  const int64_t panel = block_panel(plan);
  const int64_t inputs = plan.dense ? plan.width : plan.block, outputs = plan.dense ? plan.outputs : plan.block;
  const float* weights = plan.weights + int64_t{chain} * plan.factors * plan.outputs * inputs;
  for (int32_t f = 0; f < plan.factors; ++f) {
    float* to = (plan.factors - f) % 2 == 1 ? out : other;
    for (int64_t row = 0; row < plan.outputs; row += outputs, weights += inputs * outputs) {
      product(weights, panel, in + row * tokens, inputs, outputs, to + row * tokens);
    }
    if (!plan.dense) butterflies(to, plan.width / plan.block, plan.block * tokens);
    in = to;
  }
}

// The tokens' inputs as the chains want them: [width][tokens].
template <int kVectors>
LFFN_INLINE inline void load_inputs(const HashPlan& plan, const float* x, int64_t x_stride, int32_t num_tokens,
                                    float* u) {
  constexpr int64_t kTokens = kVectors * kLanes;
  load_tile<kVectors>(x, x_stride, num_tokens, plan.input_size, u);
  if (plan.layer_norm) normalise_tile<kVectors>(plan.norm, u);
  for (int64_t i = plan.input_size * kTokens; i < plan.width * kTokens; i += kLanes) F32::set1(0).store(u + i);
}

// One code for each table: the token's own. hash_value(index, offset) gives a hash value of the tokens from that offset
// on.
template <int kVectors, typename HashValue>
LFFN_INLINE inline void put_own_codes(const HashPlan& plan, HashValue&& hash_value, HashOutput out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  for (int32_t k = 0; k < plan.num_tables; k += kLanes) {
    int32_t codes[kLanes * kTokens];
    float scores[kLanes * kTokens];
    const int32_t present = plan.num_tables - k < kLanes ? plan.num_tables - k : kLanes;
    const HashPlace place = hash_place(plan, k);
    for (int i = 0; i < kLanes; ++i) {
      const int64_t first = place.first + (i < present ? i : 0) * place.next;
      I32 code[kVectors];
      F32 score[kVectors];
      score_lanes<kVectors>(
          plan.code_bits, plan.sigmoid,
          [&](int32_t j, int v) LFFN_INLINE { return hash_value(first + j * place.apart, v * kLanes); }, code, score);
      for (int v = 0; v < kVectors; ++v) {
        code[v].store(codes + i * kTokens + v * kLanes);
        score[v].store(scores + i * kTokens + v * kLanes);
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      const int64_t at = v * kLanes * out.stride + k;
      store_entries(codes + v * kLanes, scores + v * kLanes, kTokens, out.codes + at, out.scores + at, out.stride);
    }
  }
}

// Several codes for each table, from hash values that are stored first: y[num_hashes][tokens].
template <int kVectors, typename HashValue>
LFFN_INLINE inline void put_likeliest_codes(const HashPlan& plan, HashValue&& hash_value, int32_t num_tokens, float* y,
                                            HashOutput out, void* scratch) {
  constexpr int64_t kTokens = kVectors * kLanes;
  for (int64_t c = 0; c < (plan.dense ? plan.outputs : plan.num_hashes); ++c) {
    for (int v = 0; v < kVectors; ++v) hash_value(c, v * kLanes).store(y + c * kTokens + v * kLanes);
  }
  for (int32_t t = 0; t < num_tokens; ++t) {
    for (int32_t k = 0; k < plan.num_tables; ++k) {
      float z[16];
      const HashPlace place = hash_place(plan, k);
      for (int32_t j = 0; j < plan.code_bits; ++j) z[j] = y[(place.first + j * place.apart) * kTokens + t];
      probe_table(plan, z, k, t, out, scratch);
    }
  }
}

template <bool kInt8, int kVectors>
void hash_tile_of(const HashPlan& plan, const float* x, int64_t x_stride, int32_t num_tokens, HashOutput out,
                  void* scratch) {
  constexpr int64_t kTokens = kVectors * kLanes;
  Parts parts(scratch);
  const HashBuffers buffers = hash_buffers(plan, kTokens, parts);
  float* u = buffers.inputs;
  float* y = buffers.outputs;
  load_inputs<kVectors>(plan, x, x_stride, num_tokens, u);
  if constexpr (kInt8) {
    run_chains_int8<kVectors>(plan, u, y, buffers.rest);
  } else {
    for (int32_t chain = 0; chain < plan.chains; ++chain) {
      run_chain(plan, chain, u, buffers.other, y + chain * plan.outputs * kTokens, kTokens, product_tile<kVectors>);
    }
  }
  const int64_t mask = plan.width - 1;  // BH's width is a power of two
  const auto hash_value = [&](int64_t c, int64_t offset) {
    const F32 z = F32::load(y + c * kTokens + offset) + F32::set1(plan.bias[c]);
    return plan.dense ? z : fma(F32::set1(plan.keep), F32::load(u + (c & mask) * kTokens + offset), z);
  };
#if defined(LFFN_PICKS)
  if (out.picks != nullptr) return put_picks<kVectors>(plan, hash_value, y, *out.picks);
#endif
  if (plan.num_probes == 1) {
    put_own_codes<kVectors>(plan, hash_value, out);
  } else {
    put_likeliest_codes<kVectors>(plan, hash_value, num_tokens, y, out, buffers.probes);
  }
}

// Up to kCallTokens tokens.
template <bool kInt8>
inline void hash_tiles(const HashPlan& plan, const float* x, int64_t x_stride, int32_t num_tokens, HashOutput out,
                       void* scratch) {
  if constexpr (kInt8) {
    if (by_rows(plan, num_tokens, out)) return hash_rows(plan, x, x_stride, num_tokens, out, scratch);
  }
  constexpr int kMost = kInt8 ? kTileVectorsInt8 : kTileVectors;
  for (int32_t t = 0; t < num_tokens; t += kMost * kLanes) {
    const int32_t tokens = num_tokens - t < kMost * kLanes ? num_tokens - t : kMost * kLanes;
    PickOutput picks;
    HashOutput here = {out.codes + t * out.stride, out.scores + t * out.stride, out.stride};
    if (out.picks != nullptr) {
      picks = *out.picks;
      picks.codes += t;
      picks.scores += t;
      picks.score_byte_scales += t;
      here.picks = &picks;
    }
    if constexpr (kInt8) {
      if (by_rows(plan, tokens, out)) {
        hash_rows(plan, x + t * x_stride, x_stride, tokens, here, scratch);
        continue;
      }
    }
    unroll_constants<kMost>([&](auto before) {
      constexpr int kVectors = decltype(before)::value + 1;
      if ((tokens + kLanes - 1) / kLanes == kVectors) {
        hash_tile_of<kInt8, kVectors>(plan, x + t * x_stride, x_stride, tokens, here, scratch);
      }
    });
  }
}

// Not for a dense int8 projection, whose rows are as fast one by one.
template <bool kInt8>
inline void hash_one_token(const HashPlan& plan, const float* x, HashOutput out, void* scratch) {
  Parts parts(scratch);
  const HashBuffers buffers = hash_buffers(plan, 1, parts);
  float* u = buffers.inputs;
  float* y = buffers.outputs;

  if (plan.layer_norm) {
    normalise_token(plan.norm, x, u);
  } else {
    for (int64_t f = 0; f < plan.input_size; ++f) u[f] = x[f];
  }
  for (int64_t f = plan.input_size; f < plan.width; ++f) u[f] = 0;
  if constexpr (kInt8) run_chains_int8_token(plan, u, y, buffers.rest);
  for (int32_t chain = 0; chain < plan.chains; ++chain) {
    if constexpr (!kInt8) run_chain(plan, chain, u, buffers.other, y + chain * plan.outputs, 1, product_token);
    if (plan.dense) continue;
    // Adds the bias and the input's share; the columns past num_hashes have no bias and are not read.
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

  for (int64_t c = 0; plan.dense && c < plan.outputs; ++c) y[c] = y[c] + plan.bias[c];

  // One table in each lane.
  const int64_t tables = round_up(plan.num_tables, kLanes);
  float* lanes = buffers.lanes;
  for (int64_t k = 0; k < tables; ++k) {
    const HashPlace place = hash_place(plan, k < plan.num_tables ? k : 0);
    for (int32_t j = 0; j < plan.code_bits; ++j) {
      lanes[j * tables + k] = k < plan.num_tables ? y[place.first + j * place.apart] : 0.0f;
    }
  }
  if (plan.num_probes > 1) {
    for (int32_t k = 0; k < plan.num_tables; ++k) {
      float z[16];
      for (int32_t j = 0; j < plan.code_bits; ++j) z[j] = lanes[j * tables + k];
      probe_table(plan, z, k, 0, out, buffers.probes);
    }
    return;
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
