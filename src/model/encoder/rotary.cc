// SPDX-License-Identifier: Apache-2.0
#include "model/encoder/rotary.h"

#include <algorithm>

#include "runtime/own_math.h"

namespace lffn {
namespace {

// Texts are seldom longer; the angles of longer ones take less than a hundredth of their time.
constexpr int64_t kReady = 512;
constexpr int64_t kPositionsPerItem = 128;

int64_t ready_positions(const ModelConfig& config) { return std::min(config.max_tokens(), kReady); }

// The kinds of positions that layers have, each once.
std::vector<const RotaryConfig*> kinds_of(const ModelConfig& config) {
  std::vector<const RotaryConfig*> kinds;
  for (const LayerDescription& layer : config.layers) {
    const auto same = [&](const RotaryConfig* kind) { return *kind == layer.rotary; };
    if (layer.rotates && std::none_of(kinds.begin(), kinds.end(), same)) kinds.push_back(&layer.rotary);
  }
  return kinds;
}

size_t table_bytes(size_t kinds, int64_t positions, int64_t head_size) {
  return checked_product(checked_product(kinds, static_cast<size_t>(positions)),
                         static_cast<size_t>(head_size) * sizeof(float));
}

}  // namespace

size_t Rotations::bytes_for(const ModelConfig& config) {
  return table_bytes(kinds_of(config).size(), ready_positions(config), config.head_size);
}

Rotations::Rotations(const ModelConfig& config) : head_size_(config.head_size), ready_(ready_positions(config)) {
  const std::vector<const RotaryConfig*> kinds = kinds_of(config);
  if (kinds.empty()) return;
  for (const RotaryConfig* kind : kinds) kinds_.push_back(rotary_frequencies(*kind, head_size_));
  for (const LayerDescription& layer : config.layers) {
    const auto same = [&](const RotaryConfig* kind) { return *kind == layer.rotary; };
    kind_of_layer_.push_back(static_cast<size_t>(std::find_if(kinds.begin(), kinds.end(), same) - kinds.begin()));
  }
  table_ = Memory(bytes_for(config));
  float* row = table_.as<float>();
  for (size_t kind = 0; kind < kinds_.size(); ++kind) {
    for (int64_t p = 0; p < ready_; ++p, row += head_size_) fill(kind, p, row);
  }
}

// The models' own code rounds each angle to float32, and so do we: far into a text, rounding changes the angle.
void Rotations::fill(size_t kind, int64_t position, float* row) const {
  const int64_t half = head_size_ / 2;
  for (int64_t i = 0; i < half; ++i) {
    const float angle = static_cast<float>(position) * kinds_[kind][static_cast<size_t>(i)];
    const SineCosine turned = own_sine_cosine(double{angle});
    row[i] = static_cast<float>(turned.cosine);
    row[half + i] = static_cast<float>(turned.sine);
  }
}

size_t Rotations::call_bytes(int64_t longest) const {
  return longest <= ready_ ? 0 : table_bytes(kinds_.size(), longest, head_size_);
}

void Rotations::prepare(const Workers& workers, int64_t longest, float* call_table) const {
  if (empty() || longest <= ready_) return;
  const int64_t shares = (longest + kPositionsPerItem - 1) / kPositionsPerItem;
  workers.run(shares * static_cast<int64_t>(kinds_.size()), workers.threads, [&](int64_t item, int32_t) {
    const int64_t kind = item / shares, first = item % shares * kPositionsPerItem;
    for (int64_t p = first; p < std::min(longest, first + kPositionsPerItem); ++p) {
      fill(static_cast<size_t>(kind), p, call_table + (kind * longest + p) * head_size_);
    }
  });
}

const float* Rotations::of_layer(size_t layer, int64_t longest, const float* call_table) const {
  if (empty()) return nullptr;
  const auto kind = static_cast<int64_t>(kind_of_layer_[layer]);
  return longest <= ready_ ? table_.as<float>() + kind * ready_ * head_size_ : call_table + kind * longest * head_size_;
}

}  // namespace lffn
