// SPDX-License-Identifier: Apache-2.0
// Runs a layer: hashes a tile of tokens and gathers their rows right away. Float32 rows are gathered slab by slab after
// a chunk of tokens is hashed.
#include <algorithm>

#include "layer/layer.h"
#include "runtime/cancel_flag.h"
#include "runtime/cpu.h"
#include "runtime/float_mode.h"
#include "runtime/threads.h"

namespace lffn {
namespace {

// Codes and scores of a chunk take at most about this much; larger chunks read the tables from memory less often.
constexpr int64_t kChunkBytes = int64_t{8} << 20;
constexpr int64_t kMaxChunk = 8192;
// Up to this many tokens are hashed one by one, each reading the weights once; a tile of a few tokens would cost more.
// A dense int8 projection takes rows, few or many.
constexpr int64_t kFewTokens = 4;
// With fewer tokens, rows of small tables are gathered: picking them in registers reads all of the tables, wherever
// they lie, and leaves lanes idle.
constexpr int64_t kFewestPicked = 24;
// A smaller share of the tokens costs each thread more than the help is worth.
constexpr int64_t kTokensPerThread = 32;

ForwardCall part_of(const ForwardCall& call, int64_t first, int64_t tokens) {
  ForwardCall part = call;
  part.x += first * call.x_stride;
  if (call.y != nullptr) part.y += first * call.y_stride;
  part.num_tokens = tokens;
  return part;
}

}  // namespace

int32_t Layer::threads_for(int64_t num_tokens) const {
  return static_cast<int32_t>(std::clamp<int64_t>(num_tokens / kTokensPerThread, 1, num_threads_));
}

Layer::Layout Layer::layout(int64_t num_tokens, bool in_slabs) const {
  const HashPlan& plan = projection_.plan;
  const int64_t threads = threads_for(num_tokens), tile = kernels_.tile_tokens;
  const int64_t share = (num_tokens - 1) / threads + 1;

  Layout layout = {};
  // A tile is whole vectors of tokens: a narrower one takes as long, and what kernels write must not overlap. All tiles
  // are about equally large: with more tokens at once, rows are used more often.
  // No sum may overflow: info asks for INT64_MAX tokens.
  const int64_t tiles = (share - 1) / tile + 1;
  layout.tile = round_up((share - 1) / tiles + 1, kernels_.lanes);
  layout.stride = token_stride(static_cast<int64_t>(plan.num_tables) * plan.num_probes);
  layout.in_slabs = in_slabs;
  if (in_slabs) {
    const int64_t most = kChunkBytes / (layout.stride * 6) / tile * tile;
    layout.chunk = std::min(std::clamp(most, tile, kMaxChunk / tile * tile), num_tokens);
  }
  // Codes and scores: of a chunk, or of a tile in every thread's part. A kernel may write whole vectors of tokens.
  const auto entries = static_cast<size_t>(layout.stride * (layout.in_slabs ? round_up(layout.chunk, tile) : tile));
  ScratchParts& parts = layout.in_slabs ? layout.all : layout.of_thread;
  layout.codes = parts.place(entries * sizeof(uint16_t));
  layout.scores = parts.place(entries * sizeof(float));
  if (tables_.dtype == LFFN_DTYPE_INT8 && plan.num_probes == 1) {
    layout.score_bytes = parts.place(entries);
    layout.score_byte_scales = parts.place(static_cast<size_t>(tile) * sizeof(float));
  }
  layout.picks = tables_.picks.size() > 0;
  const size_t hash = kernels_.hash_scratch(plan);
  const size_t sums = static_cast<size_t>(layout.chunk * kSlabColumns) * sizeof(float);
  layout.hash = layout.in_slabs ? 0 : parts.place(hash);
  const size_t each = layout.in_slabs ? std::max(hash, sums) : layout.of_thread.end();
  layout.threads = layout.all.place_each(threads, each, layout.thread_bytes);
  layout.total = layout.all.end();
  return layout;
}

// `scratch` is that of the hash.
void Layer::hash_tokens(const ForwardCall& call, HashOutput out, void* scratch) const {
  const HashPlan& plan = projection_.plan;
  const bool int8 = plan.arithmetic == HashArithmetic::kInt8;
  if ((plan.dense && int8) || call.num_tokens > kFewTokens) {
    const auto hash_tile = int8 ? kernels_.hash_tile_int8 : kernels_.hash_tile;
    hash_tile(plan, call.x, call.x_stride, static_cast<int32_t>(call.num_tokens), out, scratch);
    return;
  }
  for (int64_t t = 0; t < call.num_tokens; ++t) {
    const HashOutput here = {out.codes + t * out.stride, out.scores + t * out.stride, out.stride};
    (int8 ? kernels_.hash_token_int8 : kernels_.hash_token)(plan, call.x + t * call.x_stride, here, scratch);
  }
}

// body(tokens of the call, where their codes and scores are, the thread's part of the scratch) for each tile.
template <typename Body>
void Layer::for_tiles(const Layout& layout, const ForwardCall& call, uint8_t* scratch, Body&& body) const {
  const int64_t tiles = (call.num_tokens + layout.tile - 1) / layout.tile;
  parallel_for(tiles, threads_for(call.num_tokens), [&](int64_t item, int32_t thread) {
    poll(call.cancel);
    const FloatMode mode(flush_denormals_);
    uint8_t* mine = scratch + layout.threads + layout.thread_bytes * static_cast<size_t>(thread);
    const Borders borders(mine, layout.of_thread);
    const int64_t first = item * layout.tile;
    // The results of all tokens, or only of this thread's.
    uint8_t* results = layout.in_slabs ? scratch : mine;
    const int64_t entry = layout.in_slabs ? first * layout.stride : 0;
    HashOutput out = {reinterpret_cast<uint16_t*>(results + layout.codes) + entry,
                      reinterpret_cast<float*>(results + layout.scores) + entry, layout.stride};
    const ForwardCall part = part_of(call, first, std::min(layout.tile, call.num_tokens - first));
    const PickOutput picks = pick_output(layout, mine);
    if (layout.picks && part.num_tokens >= kFewestPicked) out.picks = &picks;
    hash_tokens(part, out, mine + layout.hash);
    body(part, first, out, mine);
  });
}

// In a thread's part, where the codes and scores of gathered rows lie otherwise: the bytes of a tile's tokens are no
// more than a tile's entries.
PickOutput Layer::pick_output(const Layout& layout, uint8_t* mine) const {
  return {reinterpret_cast<int32_t*>(mine + layout.codes),
          reinterpret_cast<int32_t*>(mine + layout.score_bytes),
          reinterpret_cast<float*>(mine + layout.score_byte_scales),
          layout.tile,
          tables_.row_scales.as<float>(),
          tables_.table_size};
}

// The plan for a slab of columns, or for the columns of whole rows from `first` on that fit a plan.
GatherPlan Layer::gather_plan(const ForwardCall& call, const HashOutput& hashed, int32_t slab, int64_t first) const {
  const int64_t column = int64_t{slab} * tables_.slab_columns + first;
  GatherPlan plan = {};
  plan.tables = tables_.slab_rows(slab) + first * (tables_.row_bytes(slab) / tables_.columns(slab));
  plan.table_bytes = tables_.table_bytes(slab);
  plan.row_bytes = tables_.row_bytes(slab);
  plan.columns = std::min(kMaxColumns, tables_.columns(slab) - first);
  plan.num_tables = projection_.plan.num_tables;
  plan.num_probes = projection_.plan.num_probes;
  plan.codes = hashed.codes;
  plan.scores = hashed.scores;
  plan.stride = hashed.stride;
  plan.picks = hashed.picks;
  plan.num_tokens = call.num_tokens;
  plan.bias = tables_.bias.as<float>() + column;
  plan.row_scales = tables_.row_scales.as<float>();
  plan.table_size = tables_.table_size;
  plan.y = call.y + column;
  plan.y_stride = call.y_stride;
  plan.y_columns = std::min(plan.columns, tables_.output_size - column);
  plan.add = call.add;
  return plan;
}

void Layer::gather_tile(const Layout& layout, const ForwardCall& call, const HashOutput& hashed, uint8_t* mine) const {
  const bool integer = tables_.dtype == LFFN_DTYPE_INT8 && projection_.plan.num_probes == 1;
  const auto gather = hashed.picks != nullptr            ? kernels_.gather_picked
                      : integer                          ? kernels_.gather_int8
                      : tables_.dtype == LFFN_DTYPE_INT8 ? kernels_.gather_int8_scores
                                                         : kernels_.gather_bf16;
  uint8_t* score_bytes = mine + layout.score_bytes;
  float* score_byte_scales = reinterpret_cast<float*>(mine + layout.score_byte_scales);
  if (integer && hashed.picks == nullptr) {
    kernels_.quantise_scores(hashed, projection_.plan.num_tables, tables_.row_scales.as<float>(), tables_.table_size,
                             static_cast<int32_t>(call.num_tokens), score_bytes, score_byte_scales);
  }
  for (int64_t first = 0; first < tables_.columns(0); first += kMaxColumns) {
    GatherPlan plan = gather_plan(call, hashed, 0, first);
    plan.score_bytes = score_bytes;
    plan.score_byte_scales = score_byte_scales;
    if (hashed.picks != nullptr) plan.tables = tables_.picks.as<uint8_t>() + tables_.picked_offset(first);
    gather(plan);
  }
}

void Layer::gather_slabs(const Layout& layout, const ForwardCall& call, uint8_t* scratch) const {
  const int32_t threads = threads_for(call.num_tokens);
  const int64_t slabs = tables_.num_slabs;
  // Enough pieces that the threads end together.
  const int64_t ranges = threads == 1 ? 1 : std::min<int64_t>((2 * threads + slabs - 1) / slabs, call.num_tokens);
  const int64_t range = (call.num_tokens + ranges - 1) / ranges;
  // With many tokens nearly every row is wanted. Then as many tables are taken at a time as leave room in the L2 cache
  // for the next ones.
  const bool many = call.num_tokens >= 2 * int64_t{tables_.table_size};

  parallel_for(slabs * ranges, threads, [&](int64_t item, int32_t thread) {
    poll(call.cancel);
    const FloatMode mode(flush_denormals_);
    const int64_t first = item % ranges * range;
    if (first >= call.num_tokens) return;
    const ForwardCall part = part_of(call, first, std::min(range, call.num_tokens - first));
    const int64_t entry = first * layout.stride;
    const HashOutput hashed = {reinterpret_cast<uint16_t*>(scratch + layout.codes) + entry,
                               reinterpret_cast<float*>(scratch + layout.scores) + entry, layout.stride};
    GatherPlan plan = gather_plan(part, hashed, static_cast<int32_t>(item / ranges), 0);
    plan.sums = reinterpret_cast<float*>(scratch + layout.threads + layout.thread_bytes * static_cast<size_t>(thread));
    const int64_t cache = static_cast<int64_t>(cache_sizes().l2);
    int64_t fitting = cache / 4 / plan.table_bytes / kEntryGroup * kEntryGroup;
    if (fitting == 0 && kEntryGroup * plan.table_bytes <= cache / 2) fitting = kEntryGroup;
    if (!many || fitting == 0) return kernels_.gather_f32(plan);
    plan.tables_at_once = static_cast<int32_t>(std::min<int64_t>(fitting, plan.num_tables));
    kernels_.gather_f32_many(plan);
  });
}

size_t Layer::scratch_bytes(int64_t num_tokens) const {
  return layout(num_tokens, tables_.dtype == LFFN_DTYPE_F32).total;
}

void Layer::forward(const ForwardCall& call) const {
  if (call.num_tokens == 0) return;
  run_call(*executor_, num_threads_, [&] {
    const ScratchPool::Lease scratch(scratch_, scratch_bytes(call.num_tokens));
    forward(call, scratch.data());
  });
}

void Layer::forward(const ForwardCall& call, uint8_t* scratch) const {
  const Layout sizes = layout(call.num_tokens, tables_.dtype == LFFN_DTYPE_F32);
  const Borders borders(scratch, sizes.all);
  if (!sizes.in_slabs) {
    for_tiles(sizes, call, scratch, [&](const ForwardCall& part, int64_t, const HashOutput& hashed, uint8_t* mine) {
      gather_tile(sizes, part, hashed, mine);
    });
    return;
  }
  for (int64_t first = 0; first < call.num_tokens; first += sizes.chunk) {
    const ForwardCall part = part_of(call, first, std::min(sizes.chunk, call.num_tokens - first));
    for_tiles(sizes, part, scratch, [](const ForwardCall&, int64_t, const HashOutput&, uint8_t*) {});
    gather_slabs(sizes, part, scratch);
  }
}

void Layer::hash(const ForwardCall& call, int32_t* codes, float* scores) const {
  if (call.num_tokens == 0) return;
  run_call(*executor_, num_threads_, [&] {
    Layout sizes = layout(call.num_tokens, false);
    sizes.picks = false;  // codes and scores are asked for
    const ScratchPool::Lease scratch(scratch_, sizes.total);
    const Borders borders(scratch.data(), sizes.all);
    const int64_t entries = static_cast<int64_t>(config_.num_tables) * config_.num_probes;
    for_tiles(sizes, call, scratch.data(),
              [&](const ForwardCall& part, int64_t first, const HashOutput& hashed, uint8_t*) {
                for (int64_t t = 0; t < part.num_tokens; ++t) {
                  const int64_t from = t * hashed.stride, to = (first + t) * entries;
                  if (codes != nullptr) std::copy_n(hashed.codes + from, entries, codes + to);
                  if (scores != nullptr) std::copy_n(hashed.scores + from, entries, scores + to);
                }
              });
  });
}

}  // namespace lffn
