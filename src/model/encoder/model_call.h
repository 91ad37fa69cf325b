// SPDX-License-Identifier: Apache-2.0
// What a model is asked for, and how a call is cut into runs of sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "model/config/sentence_settings.h"
#include "model/encoder/sparse_rows.h"

namespace lffn {

// Sequences of token ids back to back, and what is wanted of them: outputs that are nullptr are not computed.
struct ModelCall {
  const int32_t* ids = nullptr;
  const int32_t* types = nullptr;    // of each token; nullptr: all 0. Families without types ignore them
  const int64_t* offsets = nullptr;  // [num_sequences + 1], the first one 0
  int64_t num_sequences = 0;
  const int64_t* attended = nullptr;  // [num_sequences] how many first tokens are attended to; nullptr: all
  float* hidden = nullptr;            // [tokens][hidden_size]
  const int64_t* positions = nullptr;
  int64_t num_positions = 0;
  float* logits = nullptr;         // [num_positions][vocab_size]
  const int64_t* masks = nullptr;  // places in ids, in order
  int64_t num_masks = 0;
  int32_t top_k = 0;
  int32_t* filling_ids = nullptr;          // [num_masks][top_k]; nullptr: no fillings
  float* filling_probabilities = nullptr;  // likewise; may be nullptr beside ids
  float* class_scores = nullptr;           // [num_sequences][num_classes], zeros for an empty sequence
  float* token_scores = nullptr;           // [tokens][num_token_classes]
  const int64_t* vector_tokens = nullptr;  // the tokens whose vectors are wanted, ascending
  int64_t num_vectors = 0;
  float* token_vectors = nullptr;  // [num_vectors][token_vector_size]
  SparseRows* sparse = nullptr;    // appends a vector for each sequence
  SparseLimits sparse_limits;
  bool is_sparse_query = false;         // the ids are those of query_weights()' tokenizer, and only `sparse` is wanted
  std::optional<Pooling> pooling;       // nullopt: as the model means it, with its modules
  Scaling scaling = Scaling::kAsModel;  // of embeddings and token vectors to length 1
  int64_t prompt_tokens = 0;            // how many first tokens of each sequence pooling leaves out
  float* embeddings = nullptr;          // [num_sequences][embedding_size(pooling)], likewise
  int32_t num_threads = 0;              // at most; 0: as many as the model has
  const int32_t* cancel = nullptr;
  double* seconds = nullptr;        // [LFFN_NUM_STAGES]
  double* layer_seconds = nullptr;  // [num_layers, 2]
  // Called now and then with the number of sequences that are done.
  std::function<void(int64_t)> progress;

  int64_t length(int64_t sequence) const { return offsets[sequence + 1] - offsets[sequence]; }
  int64_t keys(int64_t sequence) const { return attended != nullptr ? attended[sequence] : length(sequence); }
};

// A run of whole sequences.
struct Span {
  int64_t first, last;    // sequences
  int64_t begin, tokens;  // of the call's tokens
};

// As many sequences from `first` on as have at most `most_tokens` tokens together; at least one, at most `most_tokens`.
inline Span next_span(const ModelCall& call, int64_t first, int64_t end, int64_t most_tokens) {
  Span span = {first, first + 1, call.offsets[first], 0};
  end = end - first > most_tokens ? first + most_tokens : end;
  while (span.last < end && call.offsets[span.last + 1] - span.begin <= most_tokens) ++span.last;
  span.tokens = call.offsets[span.last] - span.begin;
  return span;
}

}  // namespace lffn
