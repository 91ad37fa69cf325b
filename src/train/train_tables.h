// SPDX-License-Identifier: Apache-2.0
// The tables of a layer that is being trained: each table's tokens are sorted by code, so that a row is read once.
#pragma once

#include <cstdint>

#include "runtime/memory.h"
#include "train/train.h"

namespace lffn {

// From one table's entries to the next table's: a power of two would crowd all tables of a token into a few sets of the
// cache.
int64_t entry_stride(int64_t num_tokens);

// Codes and scores of all tokens, table by table.
struct TrainEntries {
  TrainEntries(int64_t num_tables, int64_t num_tokens);

  int64_t num_tokens, stride;
  Memory codes;   // uint16
  Memory scores;  // float
};

// Tokens that are sorted together, so that a row serves several of them. What is computed does not depend on it.
constexpr int64_t kChunk = 2048;
// The size of chunks for add_table_rows: less where the threads would not find enough chunks of kChunk tokens.
int64_t sums_chunk(const LayerConfig& config, int64_t num_tokens, int32_t num_threads);

// Entries, sorted by code within each chunk of tokens. Takes all its memory when it is made.
class SortedEntries {
 public:
  SortedEntries(const LayerConfig& config, int64_t num_tokens, int64_t chunk_size, int32_t num_threads);
  void sort(const TrainEntries& entries);

  int64_t chunk_size() const { return chunk_size_; }
  int64_t num_chunks() const;
  int64_t chunk_tokens(int64_t chunk) const;
  // A slab of columns of a table, and the tokens of a chunk.
  TrainRows rows(const TrainCall& call, int64_t table, int64_t chunk, int64_t slab) const;
  // The first of the entries of a table and chunk.
  int64_t first(int64_t table, int64_t chunk) const;
  // Puts numbers in sorted order back into the tokens' order: [table][token].
  void unsort(int64_t table, const float* sorted, float* out) const;

 private:
  int32_t num_tables_, table_size_, num_threads_;
  int64_t chunk_size_, num_tokens_, stride_;
  Memory tokens_, codes_, scores_, row_starts_;
};

// y = bias + the sum of scores * rows. `sums` has table_sums_size floats.
int64_t table_sums_size(const TrainCall& call, int64_t chunk_size);
void add_table_rows(const TrainCall& call, const SortedEntries& entries, float* sums, float* y);

// The gradients of the tables and of the output's bias; score_grads receives those of the scores, [table][token].
void table_rows_backward(const TrainCall& call, const SortedEntries& entries, const float* grad_y,
                         const TrainGradients& grads, float* score_grads);

}  // namespace lffn
