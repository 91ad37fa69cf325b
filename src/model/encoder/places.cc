// SPDX-License-Identifier: Apache-2.0
#include "model/encoder/places.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lffn {
namespace {

constexpr int64_t kRowsAtOnce = 64;  // of the table, on their way through a linear layer

int64_t distances_row(const ModelConfig& config) { return 2 * config.max_tokens() - 1 + kPanel; }

size_t panels_bytes(const ModelConfig& config, size_t layer) {
  const size_t padded = static_cast<size_t>(round_up(config.distances.rows, kPanel));
  return checked_product(checked_product(padded, static_cast<size_t>(config.layers[layer].query_size())),
                         sizeof(float));
}

}  // namespace

size_t Places::bytes_for(const ModelConfig& config) {
  const DistanceConfig& distances = config.distances;
  if (distances.kind == Distances::kBuckets) {
    const auto row = static_cast<size_t>(distances_row(config));
    return checked_product(checked_product(row, static_cast<size_t>(config.num_heads)), sizeof(float));
  }
  size_t bytes = 0;
  if (distances.kind != Distances::kDisentangled) return bytes;
  for (size_t i = 0; i < config.layers.size(); ++i) {
    bytes += panels_bytes(config, i) * ((distances.to_places ? 1 : 0) + (distances.of_places ? 1 : 0));
  }
  return bytes + (static_cast<size_t>(distances.span) + 1) * sizeof(int64_t);
}

size_t Places::bytes() const {
  size_t bytes = by_distance_.size();
  for (const std::vector<Memory>* side : {&keys_, &queries_}) {
    for (const Memory& memory : *side) bytes += memory.size();
  }
  return bytes + (kind_ == Distances::kDisentangled ? firsts_.size() * sizeof(int64_t) : 0);
}

size_t Places::layer_bytes(size_t layer) const {
  return keys_.empty() ? 0 : keys_[layer].size() + queries_[layer].size();
}

Places::Places(const ModelConfig& config, const Weights& weights, const Workers& workers)
    : kind_(config.distances.kind), span_(config.distances.span), head_size_(config.head_size) {
  if (empty()) return;
  firsts_ = first_distances(config.distances);
  if (kind_ == Distances::kBuckets) {
    spread_buckets(config, weights.distances);
    return;
  }
  for (size_t layer = 0; layer < weights.layers.size(); ++layer) pack_layer(config, weights, layer, workers);
}

// A key behind its query has the buckets of the second half.
void Places::spread_buckets(const ModelConfig& config, const Floats& table) {
  const int64_t heads = config.num_heads, middle = config.max_tokens() - 1;
  const auto direction = static_cast<int64_t>(firsts_.size());
  row_ = distances_row(config);
  by_distance_ = Memory(bytes_for(config));
  std::memset(by_distance_.data(), 0, by_distance_.size());
  // The scale is applied to scores after this is added.
  const float unscaled = std::sqrt(static_cast<float>(head_size_));
  for (int64_t h = 0; h < heads; ++h) {
    float* const row = by_distance_.as<float>() + h * row_ + middle;
    for (int64_t n = 0, bucket = 0; n <= middle; ++n) {
      while (bucket + 1 < direction && firsts_[static_cast<size_t>(bucket + 1)] <= n) ++bucket;
      row[-n] = table.data()[bucket * heads + h] * unscaled;
      if (n > 0) row[n] = table.data()[(direction + bucket) * heads + h] * unscaled;
    }
  }
}

// Runs the table's rows through the layer's own linear layers for distances, or through those of its queries and keys.
void Places::pack_layer(const ModelConfig& config, const Weights& weights, size_t number, const Workers& workers) {
  const DistanceConfig& distances = config.distances;
  const LayerWeights& layer = weights.layers[number];
  const int64_t d = config.hidden_size, heads = config.layers[number].heads, a = config.layers[number].query_size();
  keys_.emplace_back();
  queries_.emplace_back();
  if (a == 0) return;
  struct Side {
    bool wanted;
    const Linear* own;
    int64_t column;  // of the linear layer that serves queries, keys and values
    Memory* panels;
  };
  const Side sides[] = {{distances.to_places, &layer.distance_key, a, &keys_.back()},
                        {distances.of_places, &layer.distance_query, 0, &queries_.back()}};
  std::vector<float> rows(static_cast<size_t>(kRowsAtOnce * d)), out(static_cast<size_t>(kRowsAtOnce * 3 * a));
  const int64_t packed_stride = Linear::packed_cells(d);
  std::vector<int32_t> packed(
      static_cast<size_t>(std::max(kRowsAtOnce * packed_stride, workers.threads * Linear::widened_cells(d))));
  for (const Side& side : sides) {
    if (!side.wanted) continue;
    *side.panels = Memory(panels_bytes(config, number));
    const Linear& linear = distances.shares_keys ? layer.query_key_value : *side.own;
    const int64_t column = distances.shares_keys ? side.column : 0;
    for (int64_t first = 0; first < distances.rows; first += kRowsAtOnce) {
      const int64_t count = std::min(kRowsAtOnce, distances.rows - first);
      std::memcpy(rows.data(), weights.distances.data() + first * d, static_cast<size_t>(count * d) * sizeof(float));
      Linear::Call call;
      call.in = {rows.data(), d};
      call.rows = count;
      if (distances.has_norm) {
        call.norm = &weights.distance_norm;
        call.normed = call.in;
      }
      call.packed = {packed.data(), packed_stride};
      call.out = {out.data(), linear.outputs()};
      linear.run(workers, call);
      for (int64_t h = 0; h < heads; ++h) {
        float* const panels = side.panels->as<float>() + h * round_up(distances.rows, kPanel) * head_size_;
        workers.kernels.lay_panels(out.data() + column + h * head_size_, linear.outputs(), count, head_size_,
                                   panels + first * head_size_);
      }
    }
  }
}

size_t Places::call_bytes(int64_t longest) const {
  if (kind_ != Distances::kDisentangled) return 0;
  return checked_product(static_cast<size_t>(2 * longest - 1), sizeof(int32_t));
}

void Places::prepare(int64_t longest, int32_t* places) const {
  if (kind_ != Distances::kDisentangled) return;
  int32_t* const middle = places + longest - 1;
  for (int64_t n = 0, bucket = 0; n < longest; ++n) {
    while (bucket < span_ && firsts_[static_cast<size_t>(bucket + 1)] <= n) ++bucket;
    middle[n] = static_cast<int32_t>(span_ - bucket);
    middle[-n] = static_cast<int32_t>(std::min(span_ + bucket, 2 * span_ - 1));
  }
}

void Places::fill(size_t layer, int64_t head, int64_t longest, const int32_t* places, AttentionPlan& plan) const {
  if (kind_ == Distances::kBuckets) plan.by_distance = by_distance_.as<float>() + head * row_ + (row_ - kPanel) / 2;
  if (kind_ != Distances::kDisentangled) return;
  const int64_t panels = head * round_up(num_places(), kPanel) * head_size_;
  plan.places = places + longest - 1;
  plan.num_places = num_places();
  if (keys_[layer].size() != 0) plan.place_keys = keys_[layer].as<float>() + panels;
  if (queries_[layer].size() != 0) plan.place_queries = queries_[layer].as<float>() + panels;
}

}  // namespace lffn
