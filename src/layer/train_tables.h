// The tables of a layer that is being trained: each table's tokens are sorted by code, so that a row is read once.
#pragma once

#include <cstdint>

#include "layer/train.h"
#include "runtime/memory.h"

namespace lffn {

// Codes and scores of all tokens, table by table.
struct TrainEntries {
  TrainEntries(int64_t num_tables, int64_t num_tokens);

  int64_t num_tokens;
  Memory codes;   // uint16
  Memory scores;  // float
};

// The same, sorted by code within each chunk of tokens.
class SortedEntries {
 public:
  SortedEntries(const LayerConfig& config, const TrainEntries& entries, int32_t num_threads);

  int64_t num_tokens() const { return num_tokens_; }
  int64_t num_chunks() const;
  // A slab of columns of a table, and the tokens of a chunk.
  TrainRows rows(const TrainCall& call, int64_t table, int64_t chunk, int64_t slab) const;
  // The first of the entries of a table and chunk.
  int64_t first(int64_t table, int64_t chunk) const;
  // Puts numbers in sorted order back into the tokens' order: [table][token].
  void unsort(int64_t table, const float* sorted, float* out) const;

 private:
  int64_t num_tokens_;
  Memory tokens_, codes_, scores_;
};

// y = bias + the sum of scores * rows.
void add_table_rows(const TrainCall& call, const SortedEntries& entries, float* y);

// The gradients of the tables and of the output's bias; score_grads receives those of the scores, [table][token].
void table_rows_backward(const TrainCall& call, const SortedEntries& entries, const float* grad_y,
                         const TrainGradients& grads, float* score_grads);

}  // namespace lffn
