// SPDX-License-Identifier: Apache-2.0
// More than one code per table: the likeliest few among all 2^tau, without looking at all of them.
#pragma once

#include "kernels/hash/score.h"
#include "kernels/kernels.h"
#include "runtime/layout.h"

namespace lffn {
namespace {

// A code, as far as its bits are decided, and the sum of |z| over the bits where it is not the token's own.
struct Probe {
  double cost;
  uint32_t code;
};

inline bool before(const Probe& a, const Probe& b) { return a.cost < b.cost || (a.cost == b.cost && a.code < b.code); }

// The `wanted` cheapest codes for the hash values z, cheapest first, and the lower code first where costs are equal. It
// goes bit by bit: the beginning of a code can be dropped if `wanted` others beat it, since whatever follows it could
// follow them. Returns where in `lists`, which has room for 2 * wanted, the codes are.
inline const Probe* cheapest_codes(const float* z, int32_t code_bits, int32_t wanted, Probe* lists) {
  Probe* from = lists;
  Probe* to = lists + wanted;
  from[0] = {0.0, 0};
  int32_t count = 1;
  for (int32_t j = 0; j < code_bits; ++j) {
    const uint32_t own = z[j] > 0 ? 1 : 0;
    double flip = z[j] < 0 ? -static_cast<double>(z[j]) : static_cast<double>(z[j]);
    if (!(flip >= 0)) flip = __builtin_inf();  // NaN would leave the order undefined
    const int32_t merged = 2 * count < wanted ? 2 * count : wanted;
    int32_t kept = 0, flipped = 0;
    for (int32_t i = 0; i < merged; ++i) {
      const Probe keep = {kept < count ? from[kept].cost : 0, 2 * (kept < count ? from[kept].code : 0) + own};
      const Probe other = {(flipped < count ? from[flipped].cost : 0) + flip,
                           2 * (flipped < count ? from[flipped].code : 0) + 1 - own};
      if (flipped >= count || (kept < count && before(keep, other))) {
        to[i] = keep;
        ++kept;
      } else {
        to[i] = other;
        ++flipped;
      }
    }
    count = merged;
    Probe* swap = from;
    from = to;
    to = swap;
  }
  return from;
}

// Bytes of scratch for probe_table.
inline size_t probe_scratch(int32_t num_probes) {
  return 2 * static_cast<size_t>(num_probes) * sizeof(Probe) +
         2 * static_cast<size_t>(round_up(num_probes, kLanes)) * sizeof(float);
}

// The codes and scores of one table and token, whose hash values are z. Not inlined, because many forms of hashes need
// it.
__attribute__((noinline)) inline void probe_table(const HashPlan& plan, const float* z, int32_t table, int32_t token,
                                                  const HashOutput& out, void* scratch) {
  const int32_t wanted = plan.num_probes;
  const Probe* probes = cheapest_codes(z, plan.code_bits, wanted, static_cast<Probe*>(scratch));
  float* exponents = reinterpret_cast<float*>(static_cast<Probe*>(scratch) + 2 * wanted);
  float* weights = exponents + round_up(wanted, kLanes);
  double sum = 0;
  for (int32_t j = 0; j < plan.code_bits; ++j) sum += z[j] < 0 ? -static_cast<double>(z[j]) : static_cast<double>(z[j]);
  for (int32_t i = 0; i < round_up(wanted, kLanes); ++i) {
    exponents[i] = i < wanted ? static_cast<float>(-2 * probes[i].cost) : 0.0f;
  }
  I32 code;
  F32 likeliest;  // the probability of the token's own code
  score_lanes<1>(
      plan.code_bits, true, [&](int32_t j, int) { return F32::set1(z[j]); }, &code, &likeliest);
  for (int32_t i = 0; i < wanted; i += kLanes) (exp_negative(F32::load(exponents + i)) * likeliest).store(weights + i);
  for (int32_t i = 0; i < wanted; ++i) {
    const int64_t at = token * out.stride + static_cast<int64_t>(table) * wanted + i;
    out.codes[at] = static_cast<uint16_t>(probes[i].code);
    out.scores[at] =
        plan.sigmoid ? weights[i] : static_cast<float>((sum - 2 * probes[i].cost) * static_cast<double>(weights[i]));
  }
}

}  // namespace
}  // namespace lffn
