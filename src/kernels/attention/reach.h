// SPDX-License-Identifier: Apache-2.0
// Which keys the queries of a tile see. Keys that none of them sees are not visited. A query's numbers come only from
// the keys that it sees, so they do not depend on what else is in its tile.
#pragma once

#include "kernels/attention/attention_places.h"
#include "kernels/kernels.h"

namespace lffn {
namespace {

inline int64_t within(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

// Numbers from `begin` to before `end`.
struct Range {
  int64_t begin, end;
};

// The keys that one query sees, by its number in its sequence.
inline Range keys_of(const AttentionPlan& plan, int64_t query) {
  if (!plan.limited) return {0, plan.num_keys};
  const int64_t begin = query - plan.before, end = query + plan.after + 1;
  return {begin > 0 ? begin : 0, end < plan.num_keys ? end : plan.num_keys};
}

// The whole blocks of keys that some queries see, from the plan's query `first` on.
inline Range blocks_of(const AttentionPlan& plan, int64_t first, int64_t queries) {
  const int64_t query = plan.first_query + first;
  return {keys_of(plan, query).begin / kKeyBlock * kKeyBlock, keys_of(plan, query + queries - 1).end};
}

// Of these queries, counted from `first`, those that see any of the keys of a block.
inline Range queries_of(const AttentionPlan& plan, int64_t first, int64_t queries, int64_t key, int64_t keys) {
  if (!plan.limited) return {0, queries};
  const int64_t query = plan.first_query + first;
  return {within(key - plan.after - query, 0, queries), within(key + keys + plan.before - query, 0, queries)};
}

// The keys of a block that any of these queries sees, counted from the block's first. Each of the queries must see some
// of them.
inline Range keys_in_block(const AttentionPlan& plan, int64_t first, int64_t queries, int64_t key, int64_t keys) {
  const int64_t query = plan.first_query + first;
  return {within(keys_of(plan, query).begin - key, 0, keys),
          within(keys_of(plan, query + queries - 1).end - key, 0, keys)};
}

// Sets to `value` the scores of one query with keys of a block that are in `visited` but that it does not see.
inline void put_unseen(const AttentionPlan& plan, int64_t query, int64_t key, Range visited, float value,
                       float* scores) {
  const Range seen = keys_of(plan, query);
  const int64_t begin = within(seen.begin - key, visited.begin, visited.end);
  const int64_t end = within(seen.end - key, begin, visited.end);
  for (int64_t k = visited.begin; k < begin; ++k) scores[k] = value;
  for (int64_t k = end; k < visited.end; ++k) scores[k] = value;
}

}  // namespace
}  // namespace lffn
