// SPDX-License-Identifier: Apache-2.0
// One sparse vector for each sequence: the language model's scores of all its tokens, pooled over them.
#include "model/heads/sparse.h"

#include <algorithm>

#include "model/heads/heads.h"
#include "runtime/own_math.h"

namespace lffn {
namespace {

// Sequences whose scores are pooled at once: each takes a row of the vocabulary.
int64_t sequences_at_once(const Model& model) { return std::max(model.running().num_threads, 1); }

// What the scores of a call are pooled in.
struct SparseLayout {
  ScratchParts parts;
  int64_t rows = kHeadRows;  // tokens that go through the head at once
  size_t states = 0;         // [rows][hidden_size]
  size_t block = 0;          // [rows][row_stride(embedding_size)]
  size_t words = 0;          // what scoring them takes
  size_t scores = 0;         // of each thread [most_scores]
  size_t scores_bytes = 0;   // from one thread's to the next
  size_t pooled = 0;         // [sequences][vocab_size]
};

SparseLayout lay_out_sparse(const Model& model) {
  const ModelConfig& config = model.config();
  SparseLayout layout;
  ScratchParts& parts = layout.parts;
  const auto floats = [](int64_t rows, int64_t stride) {
    return checked_product(checked_product(static_cast<size_t>(rows), static_cast<size_t>(stride)), sizeof(float));
  };
  layout.states = parts.place(floats(layout.rows, config.hidden_size));
  layout.block = parts.place(floats(layout.rows, row_stride(config.embedding_size)));
  layout.words = parts.place(model.decoder().scratch_bytes(layout.rows));
  layout.scores = parts.place_each(model.running().num_threads, floats(model.decoder().most_scores(layout.rows), 1),
                                   layout.scores_bytes);
  layout.pooled = parts.place(floats(sequences_at_once(model), config.vocab_size));
  return layout;
}

float log_of(float value) { return static_cast<float>(own_log1p(static_cast<double>(value))); }

float activated(const SparseSettings& settings, float score) {
  if (!(score > 0)) return 0;
  return settings.takes_log_twice ? log_of(log_of(score)) : log_of(score);
}

}  // namespace

size_t sparse_scratch_bytes(const Model& model) {
  const SparseSettings& settings = model.sentence().sparse;
  return settings.pools && !settings.of_tokens ? lay_out_sparse(model).parts.end() : 0;
}

void pool_words(const Pass& pass, const Span& chunk, const Rows& hidden) {
  const SparseSettings& settings = pass.model.sentence().sparse;
  const SparseLayout layout = lay_out_sparse(pass.model);
  const ScratchPool::Lease scratch(pass.model.scratch(), layout.parts.end());
  const Borders borders(scratch.data(), layout.parts);
  const auto at = [&](size_t place) { return reinterpret_cast<float*>(scratch.data() + place); };
  const int64_t vocabulary = pass.config.vocab_size;
  float* const pooled = at(layout.pooled);
  for (int64_t first = chunk.first; first < chunk.last; first += sequences_at_once(pass.model)) {
    const int64_t last = std::min(chunk.last, first + sequences_at_once(pass.model));
    std::fill_n(pooled, (last - first) * vocabulary, 0.0f);
    for (int64_t t = pass.call.offsets[first]; t < pass.call.offsets[last]; t += layout.rows) {
      const int64_t rows = std::min(layout.rows, pass.call.offsets[last] - t);
      const auto pool = [&](int64_t word, int64_t count, const Rows& scores) {
        // The sequence of a token is that of the one before, or a later one.
        int64_t s = std::upper_bound(pass.call.offsets + first, pass.call.offsets + last, t) - pass.call.offsets - 1;
        for (int64_t r = 0; r < rows; ++r) {
          while (pass.call.offsets[s + 1] <= t + r) ++s;
          float* const to = pooled + (s - first) * vocabulary + word;
          const float* const from = scores.row(r);
          if (settings.sums) {
            for (int64_t w = 0; w < count; ++w) to[w] += activated(settings, from[w]);
          } else {
            for (int64_t w = 0; w < count; ++w) to[w] = from[w] > to[w] ? from[w] : to[w];
          }
        }
      };
      for (int64_t r = 0; r < rows; ++r) {
        std::copy_n(hidden.row(t + r - chunk.begin), pass.d, at(layout.states) + r * pass.d);
      }
      const Rows block = {at(layout.block), row_stride(pass.config.embedding_size)};
      prepare_words(pass, at(layout.states), rows, block);
      WordMatrix::Call words;
      words.in = block;
      words.rows = rows;
      words.bias = pass.weights.decoder_bias.data();
      words.out = {at(layout.scores), static_cast<int64_t>(layout.scores_bytes / sizeof(float))};
      words.scratch = scratch.data() + layout.words;
      pass.model.decoder().score(pass.workers, words, pool);
    }
    // Of the largest score the logarithm is the largest, too.
    for (int64_t s = first; s < last; ++s) {
      const float* const row = pooled + (s - first) * vocabulary;
      for (int32_t id = 0; id < pass.config.vocab_size; ++id) {
        if (row[id] > 0) pass.call.sparse->add(id, settings.sums ? row[id] : activated(settings, row[id]));
      }
      pass.call.sparse->finish_row(pass.call.sparse_limits);
    }
  }
}

}  // namespace lffn
