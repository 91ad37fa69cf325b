// SPDX-License-Identifier: Apache-2.0
// What the distances of queries and keys add to their scores: a number for each distance, or the products of queries
// and keys with the vectors of places, to which distances are mapped.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear/linear.h"
#include "kernels/linear/parts.h"
#include "kernels/simd/simd.h"
#include "runtime/layout.h"

namespace lffn {
namespace {

constexpr int64_t kQueryTile = 24;
// The sums are rescaled after each block of so many keys, whatever the instruction set.
constexpr int64_t kKeyBlock = 128;

struct PlaceScores {
  int64_t stride;
  float* of_queries;  // [kQueryTile][stride]
  float* of_keys;     // [num_keys][stride]
};

inline int64_t place_stride(int64_t num_places) {
  return num_places == 0 ? 0 : round_up(num_places, kPanel) + kPanel;  // no power of two
}

inline PlaceScores lay_out_places(int64_t num_keys, int64_t num_places, Parts& parts) {
  PlaceScores s;
  s.stride = place_stride(num_places);
  s.of_queries = parts.take<float>(kQueryTile * s.stride);
  s.of_keys = parts.take<float>(num_keys * s.stride);
  return s;
}

inline void add_by_distance(const AttentionPlan& plan, float* scores, int64_t first_query, int64_t queries,
                            int64_t first_key, int64_t keys) {
  for (int64_t q = 0; q < queries; ++q) {
    const float* from = plan.by_distance + first_key - (plan.first_query + first_query + q);
    float* row = scores + q * kKeyBlock;
    for (int64_t k = 0; k < keys; k += kLanes) (F32::load(row + k) + F32::load(from + k)).store(row + k);
  }
}

// The products of some rows with the vectors of all places from one place to the other.
inline void score_places(const float* rows, int64_t stride, int64_t count, int64_t head_size, const float* panels,
                         int64_t place, int64_t other, float* out, int64_t out_stride) {
  const int64_t first = (place < other ? place : other) / kPanel, last = (place < other ? other : place) / kPanel;
  for (int64_t p = first; p <= last; ++p) {
    const float* panel = panels + p * kPanel * head_size;
    const Ahead ahead = p < last ? ahead_of<1>(panel + kPanel * head_size, 0, head_size, count) : Ahead();
    linear_rows<FloatProduct, 1>(rows, stride, count, head_size, panel, 0, true, out + p * kPanel, out_stride, ahead);
  }
}

inline void score_query_places(const AttentionPlan& plan, const PlaceScores& s, int64_t first_query, int64_t queries) {
  const int64_t first = plan.first_query + first_query, last = first + queries - 1;
  score_places(plan.queries + first_query * plan.stride, plan.stride, queries, plan.head_size, plan.place_keys,
               plan.places[-last], plan.places[plan.num_keys - 1 - first], s.of_queries, s.stride);
}

inline void score_key_places(const AttentionPlan& plan, const PlaceScores& s) {
  const int64_t first = plan.first_query, last = first + plan.num_queries - 1;
  score_places(plan.keys, plan.stride, plan.num_keys, plan.head_size, plan.place_queries, plan.places[-last],
               plan.places[plan.num_keys - 1 - first], s.of_keys, s.stride);
}

inline void add_place_scores(const AttentionPlan& plan, const PlaceScores& s, float* scores, int64_t first_query,
                             int64_t queries, int64_t first_key, int64_t keys) {
  for (int64_t q = 0; q < queries; ++q) {
    const int32_t* places = plan.places + first_key - (plan.first_query + first_query + q);
    float* row = scores + q * kKeyBlock;
    if (plan.place_keys != nullptr) {
      const float* from = s.of_queries + q * s.stride;
      for (int64_t k = 0; k < keys; ++k) row[k] += from[places[k]];
    }
    if (plan.place_queries != nullptr) {
      const float* from = s.of_keys + first_key * s.stride;
      for (int64_t k = 0; k < keys; ++k, from += s.stride) row[k] += from[places[k]];
    }
  }
}

}  // namespace
}  // namespace lffn
