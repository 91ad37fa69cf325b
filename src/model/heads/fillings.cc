// SPDX-License-Identifier: Apache-2.0
// The most likely words for masks.
#include <algorithm>

#include "model/heads/heads.h"
#include "model/heads/scores.h"
#include "model/heads/word_scores.h"

namespace lffn {
namespace {

// The most bytes of logits that exist at once.
constexpr int64_t kLogitBytes = int64_t{16} << 20;

struct FillingsLayout {
  ScratchParts parts;
  int64_t rows = 0;   // of masks that go through the language model's head at once
  size_t states = 0;  // [rows][hidden_size]
  size_t logits = 0;  // [rows][vocab_size]
  WordScratch words;
};

FillingsLayout lay_out_fillings(const ModelCall& call, const ModelCore& model, size_t begin) {
  FillingsLayout layout = {ScratchParts(begin), 0, 0, 0, {}};
  if (!model.has_lm_head()) return layout;
  const int64_t vocabulary = model.config().vocab_size;
  const int64_t fitting = kLogitBytes / (vocabulary * static_cast<int64_t>(sizeof(float)));
  layout.rows = std::min(call.num_masks, std::clamp<int64_t>(fitting, 1, kHeadRows));
  layout.states = layout.parts.place(floats_bytes(layout.rows, model.config().hidden_size));
  layout.logits = layout.parts.place(floats_bytes(layout.rows, vocabulary));
  layout.words = place_words(model, layout.rows, layout.parts);
  return layout;
}

bool wants_fillings(const ModelCall& call, const ModelCore&) {
  return call.num_masks > 0 && call.filling_ids != nullptr;
}

void mark_masks(const ModelCall& call, const ModelCore&, const Span&, const TokenMarks& marks) {
  for (int64_t i = 0; i < call.num_masks; ++i) marks.add(call.masks[i]);
}

size_t fillings_end(const ModelCall& call, const ModelCore& model, const ChunkExtent&, size_t begin) {
  return lay_out_fillings(call, model, begin).parts.end();
}

// One block of masks after another: the logits of all would be vocab_size numbers for each mask.
void fill_masks(const Pass& pass, const HiddenStates& states, size_t) {
  const FillingsLayout layout = lay_out_fillings(pass.call, pass.model, pass.layout.stage);
  const Borders borders = pass.borders(layout.parts);
  const Span& chunk = states.chunk;
  const int64_t vocabulary = pass.config.vocab_size, k = pass.call.top_k;
  const int64_t* const end =
      std::lower_bound(pass.call.masks, pass.call.masks + pass.call.num_masks, chunk.begin + chunk.tokens);
  const int64_t* mask = std::lower_bound(pass.call.masks, end, chunk.begin);
  float* const block = pass.floats(layout.states);
  float* const logits = pass.floats(layout.logits);
  while (mask < end) {
    const int64_t rows = std::min<int64_t>(layout.rows, end - mask), first = mask - pass.call.masks;
    for (int64_t r = 0; r < rows; ++r) std::copy_n(states.of(mask[r]), pass.d, block + r * pass.d);
    score_words(pass, block, rows, layout.words, logits);
    pass.workers.run(
        rows, pass.workers.threads_for(16.0 * static_cast<double>(rows * vocabulary)), [&](int64_t r, int32_t) {
          most_likely(
              logits + r * vocabulary, pass.config.vocab_size, pass.call.top_k, pass.call.filling_ids + (first + r) * k,
              pass.call.filling_probabilities != nullptr ? pass.call.filling_probabilities + (first + r) * k : nullptr);
        });
    mask += rows;
  }
}

}  // namespace

const Head kFillingsHead = {wants_fillings, nullptr, mark_masks, nullptr, fillings_end, fill_masks, nullptr};

}  // namespace lffn
