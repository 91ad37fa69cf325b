// Runs a layer: hashes a chunk of tokens tile by tile, then gathers their rows slab by slab.
#include <algorithm>

#include "layer/layer.h"
#include "runtime/cpu.h"
#include "runtime/error.h"
#include "runtime/float_mode.h"
#include "runtime/threads.h"

namespace lffn {
namespace {

// Codes and scores of a chunk take at most about this much; larger chunks read the tables from memory less often.
constexpr int64_t kChunkBytes = int64_t{8} << 20;
constexpr int64_t kMaxChunk = 8192;
// Up to this many tokens are hashed one by one, each reading the weights once; a tile of a few tokens would cost more.
constexpr int64_t kFewTokens = 4;
// Fewer tokens than this are not worth waking other threads.
constexpr int64_t kTokensPerThread = 8;

int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

size_t place(size_t& end, int64_t bytes) {
  const size_t at = end;
  end += static_cast<size_t>(round_up(bytes, static_cast<int64_t>(kCacheLine)));
  return at;
}

void poll(const int32_t* cancel) {
  if (cancel != nullptr && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0) {
    fail(LFFN_ERROR_CANCELLED, "cancelled by the caller's flag");
  }
}

}  // namespace

int32_t Layer::threads_for(int64_t num_tokens) const {
  return static_cast<int32_t>(std::clamp<int64_t>(num_tokens / kTokensPerThread, 1, num_threads_));
}

Layer::Layout Layer::layout(int64_t num_tokens) const {
  const HashPlan& plan = projection_.plan;
  const int64_t stride = token_stride(static_cast<int64_t>(plan.num_tables) * plan.num_probes);
  const int64_t tile = kernels_.tile_tokens;
  const int64_t most = std::clamp<int64_t>(kChunkBytes / (stride * 6) / tile * tile, tile, kMaxChunk / tile * tile);
  const int64_t threads = threads_for(num_tokens);

  Layout layout = {};
  layout.chunk = std::min(most, num_tokens);
  layout.stride = stride;
  const int64_t entries = stride * round_up(layout.chunk, tile);
  size_t end = 0;
  place(end, entries * static_cast<int64_t>(sizeof(uint16_t)));
  layout.scores = place(end, entries * static_cast<int64_t>(sizeof(float)));
  layout.weights = end;
  layout.weight_scales = end;
  if (tables_.dtype == LFFN_INT8 && plan.num_probes == 1) {
    layout.weights = place(end, entries);
    layout.weight_scales = place(end, layout.chunk * static_cast<int64_t>(sizeof(float)));
  }
  layout.threads = end;
  // A thread first hashes, then gathers: the two share its part.
  layout.hash = kernels_.hash_scratch(plan);
  const int64_t sums = layout.chunk * kMaxSlabColumns * static_cast<int64_t>(sizeof(float));
  layout.thread_bytes = static_cast<size_t>(round_up(std::max(static_cast<int64_t>(layout.hash), sums), kCacheLine));
  layout.total = end + layout.thread_bytes * static_cast<size_t>(threads);
  return layout;
}

void Layer::hash_chunk(const Layout& layout, const ForwardCall& call, bool for_gather, uint8_t* scratch) const {
  const HashPlan& plan = projection_.plan;
  const HashOutput out = {reinterpret_cast<uint16_t*>(scratch), reinterpret_cast<float*>(scratch + layout.scores),
                          layout.stride};
  const int32_t threads = threads_for(call.num_tokens);
  const bool few = call.num_tokens <= kFewTokens;
  const int64_t share = round_up((call.num_tokens + threads - 1) / threads, kernels_.lanes);
  const int64_t tile = few ? 1 : std::min<int64_t>(kernels_.tile_tokens, share);
  const int64_t tiles = (call.num_tokens + tile - 1) / tile;
  parallel_for(tiles, threads, [&](int64_t item, int32_t thread) {
    poll(call.cancel);
    const FlushDenormals flush(flush_denormals_);
    void* mine = scratch + layout.threads + layout.thread_bytes * static_cast<size_t>(thread);
    const int64_t first = item * tile;
    const int32_t tokens = static_cast<int32_t>(std::min(tile, call.num_tokens - first));
    const HashOutput here = {out.codes + first * out.stride, out.scores + first * out.stride, out.stride};
    const float* x = call.x + first * call.x_stride;
    if (few) {
      kernels_.hash_token(plan, x, here, mine);
    } else {
      kernels_.hash_tile(plan, x, call.x_stride, tokens, here, mine);
    }
    if (!for_gather || layout.weights == layout.threads) return;
    kernels_.quantise_scores(here, plan.num_tables, tables_.row_scales.as<float>(), tables_.table_size, tokens,
                             scratch + layout.weights + first * layout.stride,
                             reinterpret_cast<float*>(scratch + layout.weight_scales) + first);
  });
}

void Layer::gather_chunk(const Layout& layout, const ForwardCall& call, uint8_t* scratch) const {
  const HashPlan& hash = projection_.plan;
  const bool integer = layout.weights != layout.threads;
  const auto gather = tables_.dtype == LFFN_F32    ? kernels_.gather_f32
                      : tables_.dtype == LFFN_BF16 ? kernels_.gather_bf16
                      : integer                    ? kernels_.gather_int8
                                                   : kernels_.gather_int8_scores;
  const int32_t threads = threads_for(call.num_tokens);
  const int64_t slabs = tables_.num_slabs;
  // Enough pieces that the threads end together.
  const int64_t ranges = threads == 1 ? 1 : std::min<int64_t>((2 * threads + slabs - 1) / slabs, call.num_tokens);
  const int64_t range = (call.num_tokens + ranges - 1) / ranges;
  // With many tokens nearly every row is wanted: then as many tables at a time as leave room in the L2 cache for the
  // next.
  const bool many = call.num_tokens >= 2 * int64_t{tables_.table_size};

  parallel_for(slabs * ranges, threads, [&](int64_t item, int32_t thread) {
    const FlushDenormals flush(flush_denormals_);
    const int32_t slab = static_cast<int32_t>(item / ranges);
    const int64_t first = item % ranges * range;
    const int64_t table_bytes = tables_.table_bytes(slab);
    const int64_t cache = static_cast<int64_t>(cache_sizes().l2);
    int64_t fitting = cache / 4 / table_bytes / kEntryGroup * kEntryGroup;
    if (fitting == 0 && kEntryGroup * table_bytes <= cache / 2) fitting = kEntryGroup;
    const int32_t group =
        static_cast<int32_t>(many && fitting > 0 ? std::min<int64_t>(fitting, hash.num_tables) : hash.num_tables);
    GatherPlan plan = {};
    plan.table_bytes = table_bytes;
    plan.row_bytes = tables_.row_bytes(slab);
    plan.num_probes = hash.num_probes;
    plan.columns = tables_.columns(slab);
    plan.stride = layout.stride;
    plan.num_tokens = std::min(range, call.num_tokens - first);
    if (plan.num_tokens <= 0) return;
    plan.sums = scratch + layout.threads + layout.thread_bytes * static_cast<size_t>(thread);
    const int32_t first_column = slab * tables_.slab_columns;
    plan.bias = tables_.bias.as<float>() + first_column;
    plan.weight_scales = reinterpret_cast<const float*>(scratch + layout.weight_scales) + first;
    plan.y = call.y + first * call.y_stride + first_column;
    plan.y_stride = call.y_stride;
    plan.y_columns = std::min(plan.columns, tables_.output_size - first_column);
    plan.add = call.add;
    plan.cold = group == hash.num_tables;
    for (int32_t k = 0; k < hash.num_tables; k += group) {
      poll(call.cancel);
      const int64_t entry = first * layout.stride + static_cast<int64_t>(k) * hash.num_probes;
      plan.codes = reinterpret_cast<const uint16_t*>(scratch) + entry;
      plan.scores = reinterpret_cast<const float*>(scratch + layout.scores) + entry;
      plan.weights = scratch + layout.weights + entry;
      plan.tables = tables_.slab_rows(slab) + k * table_bytes;
      plan.num_tables = std::min(group, hash.num_tables - k);
      if (tables_.dtype == LFFN_INT8) {
        plan.row_scales = tables_.row_scales.as<float>() + static_cast<int64_t>(k) * tables_.table_size;
      }
      plan.first = k == 0;
      plan.last = k + group >= hash.num_tables;
      plan.prefetch = plan.tables + plan.num_tables * table_bytes;
      plan.prefetch_bytes = plan.last ? 0 : std::min(group, hash.num_tables - k - group) * table_bytes;
      gather(plan);
    }
  });
}

size_t Layer::scratch_bytes(int64_t num_tokens) const { return layout(num_tokens).total; }

void Layer::forward(const ForwardCall& call) const {
  if (call.num_tokens == 0) return;
  run_call(*executor_, num_threads_, [&] {
    const ScratchPool::Lease scratch(scratch_, scratch_bytes(call.num_tokens));
    forward(call, scratch.data());
  });
}

void Layer::forward(const ForwardCall& call, uint8_t* scratch) const {
  const Layout sizes = layout(call.num_tokens);
  for (int64_t first = 0; first < call.num_tokens; first += sizes.chunk) {
    ForwardCall part = call;
    part.num_tokens = std::min(sizes.chunk, call.num_tokens - first);
    part.x += first * call.x_stride;
    part.y += first * call.y_stride;
    hash_chunk(sizes, part, true, scratch);
    gather_chunk(sizes, part, scratch);
  }
}

void Layer::hash(const float* x, int64_t num_tokens, int32_t* codes, float* scores) const {
  if (num_tokens == 0) return;
  run_call(*executor_, num_threads_, [&] { hash_all(x, num_tokens, codes, scores); });
}

void Layer::hash_all(const float* x, int64_t num_tokens, int32_t* codes, float* scores) const {
  const Layout sizes = layout(num_tokens);
  const ScratchPool::Lease scratch(scratch_, sizes.total);
  const int64_t entries = static_cast<int64_t>(config_.num_tables) * config_.num_probes;
  const uint16_t* chunk_codes = reinterpret_cast<const uint16_t*>(scratch.data());
  const float* chunk_scores = reinterpret_cast<const float*>(scratch.data() + sizes.scores);
  for (int64_t first = 0; first < num_tokens; first += sizes.chunk) {
    ForwardCall part;
    part.num_tokens = std::min(sizes.chunk, num_tokens - first);
    part.x = x + first * config_.hidden_size;
    part.x_stride = config_.hidden_size;
    hash_chunk(sizes, part, false, scratch.data());
    for (int64_t t = 0; t < part.num_tokens; ++t) {
      const int64_t from = t * sizes.stride, to = (first + t) * entries;
      if (codes != nullptr) std::copy_n(chunk_codes + from, entries, codes + to);
      if (scores != nullptr) std::copy_n(chunk_scores + from, entries, scores + to);
    }
  }
}

}  // namespace lffn
