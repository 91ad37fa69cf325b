// SPDX-License-Identifier: Apache-2.0
#include "train/train_tables.h"

#include <algorithm>

#include "runtime/threads.h"

namespace lffn {
namespace {

constexpr int64_t kSmallChunk = 256;    // tokens: less would read each row for too few of them
constexpr int64_t kTableGroup = 4;      // tables that share what was brought into the cache
constexpr int64_t kPackedTokens = 256;  // tokens that are copied into slabs at once

template <typename Number>
Memory numbers(int64_t a, int64_t b) {
  return Memory(checked_product(checked_product(static_cast<size_t>(a), static_cast<size_t>(b)), sizeof(Number)));
}

int64_t slabs(const LayerConfig& config) { return (config.output_size + kTrainColumns - 1) / kTrainColumns; }

int64_t slab_columns(const LayerConfig& config, int64_t slab) {
  return std::min<int64_t>(kTrainColumns, config.output_size - slab * kTrainColumns);
}

}  // namespace

int64_t entry_stride(int64_t num_tokens) { return ((num_tokens / kPanel + 1) | 1) * kPanel; }

int64_t sums_chunk(const LayerConfig& config, int64_t num_tokens, int32_t num_threads) {
  int64_t chunk = kChunk;
  while (num_threads > 1 && chunk > kSmallChunk && num_tokens / chunk * slabs(config) < 2 * num_threads) chunk /= 2;
  return chunk;
}

TrainEntries::TrainEntries(int64_t num_tables, int64_t count)
    : num_tokens(count),
      stride(entry_stride(count)),
      codes(numbers<uint16_t>(num_tables, stride)),
      scores(numbers<float>(num_tables, stride)) {}

SortedEntries::SortedEntries(const LayerConfig& config, int64_t num_tokens, int64_t chunk_size, int32_t num_threads)
    : num_tables_(config.num_tables),
      table_size_(config.table_size),
      num_threads_(num_threads),
      chunk_size_(chunk_size),
      num_tokens_(num_tokens),
      stride_(entry_stride(num_tokens)),
      tokens_(numbers<uint32_t>(config.num_tables, stride_)),
      codes_(numbers<uint16_t>(config.num_tables, stride_)),
      scores_(numbers<float>(config.num_tables, stride_)),
      row_starts_(numbers<uint32_t>(num_threads, config.table_size)) {}

void SortedEntries::sort(const TrainEntries& entries) {
  parallel_for(num_tables_, num_threads_, [&](int64_t table, int32_t thread) {
    uint32_t* starts = row_starts_.as<uint32_t>() + int64_t{thread} * table_size_;
    for (int64_t chunk = 0; chunk < num_chunks(); ++chunk) {
      const int64_t begin = first(table, chunk), count = chunk_tokens(chunk);
      const uint16_t* codes = entries.codes.as<uint16_t>() + begin;
      const float* scores = entries.scores.as<float>() + begin;
      std::fill_n(starts, table_size_, 0u);
      for (int64_t t = 0; t < count; ++t) ++starts[codes[t]];
      uint32_t start = 0;
      for (int32_t code = 0; code < table_size_; ++code) {
        const uint32_t here = starts[code];
        starts[code] = start;
        start += here;
      }
      for (int64_t t = 0; t < count; ++t) {
        const int64_t to = begin + starts[codes[t]]++;
        tokens_.as<uint32_t>()[to] = static_cast<uint32_t>(t);
        codes_.as<uint16_t>()[to] = codes[t];
        scores_.as<float>()[to] = scores[t];
      }
    }
  });
}

int64_t SortedEntries::num_chunks() const { return (num_tokens_ + chunk_size_ - 1) / chunk_size_; }

int64_t SortedEntries::chunk_tokens(int64_t chunk) const {
  return std::min(chunk_size_, num_tokens_ - chunk * chunk_size_);
}

int64_t SortedEntries::first(int64_t table, int64_t chunk) const { return table * stride_ + chunk * chunk_size_; }

TrainRows SortedEntries::rows(const TrainCall& call, int64_t table, int64_t chunk, int64_t slab) const {
  const LayerConfig& config = call.config;
  const int64_t begin = first(table, chunk);
  return {call.weights.tables + table * config.table_size * config.output_size + slab * kTrainColumns,
          config.output_size,
          config.table_size,
          static_cast<int32_t>(slab_columns(config, slab)),
          tokens_.as<uint32_t>() + begin,
          codes_.as<uint16_t>() + begin,
          scores_.as<float>() + begin,
          chunk_tokens(chunk)};
}

void SortedEntries::unsort(int64_t table, const float* sorted, float* out) const {
  for (int64_t chunk = 0; chunk < num_chunks(); ++chunk) {
    const int64_t begin = first(table, chunk), count = chunk_tokens(chunk);
    for (int64_t i = begin; i < begin + count; ++i) out[begin + tokens_.as<uint32_t>()[i]] = sorted[i];
  }
}

int64_t table_sums_size(const TrainCall& call, int64_t chunk_size) {
  return call.num_threads * chunk_size * kTrainColumns;
}

void add_table_rows(const TrainCall& call, const SortedEntries& entries, float* sums, float* y) {
  const LayerConfig& config = call.config;
  const int64_t chunk_size = entries.chunk_size();
  parallel_for(entries.num_chunks() * slabs(config), call.num_threads, [&](int64_t item, int32_t thread) {
    const int64_t chunk = item / slabs(config), slab = item % slabs(config);
    const int64_t count = entries.chunk_tokens(chunk), columns = slab_columns(config, slab);
    float* sum = sums + thread * chunk_size * kTrainColumns;
    for (int64_t t = 0; t < count; ++t) {
      std::copy_n(call.weights.bias + slab * kTrainColumns, columns, sum + t * kTrainColumns);
    }
    for (int64_t table = 0; table < config.num_tables; ++table) {
      call.kernels.add_rows(entries.rows(call, table, chunk, slab), sum);
    }
    for (int64_t t = 0; t < count; ++t) {
      std::copy_n(sum + t * kTrainColumns, columns,
                  y + (chunk * chunk_size + t) * config.output_size + slab * kTrainColumns);
    }
  });
}

void table_rows_backward(const TrainCall& call, const SortedEntries& entries, const float* grad_y,
                         const TrainGradients& grads, float* score_grads) {
  const LayerConfig& config = call.config;
  const int64_t n = call.num_tokens;
  // The gradients of y, slab by slab.
  const Memory packed = numbers<float>(slabs(config) * kTrainColumns, n);
  const Memory sorted = numbers<float>(config.num_tables, entry_stride(n));
  const int64_t parts = (n + kPackedTokens - 1) / kPackedTokens;
  parallel_for(slabs(config) * parts, call.num_threads, [&](int64_t item, int32_t) {
    const int64_t slab = item / parts, begin = item % parts * kPackedTokens;
    for (int64_t t = begin; t < std::min(n, begin + kPackedTokens); ++t) {
      std::copy_n(grad_y + t * config.output_size + slab * kTrainColumns, slab_columns(config, slab),
                  packed.as<float>() + (slab * n + t) * kTrainColumns);
    }
  });
  parallel_for(slabs(config), call.num_threads, [&](int64_t slab, int32_t) {
    float* sum = grads.bias + slab * kTrainColumns;
    const int64_t columns = slab_columns(config, slab);
    std::fill_n(sum, columns, 0.0f);
    for (int64_t t = 0; t < n; ++t) {
      const float* row = packed.as<float>() + (slab * n + t) * kTrainColumns;
      for (int64_t c = 0; c < columns; ++c) sum[c] += row[c];
    }
  });
  const int64_t groups = (config.num_tables + kTableGroup - 1) / kTableGroup;
  parallel_for(groups, call.num_threads, [&](int64_t group, int32_t) {
    const int64_t begin = group * kTableGroup, end = std::min<int64_t>(begin + kTableGroup, config.num_tables);
    for (int64_t chunk = 0; chunk < entries.num_chunks(); ++chunk) {
      for (int64_t slab = 0; slab < slabs(config); ++slab) {
        const float* slab_grads = packed.as<float>() + (slab * n + chunk * entries.chunk_size()) * kTrainColumns;
        for (int64_t table = begin; table < end; ++table) {
          float* row_grads = grads.tables + table * config.table_size * config.output_size + slab * kTrainColumns;
          call.kernels.rows_backward(entries.rows(call, table, chunk, slab), slab_grads, row_grads, chunk > 0,
                                     sorted.as<float>() + entries.first(table, chunk), slab > 0);
        }
      }
    }
    for (int64_t table = begin; table < end; ++table) entries.unsort(table, sorted.as<float>(), score_grads);
  });
}

}  // namespace lffn
