// SPDX-License-Identifier: Apache-2.0
#include "train/train.h"

#include <algorithm>

#include "lookupffn/layer.h"
#include "runtime/memory.h"
#include "runtime/threads.h"
#include "train/train_projection.h"
#include "train/train_tables.h"

namespace lffn {
namespace {

// For the weights that come before the tables, sums over tokens are made of at most this many partial sums.
constexpr int64_t kMaxParts = 16;
constexpr int64_t kStats = 2;  // of a token's layer norm

Memory floats(int64_t a, int64_t b = 1) {
  return Memory(checked_product(checked_product(static_cast<size_t>(a), static_cast<size_t>(b)), sizeof(float)));
}

int64_t tiles(int64_t tokens) { return (tokens + kTrainTile - 1) / kTrainTile; }

// Floats of scratch for one token's scores: its hash values in whole panels.
int64_t score_scratch(const TrainShape& shape) { return round_up(shape.num_hashes, kPanel); }

// The rows that go into the projection: normalised, padded with zeros.
void make_inputs(const TrainCall& call, const TrainShape& shape, const float* x, int64_t tokens, float* u,
                 float* stats) {
  const int64_t size = call.config.hidden_size;
  for (int64_t t = 0; t < tokens; ++t) {
    float* row = u + t * shape.width_in;
    if (call.config.layer_norm) {
      call.kernels.normalise(x + t * size, size, call.config.layer_norm_eps, call.weights.norm_gain,
                             call.weights.norm_shift, row, stats + t * kStats);
    } else {
      std::copy_n(x + t * size, size, row);
    }
    std::fill(row + size, row + shape.width_in, 0.0f);
  }
}

void score_tile(const TrainCall& call, const TrainShape& shape, const float* z, int64_t first, int64_t tokens,
                const TrainEntries& entries, float* scratch) {
  const LayerConfig& config = call.config;
  for (int64_t t = 0; t < tokens; ++t) {
    call.kernels.score(z + t * shape.num_hashes, config.num_tables, config.code_bits(),
                       config.activation == LFFN_ACTIVATION_SIGMOID, entries.codes.as<uint16_t>() + first + t,
                       entries.scores.as<float>() + first + t, entries.stride, scratch);
  }
}

// How the sums over a part of the tokens lie: for the packed weights, the hash bias, the norm's gain and shift.
struct Sums {
  explicit Sums(const LayerConfig& config, const TrainShape& shape)
      : weights(shape.num_blocks() * shape.block_size()),
        bias(weights + shape.num_hashes),
        gain(bias + config.hidden_size),
        total(gain + config.hidden_size) {}
  int64_t weights, bias, gain, total;  // where each ends
};

struct BackwardTile {
  const TrainCall& call;
  const TrainProjection& projection;
  const float* z;
  const float* score_grads;  // [table][token]
  float* grad_x;             // may be nullptr

  int64_t scratch_size() const {
    const TrainShape& shape = projection.shape();
    return kTrainTile * (2 * shape.width_in + shape.num_hashes + kStats) + projection.backward_scratch() +
           score_scratch(shape);
  }

  void run(int64_t first, int64_t tokens, const Sums& layout, float* sums, bool add, float* scratch) const {
    const TrainShape& shape = projection.shape();
    const LayerConfig& config = call.config;
    const int64_t size = config.hidden_size;
    float* u = scratch;
    float* du = u + kTrainTile * shape.width_in;
    float* dz = du + kTrainTile * shape.width_in;
    float* stats = dz + kTrainTile * shape.num_hashes;
    float* rest = stats + kTrainTile * kStats;
    make_inputs(call, shape, call.x + first * size, tokens, u, stats);
    float* bias_sums = sums + layout.weights;
    if (!add) std::fill(bias_sums, sums + layout.total, 0.0f);
    for (int64_t t = 0; t < tokens; ++t) {
      float* row = dz + t * shape.num_hashes;
      call.kernels.score_backward(z + (first + t) * shape.num_hashes, config.num_tables, config.code_bits(),
                                  config.activation == LFFN_ACTIVATION_SIGMOID, score_grads + first + t,
                                  entry_stride(call.num_tokens), row, rest);
      for (int64_t i = 0; i < shape.num_hashes; ++i) bias_sums[i] += row[i];
    }
    projection.backward(u, tokens, dz, du, sums, add, rest);
    for (int64_t t = 0; t < tokens; ++t) {
      float* dx = grad_x == nullptr ? nullptr : grad_x + (first + t) * size;
      if (config.layer_norm) {
        call.kernels.normalise_backward(call.x + (first + t) * size, size, stats + t * kStats, call.weights.norm_gain,
                                        du + t * shape.width_in, dx, sums + layout.bias, sums + layout.gain);
      } else if (dx != nullptr) {
        std::copy_n(du + t * shape.width_in, size, dx);
      }
    }
  }
};

// Adds the parts up, in order, into the first.
void add_parts(float* sums, int64_t size, int64_t parts, int32_t num_threads) {
  constexpr int64_t kPiece = 4096;
  parallel_for((size + kPiece - 1) / kPiece, num_threads, [&](int64_t piece, int32_t) {
    const int64_t begin = piece * kPiece, end = std::min(begin + kPiece, size);
    for (int64_t part = 1; part < parts; ++part) {
      const float* more = sums + part * size;
      for (int64_t i = begin; i < end; ++i) sums[i] += more[i];
    }
  });
}

// From the sums over all tokens to the gradients of the weights as stored.
void write_sums(const TrainCall& call, const TrainProjection& projection, const Sums& layout, float* sums,
                const TrainGradients& grads) {
  projection.unpack_grads(sums, grads.hash_weight, call.num_threads);
  std::copy(sums + layout.weights, sums + layout.bias, grads.hash_bias);
  if (!call.config.layer_norm) return;
  std::copy(sums + layout.bias, sums + layout.gain, grads.norm_gain);
  std::copy(sums + layout.gain, sums + layout.total, grads.norm_shift);
}

}  // namespace

void train_forward(const TrainCall& call, float* y, float* z) {
  const TrainProjection projection(call.config, call.kernels, call.weights.hash_weight, false, call.num_threads);
  const TrainShape& shape = projection.shape();
  const TrainEntries entries(call.config.num_tables, call.num_tokens);
  const int64_t inputs = kTrainTile * (shape.width_in + kStats);
  const int64_t per_thread =
      inputs + kTrainTile * shape.num_hashes + projection.forward_scratch() + score_scratch(shape);
  const Memory scratch = floats(call.num_threads, per_thread);
  // All memory is taken before anything is written: a call that fails leaves its outputs alone.
  const int64_t chunk = sums_chunk(call.config, call.num_tokens, call.num_threads);
  SortedEntries sorted(call.config, call.num_tokens, chunk, call.num_threads);
  const Memory sums = floats(table_sums_size(call, chunk));
  parallel_for(tiles(call.num_tokens), call.num_threads, [&](int64_t tile, int32_t thread) {
    const int64_t first = tile * kTrainTile, tokens = std::min(kTrainTile, call.num_tokens - first);
    float* u = scratch.as<float>() + thread * per_thread;
    float* stats = u + kTrainTile * shape.width_in;
    float* own = u + inputs;
    float* rest = own + kTrainTile * shape.num_hashes;
    float* hashes = z == nullptr ? own : z + first * shape.num_hashes;
    make_inputs(call, shape, call.x + first * call.config.hidden_size, tokens, u, stats);
    projection.forward(u, tokens, call.weights.hash_bias, hashes, rest);
    score_tile(call, shape, hashes, first, tokens, entries, rest);
  });
  sorted.sort(entries);
  add_table_rows(call, sorted, sums.as<float>(), y);
}

void train_backward(const TrainCall& call, const float* z, const float* grad_y, float* grad_x,
                    const TrainGradients& grads) {
  const LayerConfig& config = call.config;
  const TrainProjection projection(config, call.kernels, call.weights.hash_weight, true, call.num_threads);
  const TrainShape& shape = projection.shape();
  const Sums layout(config, shape);
  if (call.num_tokens == 0) {
    const Memory zeros = floats(layout.total);
    std::fill_n(zeros.as<float>(), layout.total, 0.0f);
    write_sums(call, projection, layout, zeros.as<float>(), grads);
    std::fill_n(grads.tables, int64_t{config.num_tables} * config.table_size * config.output_size, 0.0f);
    std::fill_n(grads.bias, config.output_size, 0.0f);
    return;
  }
  const Memory score_grads = floats(config.num_tables, entry_stride(call.num_tokens));
  const BackwardTile backward = {call, projection, z, score_grads.as<float>(), grad_x};
  const int64_t part_tiles = (tiles(call.num_tokens) + kMaxParts - 1) / kMaxParts;
  const int64_t parts = (tiles(call.num_tokens) + part_tiles - 1) / part_tiles;
  // All memory is taken before any gradient is written, as in the forward pass.
  const Memory sums = floats(parts, layout.total);
  const Memory tile_scratch = floats(call.num_threads, backward.scratch_size());
  {
    const TrainEntries entries(config.num_tables, call.num_tokens);
    const Memory scratch = floats(call.num_threads, score_scratch(shape));
    parallel_for(tiles(call.num_tokens), call.num_threads, [&](int64_t tile, int32_t thread) {
      const int64_t first = tile * kTrainTile;
      score_tile(call, shape, z + first * shape.num_hashes, first, std::min(kTrainTile, call.num_tokens - first),
                 entries, scratch.as<float>() + thread * score_scratch(shape));
    });
    SortedEntries sorted(config, call.num_tokens, kChunk, call.num_threads);
    sorted.sort(entries);
    table_rows_backward(call, sorted, grad_y, grads, score_grads.as<float>());
  }
  parallel_for(parts, call.num_threads, [&](int64_t part, int32_t thread) {
    for (int64_t tile = part * part_tiles; tile < std::min((part + 1) * part_tiles, tiles(call.num_tokens)); ++tile) {
      const int64_t first = tile * kTrainTile;
      backward.run(first, std::min(kTrainTile, call.num_tokens - first), layout, sums.as<float>() + part * layout.total,
                   tile > part * part_tiles, tile_scratch.as<float>() + thread * backward.scratch_size());
    }
  });
  float* total = sums.as<float>();
  add_parts(total, layout.total, parts, call.num_threads);
  write_sums(call, projection, layout, total, grads);
}

}  // namespace lffn
