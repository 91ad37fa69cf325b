// SPDX-License-Identifier: Apache-2.0
// What a config says of the distances that attention knows, and which bucket each is in.
#pragma once

#include <cstdint>
#include <vector>

#include "format/json_object.h"
#include "model/families/family.h"

namespace lffn {

struct DistanceConfig {
  Distances kind = Distances::kNone;  // kNone also if the config turns distances off
  int64_t rows = 0;                   // of the table
  bool has_norm = false;              // the table's rows have a layer norm, used or not

  // The rest is for disentangled attention.
  int64_t span = 0;          // half of the rows: distances in one direction
  int32_t buckets = 0;       // "position_buckets"; 0: each distance has its own, up to span
  int64_t most = 0;          // the distance that the last bucket ends with
  bool to_places = false;    // "c2p": queries see vectors of distances
  bool of_places = false;    // "p2c": keys do
  bool shares_keys = false;  // the vectors go through the queries' and keys' own linear layers
  int32_t score_terms = 1;   // how many terms make a score; the scale depends on it
};

// Throws as parse_model_config does.
DistanceConfig read_distances(const JsonObject& object, const Family& family, int64_t max_position_embeddings);

// The first distance of each bucket, ascending. With kBuckets they are the same in both directions; with kDisentangled
// there is one more than config.span.
std::vector<int64_t> first_distances(const DistanceConfig& config);

}  // namespace lffn
