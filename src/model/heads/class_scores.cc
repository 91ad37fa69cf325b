// SPDX-License-Identifier: Apache-2.0
// The class scores of sequences, made of the first token, the last one, or the mean of all.
#include <algorithm>

#include "model/heads/class_dense.h"
#include "model/heads/heads.h"

namespace lffn {
namespace {

struct ClassesLayout {
  ScratchParts parts;
  size_t vectors = 0;  // [sequences][hidden_size], the vectors that are scored
  size_t dense = 0;
};

bool is_late(const ModelCore& model) { return model.config().class_pooling == ClassPooling::kLate; }

ClassesLayout lay_out_classes(const ModelCore& model, const ChunkExtent& extent, size_t begin) {
  ClassesLayout layout = {ScratchParts(begin), 0, 0};
  if (model.num_classes() == 0) return layout;
  layout.vectors = layout.parts.place(floats_bytes(extent.sequences, model.config().hidden_size));
  layout.dense = place_class_dense(model, is_late(model) ? extent.tokens : extent.sequences, layout.parts);
  return layout;
}

// The last token of a sequence that is not empty, class_pad_id left out.
int64_t last_token(const ModelCall& call, const ModelCore& model, int64_t sequence) {
  int64_t last = call.offsets[sequence + 1] - 1;
  while (last > call.offsets[sequence] && call.ids[last] == model.config().class_pad_id) --last;
  return last;
}

bool wants_classes(const ModelCall& call, const ModelCore&) { return call.class_scores != nullptr; }

bool classes_read_all(const ModelCall&, const ModelCore& model) {
  const ClassPooling pooling = model.config().class_pooling;
  return pooling != ClassPooling::kFirst && pooling != ClassPooling::kLast;
}

// The token whose vector is scored, if not all are read. The sequence is not empty.
int64_t read_token(const ModelCall& call, const ModelCore& model, int64_t sequence) {
  const bool is_last = model.config().class_pooling == ClassPooling::kLast;
  return is_last ? last_token(call, model, sequence) : call.offsets[sequence];
}

void mark_for_classes(const ModelCall& call, const ModelCore& model, const Span& chunk, const TokenMarks& marks) {
  for (int64_t s = chunk.first; s < chunk.last; ++s) {
    if (call.length(s) > 0) marks.add(read_token(call, model, s));
  }
}

size_t classes_end(const ModelCall&, const ModelCore& model, const ChunkExtent& extent, size_t begin) {
  return lay_out_classes(model, extent, begin).parts.end();
}

// Makes the vector of a sequence that is scored.
void pool_for_classes(const Pass& pass, const HiddenStates& states, int64_t sequence, const ClassesLayout& layout,
                      float* out) {
  const int64_t length = pass.call.length(sequence);
  if (length == 0) return void(std::fill_n(out, pass.d, 0.0f));
  if (!classes_read_all(pass.call, pass.model)) {
    return void(std::copy_n(states.of(read_token(pass.call, pass.model, sequence)), pass.d, out));
  }
  const Rows tokens = {states.of(pass.call.offsets[sequence]), states.rows.stride};
  std::fill_n(out, pass.d, 0.0f);
  for (int64_t first = 0; first < length; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, length - first);
    Rows now = {tokens.row(first), tokens.stride};
    if (is_late(pass.model)) now = through_class_dense(pass, now, rows, layout.dense);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < pass.d; ++i) out[i] += now.row(r)[i];
    }
  }
  for (int64_t i = 0; i < pass.d; ++i) out[i] /= static_cast<float>(length);
}

void score_classes(const Pass& pass, const HiddenStates& states, size_t) {
  const Span& chunk = states.chunk;
  const int64_t classes = pass.model.num_classes(), sequences = chunk.last - chunk.first;
  const ClassesLayout layout = lay_out_classes(pass.model, {chunk.tokens, sequences}, pass.layout.stage);
  const Borders borders = pass.borders(layout.parts);
  float* const vectors = pass.floats(layout.vectors);
  for (int64_t i = 0; i < sequences; ++i) pool_for_classes(pass, states, chunk.first + i, layout, vectors + i * pass.d);
  float* const scores = pass.call.class_scores + chunk.first * classes;
  for (int64_t first = 0; first < sequences; first += kHeadRows) {
    Linear::Call out;
    out.in = {vectors + first * pass.d, pass.d};
    out.rows = std::min(kHeadRows, sequences - first);
    if (!is_late(pass.model)) out.in = through_class_dense(pass, out.in, out.rows, layout.dense);
    out.out = {scores + first * classes, classes};
    pass.weights.class_out.run(pass.workers, out);
  }
  for (int64_t i = 0; i < sequences; ++i) {
    if (pass.call.length(chunk.first + i) == 0) std::fill_n(scores + i * classes, classes, 0.0f);
  }
}

}  // namespace

const Head kClassScoresHead = {wants_classes, classes_read_all, mark_for_classes, nullptr,
                               classes_end,   score_classes,    nullptr};

}  // namespace lffn
