// SPDX-License-Identifier: Apache-2.0
#include "model/heads/word_scores.h"

#include <algorithm>

namespace lffn {

WordScratch place_words(const ModelCore& model, int64_t rows, ScratchParts& parts) {
  WordScratch words;
  words.block = parts.place(block_bytes(rows, model.config().embedding_size));
  words.words = parts.place(model.decoder().scratch_bytes(rows));
  return words;
}

void prepare_words(const Pass& pass, const float* states, int64_t rows, const Rows& block) {
  if (pass.weights.lm_dense.empty()) {
    for (int64_t r = 0; r < rows; ++r) std::copy_n(states + r * pass.d, pass.d, block.row(r));
    return;
  }
  Linear::Call dense;
  dense.in = {const_cast<float*>(states), pass.d};  // NOLINT(cppcoreguidelines-pro-type-const-cast): it is read
  dense.rows = rows;
  dense.activation = pass.config.lm_activation;
  dense.out = block;
  pass.weights.lm_dense.run(pass.workers, dense);
  pass.workers.kernels.normalise(pass.weights.lm_norm.plan(), block.data, block.stride, rows, block.data, block.stride);
}

void score_words(const Pass& pass, const float* states, int64_t rows, const WordScratch& scratch, float* logits) {
  const Rows block = {pass.floats(scratch.block), row_stride(pass.config.embedding_size)};
  prepare_words(pass, states, rows, block);
  WordMatrix::Call words;
  words.in = block;
  words.rows = rows;
  words.bias = pass.weights.decoder_bias.data();
  words.out = {logits, pass.config.vocab_size};
  words.scratch = pass.bytes(scratch.words);
  pass.model.decoder().score(pass.workers, words);
}

}  // namespace lffn
