// Adding up the chosen rows, for one slab of columns and many tokens. The order of the sum is that of the tables.
#pragma once

#include "kernels/kernels.h"
#include "kernels/simd.h"

namespace lffn {
namespace {

constexpr int kStrip = 16;  // columns come in multiples of this

// Brings a share of the next tables closer with each token, so that their first reader does not wait for memory.
class Prefetcher {
 public:
  explicit Prefetcher(const GatherPlan& plan) : at_(plan.prefetch), end_(plan.prefetch + plan.prefetch_bytes) {
    step_ = plan.num_tokens == 0 ? 0 : (plan.prefetch_bytes / 64 + plan.num_tokens - 1) / plan.num_tokens;
  }
  void token() {
    for (int64_t i = 0; i < step_ && at_ < end_; ++i, at_ += 64) __builtin_prefetch(at_, 0, 2);
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  int64_t step_;
};

// The first row of sums, from float sums or, for the first tables, from the bias.
template <int kVectors>
inline void load_sums(const GatherPlan& plan, const float* sums, F32* registers) {
  const float* from = plan.first ? plan.bias : sums;
  for (int v = 0; v < kVectors; ++v) registers[v] = F32::load(from + v * kLanes);
}

// Where a token's sums go: into y, all or in part, or back into the sums.
template <int kVectors>
inline void store_sums(const GatherPlan& plan, int64_t token, float* sums, const F32* registers) {
  if (!plan.last) {
    for (int v = 0; v < kVectors; ++v) registers[v].store(sums + v * kLanes);
    return;
  }
  float* y = plan.y + token * plan.y_stride;
  if (plan.y_columns == kVectors * kLanes) {
    for (int v = 0; v < kVectors; ++v) {
      (plan.add ? F32::load(y + v * kLanes) + registers[v] : registers[v]).store(y + v * kLanes);
    }
    return;
  }
  float part[kVectors * kLanes];
  for (int v = 0; v < kVectors; ++v) registers[v].store(part + v * kLanes);
  for (int32_t c = 0; c < plan.y_columns; ++c) y[c] = plan.add ? y[c] + part[c] : part[c];
}

constexpr int32_t kRowsAhead = 8;

// Asks for the row of the table kRowsAhead tables further on.
inline void prefetch_row(const GatherPlan& plan, const uint8_t* table, const uint16_t* codes, int32_t k) {
  if (k + kRowsAhead >= plan.num_tables) return;
  const int64_t entries = static_cast<int64_t>(kRowsAhead) * plan.num_probes;
  const uint8_t* row = table + kRowsAhead * plan.table_bytes + codes[entries * plan.stride] * plan.row_bytes;
  for (int64_t i = 0; i < plan.row_bytes; i += 64) __builtin_prefetch(row + i);
}

// add_row(row, score, sums) adds score times the row at `row`.
template <int kStrips, typename AddRow>
inline void gather_floats(const GatherPlan& plan, AddRow&& add_row) {
  constexpr int kVectors = kStrips * kStrip / kLanes;
  float* sums = static_cast<float*>(plan.sums);
  Prefetcher prefetcher(plan);
  for (int64_t t = 0; t < plan.num_tokens; ++t, sums += kStrips * kStrip) {
    F32 registers[kVectors];
    load_sums<kVectors>(plan, sums, registers);
    const uint8_t* table = plan.tables;
    const uint16_t* codes = plan.codes + t;
    const float* scores = plan.scores + t;
    prefetcher.token();
    for (int32_t k = 0; k < plan.num_tables; ++k, table += plan.table_bytes) {
      if (plan.cold) prefetch_row(plan, table, codes, k);
      for (int32_t p = 0; p < plan.num_probes; ++p, codes += plan.stride, scores += plan.stride) {
        add_row(table + *codes * plan.row_bytes, F32::set1(*scores), registers);
      }
    }
    store_sums<kVectors>(plan, t, sums, registers);
  }
}

template <int kStrips>
void gather_f32_of(const GatherPlan& plan) {
  gather_floats<kStrips>(plan, [](const uint8_t* row, F32 score, F32* sums) {
    const float* values = reinterpret_cast<const float*>(row);
    for (int v = 0; v < kStrips * kStrip / kLanes; ++v) sums[v] = fma(score, F32::load(values + v * kLanes), sums[v]);
  });
}

// Picks the instance for the plan's number of columns.
#define LFFN_BY_COLUMNS(function, plan) \
  switch ((plan).columns / kStrip) {    \
    case 1:                             \
      return function<1>(plan);         \
    case 2:                             \
      return function<2>(plan);         \
    case 3:                             \
      return function<3>(plan);         \
    default:                            \
      return function<4>(plan);         \
  }

inline void gather_f32(const GatherPlan& plan) { LFFN_BY_COLUMNS(gather_f32_of, plan) }

}  // namespace
}  // namespace lffn
