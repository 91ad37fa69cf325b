// From hash values to codes and scores, several tables or tokens side by side.
#pragma once

#include "kernels/kernels.h"
#include "kernels/simd.h"

namespace lffn {
namespace {

// exp(x) for x <= 0, within 2 units in the last place; exp(-126 ln 2) for anything below.
inline F32 exp_negative(F32 x) {
  constexpr float kLog2E = 1.44269504f;
  constexpr float kRound = 12582912.0f + 127.0f;  // adding it rounds to an integer, biased as an exponent
  const F32 t = max(F32::set1(-126.0f), x * F32::set1(kLog2E));
  const F32 rounded = t + F32::set1(kRound);
  const F32 f = t - (rounded - F32::set1(kRound));
  F32 p = F32::set1(0.0013276472f);
  p = fma(p, f, F32::set1(0.0096755419f));
  p = fma(p, f, F32::set1(0.055507131f));
  p = fma(p, f, F32::set1(0.2402212f));
  p = fma(p, f, F32::set1(0.69314694f));
  p = fma(p, f, F32::set1(1.0f));
  return p * from_bits(shift_left<23>(bits(rounded)));
}

// One table in each lane. hash(j) gives the lanes' j-th hash values.
template <typename Hash>
inline void score_lanes(int32_t code_bits, bool sigmoid, Hash&& hash, I32* code, F32* score) {
  I32 bits_so_far = I32::set1(0);
  F32 sum = F32::set1(0), product = F32::set1(1);
  for (int32_t j = 0; j < code_bits; ++j) {
    const F32 z = hash(j);
    const F32 magnitude = abs(z);
    bits_so_far = (bits_so_far + bits_so_far) - positive(z);
    sum = sum + magnitude;
    product = fma(product, exp_negative(magnitude * F32::set1(-2.0f)), product);
  }
  *code = bits_so_far;
  *score = (sigmoid ? F32::set1(1.0f) : sum) / product;
}

// Four entries of as many tokens as there are lanes -> four entries side by side for each token.
inline void store_entries(const I32* codes, const F32* scores, uint16_t* code_out, float* score_out) {
  float rows[kEntryGroup][kLanes];
  int32_t words[2][kLanes];
  for (int i = 0; i < kEntryGroup; ++i) scores[i].store(rows[i]);
  (codes[0] | shift_left<16>(codes[1])).store(words[0]);
  (codes[2] | shift_left<16>(codes[3])).store(words[1]);
  for (int t = 0; t < kLanes; t += 4) {
    transpose4(rows[0] + t, rows[1] + t, rows[2] + t, rows[3] + t, score_out + t * kEntryGroup, kEntryGroup);
  }
  for (int t = 0; t < kLanes; ++t) {
    const uint64_t both = static_cast<uint32_t>(words[0][t]) | static_cast<uint64_t>(static_cast<uint32_t>(words[1][t]))
                                                                   << 32;
    __builtin_memcpy(code_out + t * kEntryGroup, &both, sizeof both);
  }
}

}  // namespace
}  // namespace lffn
