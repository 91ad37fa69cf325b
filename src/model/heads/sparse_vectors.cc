// SPDX-License-Identifier: Apache-2.0
// One sparse vector for each sequence: the language model's scores of all its tokens, pooled over them.
#include <algorithm>

#include "model/heads/heads.h"
#include "model/heads/word_scores.h"
#include "runtime/own_math.h"

namespace lffn {
namespace {

// Sequences whose scores are pooled at once: each takes a row of the vocabulary.
int64_t sequences_at_once(const ModelCore& model) { return std::max(model.running().num_threads, 1); }

// What the scores of a call are pooled in.
struct SparseLayout {
  ScratchParts parts;
  int64_t rows = kHeadRows;  // tokens that go through the language model's head at once
  size_t states = 0;         // [rows][hidden_size]
  size_t block = 0;          // [rows][row_stride(embedding_size)]
  size_t words = 0;          // scratch memory for scoring them
  size_t scores = 0;         // of each thread [most_scores]
  size_t scores_bytes = 0;   // from one thread's to the next
  size_t pooled = 0;         // [sequences][vocab_size]
};

bool makes_sparse(const ModelCore& model) {
  const SparseSettings& settings = model.sentence().sparse;
  return settings.pools && !settings.of_tokens;
}

SparseLayout lay_out_sparse(const ModelCore& model, size_t begin) {
  const ModelConfig& config = model.config();
  SparseLayout layout;
  ScratchParts& parts = layout.parts = ScratchParts(begin);
  if (!makes_sparse(model)) return layout;
  layout.states = parts.place(floats_bytes(layout.rows, config.hidden_size));
  layout.block = parts.place(floats_bytes(layout.rows, row_stride(config.embedding_size)));
  layout.words = parts.place(model.decoder().scratch_bytes(layout.rows));
  layout.scores = parts.place_each(model.running().num_threads,
                                   floats_bytes(model.decoder().most_scores(layout.rows), 1), layout.scores_bytes);
  layout.pooled = parts.place(floats_bytes(sequences_at_once(model), config.vocab_size));
  return layout;
}

float log_of(float value) { return static_cast<float>(own_log1p(static_cast<double>(value))); }

float activated(const SparseSettings& settings, float score) {
  if (!(score > 0)) return 0;
  return settings.takes_log_twice ? log_of(log_of(score)) : log_of(score);
}

bool wants_sparse(const ModelCall& call, const ModelCore& model) {
  return call.sparse != nullptr && makes_sparse(model);
}

size_t sparse_end(const ModelCall&, const ModelCore& model, const ChunkExtent&, size_t begin) {
  return lay_out_sparse(model, begin).parts.end();
}

void pool_words(const Pass& pass, const HiddenStates& states, size_t) {
  const Span& chunk = states.chunk;
  const SparseSettings& settings = pass.model.sentence().sparse;
  const SparseLayout layout = lay_out_sparse(pass.model, pass.layout.stage);
  const Borders borders = pass.borders(layout.parts);
  const int64_t vocabulary = pass.config.vocab_size;
  float* const pooled = pass.floats(layout.pooled);
  float* const block_states = pass.floats(layout.states);
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
        std::copy_n(states.of(t + r), pass.d, block_states + r * pass.d);
      }
      const Rows block = {pass.floats(layout.block), row_stride(pass.config.embedding_size)};
      prepare_words(pass, block_states, rows, block);
      WordMatrix::Call words;
      words.in = block;
      words.rows = rows;
      words.bias = pass.weights.decoder_bias.data();
      words.out = {pass.floats(layout.scores), static_cast<int64_t>(layout.scores_bytes / sizeof(float))};
      words.scratch = pass.bytes(layout.words);
      pass.model.decoder().score(pass.workers, words, pool);
    }
    // The largest score also has the largest logarithm, so logarithms are taken after pooling.
    for (int64_t s = first; s < last; ++s) {
      const float* const row = pooled + (s - first) * vocabulary;
      for (int32_t id = 0; id < pass.config.vocab_size; ++id) {
        if (row[id] > 0) pass.call.sparse->add(id, settings.sums ? row[id] : activated(settings, row[id]));
      }
      pass.call.sparse->finish_row(pass.call.sparse_limits);
    }
  }
}

}  // namespace

const Head kSparseVectorsHead = {wants_sparse, nullptr, nullptr, nullptr, sparse_end, pool_words, nullptr};

}  // namespace lffn
