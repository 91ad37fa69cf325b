// SPDX-License-Identifier: Apache-2.0
// What a config says of the distances that attention knows, and which bucket each is in.
#pragma once

#include <cstdint>
#include <vector>

#include "format/json_object.h"
#include "model/families/family.h"

namespace lffn {

struct DistanceConfig {
  Distances kind = Distances::kNone;  // kNone also where the config does without
  int64_t rows = 0;                   // of the table
  bool has_norm = false;              // of the table's rows, whether they are used or not

  // The rest is of disentangled attention.
  int64_t span = 0;          // half of the rows: distances in one direction
  int32_t buckets = 0;       // "position_buckets"; 0: each distance has its own, up to span
  int64_t most = 0;          // the distance that the last bucket ends with
  bool to_places = false;    // "c2p": queries see vectors of distances
  bool of_places = false;    // "p2c": keys do
  bool shares_keys = false;  // the vectors go through the queries' and keys' own linear layers
  int32_t score_terms = 1;   // of a pair of tokens, as scores are scaled for
};

// Throws as parse_model_config does.
DistanceConfig read_distances(const JsonObject& object, const Family& family, int64_t max_position_embeddings);

// From which distance on tokens are in which bucket: the first distance for each, ascending. Of kBuckets it is the same
// in both directions; of kDisentangled there is one more than config.span.
std::vector<int64_t> first_distances(const DistanceConfig& config);

}  // namespace lffn
