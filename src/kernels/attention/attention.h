// SPDX-License-Identifier: Apache-2.0
// Attention of one head: scores, softmax and sums over a block of keys at a time, so that memory grows with the number
// of keys only by their copy in panels.
#pragma once

#include "kernels/attention/attention_places.h"
#include "kernels/attention/reach.h"
#include "kernels/kernels.h"
#include "kernels/linear/linear.h"
#include "kernels/linear/panels.h"
#include "kernels/linear/parts.h"
#include "kernels/simd/exponential.h"
#include "kernels/simd/reduce.h"
#include "kernels/simd/simd.h"
#include "runtime/layout.h"

namespace lffn {
namespace {

struct AttentionScratch {
  float* key_panels;    // [panels of keys][head_size][kPanel]
  float* value_panels;  // [panels of the head][num_keys][kPanel]
  float* scores;        // [kQueryTile][kKeyBlock]
  float* sums;          // [kQueryTile][head_size in whole panels]
  PlaceScores places;
};

inline AttentionScratch lay_out(int64_t num_keys, int64_t head_size, int64_t num_places, Parts& parts) {
  AttentionScratch s;
  s.key_panels = parts.take<float>(round_up(num_keys, kPanel) * head_size);
  s.value_panels = parts.take<float>(round_up(head_size, kPanel) * num_keys);
  s.scores = parts.take<float>(kQueryTile * kKeyBlock);
  s.sums = parts.take<float>(kQueryTile * round_up(head_size, kPanel));
  s.places = lay_out_places(num_keys, num_places, parts);
  return s;
}

inline size_t attention_scratch(int64_t num_keys, int64_t head_size, int64_t num_places) {
  Parts parts(nullptr);
  lay_out(num_keys, head_size, num_places, parts);
  return parts.size();
}

// values[keys][columns] -> [panels][keys][kPanel], columns beyond the head zero.
inline void copy_values(const AttentionPlan& plan, float* panels) {
  for (int64_t p = 0; p < plan.head_size; p += kPanel) {
    for (int64_t k = 0; k < plan.num_keys; ++k, panels += kPanel) {
      const float* value = plan.values + k * plan.stride + p;
      if (p + kPanel <= plan.head_size) {
        for (int v = 0; v < kPanelVectors; ++v) F32::load(value + v * kLanes).store(panels + v * kLanes);
      } else {
        for (int64_t c = 0; c < kPanel; ++c) panels[c] = p + c < plan.head_size ? value[c] : 0.0f;
      }
    }
  }
}

// Room for a tile's queries, and for whole vectors of any width from any of them on.
constexpr int64_t kQuerySlots = kQueryTile + kPanel;

// What each query's softmax has seen so far.
struct Softmax {
  float largest[kQuerySlots];  // of its scores
  float sum[kQuerySlots];      // of exp(score - largest)
  float factor[kQuerySlots];   // by which earlier sums are scaled
};

// Turns the scores of queries from `from` on into weights relative to the query's largest score so far. The state of
// the queries behind these is overwritten: they have not begun.
inline void soften(float* scores, int64_t from, int64_t queries, int64_t keys, float scale, bool first,
                   Softmax* softmax) {
  struct {
    float *largest, *sum, *factor;
  } const state = {softmax->largest + from, softmax->sum + from, softmax->factor + from};
  const int64_t padded = round_up(keys, kPanel);
  alignas(64) float partial[kQuerySlots * kPartialSums];
  for (int64_t q = 0; q < queries; ++q) {
    float* row = scores + q * kKeyBlock;
    for (int64_t k = keys; k < padded; ++k) row[k] = -__builtin_inff();
    F32 highest[kPanelVectors];
    for (int v = 0; v < kPanelVectors; ++v) highest[v] = F32::load(row + v * kLanes);
    for (int64_t k = kPanel; k < padded; k += kPanel) {
      for (int v = 0; v < kPanelVectors; ++v) highest[v] = max(highest[v], F32::load(row + k + v * kLanes));
    }
    for (int v = 0; v < kPanelVectors; ++v) highest[v].store(partial + q * kPartialSums + v * kLanes);
  }
  reduce_rows(partial, queries, [&](F32* columns, int64_t q) LFFN_INLINE {
    F32 largest = columns[0];
    for (int p = 1; p < kPartialSums; ++p) largest = max(largest, columns[p]);
    largest = largest * F32::set1(scale);
    F32 factor = F32::set1(0);
    if (!first) {
      const F32 before = F32::load(state.largest + q);
      largest = max(largest, before);
      factor = exp_negative(before - largest);
    }
    largest.store(state.largest + q);
    factor.store(state.factor + q);
  });
  for (int64_t q = 0; q < queries; ++q) {
    float* row = scores + q * kKeyBlock;
    const F32 lowered = F32::set1(-state.largest[q]);
    F32 sums[kPanelVectors];
    for (F32& sum : sums) sum = F32::set1(0);
    for (int64_t k = 0; k < padded; k += kPanel) {
      for (int v = 0; v < kPanelVectors; ++v) {
        // The padding's weights are below half a unit in the last place of any sum.
        const F32 weight = exp_negative(fma(F32::load(row + k + v * kLanes), F32::set1(scale), lowered));
        weight.store(row + k + v * kLanes);
        sums[v] = sums[v] + weight;
      }
    }
    for (int v = 0; v < kPanelVectors; ++v) sums[v].store(partial + q * kPartialSums + v * kLanes);
  }
  reduce_rows(partial, queries, [&](F32* columns, int64_t q) LFFN_INLINE {
    const F32 total = add_up(columns);
    (first ? total : fma(F32::load(state.sum + q), F32::load(state.factor + q), total)).store(state.sum + q);
  });
}

// Some queries of a tile and one block of keys; `first`: they saw no key before.
inline void attend_block(const AttentionPlan& plan, const AttentionScratch& s, int64_t first_query, Range mine,
                         int64_t key, int64_t keys, bool first, Softmax* state) {
  const int64_t queries = mine.end - mine.begin, columns = round_up(plan.head_size, kPanel);
  if (queries <= 0) return;
  first_query += mine.begin;
  const float* in = plan.queries + first_query * plan.stride;
  Range seen = keys_in_block(plan, first_query, queries, key, keys);
  seen.begin = seen.begin / kPanel * kPanel;
  float* const scores = s.scores + mine.begin * kKeyBlock;
  for (int64_t p = seen.begin; p < seen.end; p += kPanel) {
    const float* panel = s.key_panels + (key + p) * plan.head_size;
    const float* next = p + kPanel < seen.end ? panel + kPanel * plan.head_size : s.value_panels + key * kPanel;
    linear_rows<FloatProduct, 1>(in, plan.stride, queries, plan.head_size, panel, 0, true, scores + p, kKeyBlock,
                                 ahead_of<1>(next, 0, plan.head_size, queries));
  }
  if (plan.by_distance != nullptr) add_by_distance(plan, scores, first_query, queries, key, keys);
  if (plan.places != nullptr) add_place_scores(plan, s.places, scores, first_query, queries, key, keys);
  const auto put = [&](float value) {
    for (int64_t q = 0; plan.limited && q < queries; ++q) {
      put_unseen(plan, plan.first_query + first_query + q, key, seen, value, scores + q * kKeyBlock);
    }
  };
  put(-__builtin_inff());
  soften(scores + seen.begin, mine.begin, queries, seen.end - seen.begin, plan.scale, first, state);
  put(0);
  float* const block_sums = s.sums + mine.begin * columns;
  for (int64_t q = 0; q < queries && !first; ++q) {
    const F32 factor = F32::set1(state->factor[mine.begin + q]);
    float* sums = block_sums + q * columns;
    for (int64_t c = 0; c < columns; c += kLanes) (F32::load(sums + c) * factor).store(sums + c);
  }
  const int64_t depth = seen.end - seen.begin;
  for (int64_t p = 0; p < columns; p += kPanel) {
    const float* panel = s.value_panels + p * plan.num_keys + (key + seen.begin) * kPanel;
    linear_rows<FloatProduct, 1>(static_cast<const float*>(scores + seen.begin), kKeyBlock, queries, depth, panel, 0,
                                 first, block_sums + p, columns,
                                 ahead_of<1>(panel + kPanel * plan.num_keys, 0, depth, queries));
  }
}

inline void attend_tile(const AttentionPlan& plan, const AttentionScratch& s, int64_t first_query, int64_t queries) {
  const int64_t columns = round_up(plan.head_size, kPanel);
  Softmax state;
  if (plan.place_keys != nullptr) score_query_places(plan, s.places, first_query, queries);
  const Range blocks = blocks_of(plan, first_query, queries);
  int64_t begun = 0;  // queries that have seen a key
  for (int64_t k = blocks.begin; k < blocks.end; k += kKeyBlock) {
    const int64_t keys = plan.num_keys - k < kKeyBlock ? plan.num_keys - k : kKeyBlock;
    const Range mine = queries_of(plan, first_query, queries, k, keys);
    attend_block(plan, s, first_query, {mine.begin, begun < mine.end ? begun : mine.end}, k, keys, false, &state);
    attend_block(plan, s, first_query, {begun > mine.begin ? begun : mine.begin, mine.end}, k, keys, true, &state);
    begun = begun > mine.end ? begun : mine.end;
  }
  for (int64_t q = 0; q < queries; ++q) {
    const float share = 1.0f / state.sum[q];
    const float* sums = s.sums + q * columns;
    float* out = plan.out + (first_query + q) * plan.out_stride;
    for (int64_t c = 0; c < plan.head_size; ++c) out[c] = sums[c] * share;
  }
}

inline void attend(const AttentionPlan& plan, void* scratch) {
  Parts parts(scratch);
  const AttentionScratch s = lay_out(plan.num_keys, plan.head_size, plan.num_places, parts);
  if (!plan.packed) {
    lay_panels(plan.keys, plan.stride, plan.num_keys, plan.head_size, s.key_panels);
    copy_values(plan, s.value_panels);
    if (plan.place_queries != nullptr) score_key_places(plan, s.places);
  }
  for (int64_t q = 0; q < plan.num_queries; q += kQueryTile) {
    attend_tile(plan, s, q, plan.num_queries - q < kQueryTile ? plan.num_queries - q : kQueryTile);
  }
}

}  // namespace
}  // namespace lffn
