// SPDX-License-Identifier: Apache-2.0
#include "model/late/late_vectors.h"

#include <algorithm>
#include <vector>

#include "model/encoder/pass.h"
#include "model/heads/embedding_forms.h"

namespace lffn {
namespace {

constexpr int64_t kRowsOfItem = 64;

int64_t widest_row(const ModelCore& model) {
  int64_t widest = model.config().hidden_size;
  for (const LateSettings::Layer& layer : model.sentence().late.layers) {
    widest = std::max<int64_t>({widest, layer.inputs, layer.outputs});
  }
  return std::max(widest, model.token_vector_size());
}

struct VectorsLayout {
  ScratchParts parts;
  size_t blocks = 0;  // blocks of rows: the gathered ones, and two between layers
  size_t block_bytes = 0;
};

VectorsLayout lay_out_vectors(const ModelCore& model, size_t begin) {
  VectorsLayout layout = {ScratchParts(begin), 0, 0};
  if (!model.sentence().late.is_late) return layout;
  layout.blocks = layout.parts.place_each(3, block_bytes(kHeadRows, widest_row(model)), layout.block_bytes);
  return layout;
}

bool wants_vectors(const ModelCall& call, const ModelCore&) { return call.token_vectors != nullptr; }

size_t vectors_end(const ModelCall&, const ModelCore& model, const ChunkExtent&, size_t begin) {
  return lay_out_vectors(model, begin).parts.end();
}

// Runs some rows through a layer.
void run_late_layer(const Pass& pass, size_t number, const Rows& in, int64_t rows, const Rows& out) {
  const std::vector<LateSettings::Layer>& layers = pass.model.sentence().late.layers;
  Linear::Call call;
  call.in = in;
  call.rows = rows;
  call.out = out;
  if (number < layers.size()) call.activation = layers[number].activation;
  (number == 0 ? pass.weights.token_vectors : pass.weights.later_vectors[number - 1]).run(pass.workers, call);
  if (number >= layers.size() || layers[number].residual == LateSettings::Residual::kNone) return;
  if (layers[number].residual == LateSettings::Residual::kProjected) {
    call.activation = Activation::kNone;
    call.add = true;
    return pass.weights.vector_residuals[number].run(pass.workers, call);
  }
  for (int64_t r = 0; r < rows; ++r) {
    const float* const from = in.row(r);
    float* const to = out.row(r);
    for (int64_t i = 0; i < layers[number].outputs; ++i) to[i] += from[i];
  }
}

void make_token_vectors(const Pass& pass, const HiddenStates& states, size_t) {
  const Span& chunk = states.chunk;
  const LateSettings& late = pass.model.sentence().late;
  const int64_t size = pass.model.token_vector_size();
  const int64_t* first = nullptr;
  int64_t count = chunk.tokens, before = chunk.begin;
  if (pass.call.vector_tokens != nullptr) {
    const int64_t* const all_end = pass.call.vector_tokens + pass.call.num_vectors;
    first = std::lower_bound(pass.call.vector_tokens, all_end, chunk.begin);
    count = std::lower_bound(first, all_end, chunk.begin + chunk.tokens) - first;
    before = first - pass.call.vector_tokens;
  }
  const bool gathers = first != nullptr && count < chunk.tokens;
  const size_t layers = pass.weights.token_vectors.empty() ? 0 : 1 + pass.weights.later_vectors.size();
  const bool scales = pass.call.scaling == Scaling::kYes ||
                      (pass.call.scaling == Scaling::kAsModel && (late.is_late ? late.normalises : layers > 0));
  const int64_t at_once = gathers || layers > 1 ? kHeadRows : std::max<int64_t>(count, 1);
  const VectorsLayout layout = lay_out_vectors(pass.model, pass.layout.stage);
  const Borders borders = pass.borders(layout.parts);
  const auto block = [&](size_t number) {
    return Rows{pass.floats(layout.blocks + number * layout.block_bytes), row_stride(widest_row(pass.model))};
  };
  const Rows gathered = block(0);
  for (int64_t done = 0; done < count; done += at_once) {
    const int64_t rows = std::min(at_once, count - done);
    Rows now = {states.rows.row(done), states.rows.stride};
    if (gathers) {
      for (int64_t r = 0; r < rows; ++r) {
        std::copy_n(states.of(first[done + r]), pass.d, gathered.row(r));
      }
      now = gathered;
    }
    const Rows out = {pass.call.token_vectors + (before + done) * size, size};
    for (size_t i = 0; i < layers; ++i) {
      const Rows to = i + 1 == layers ? out : block(1 + i % 2);
      run_late_layer(pass, i, now, rows, to);
      now = to;
    }
    pass.workers.run((rows + kRowsOfItem - 1) / kRowsOfItem,
                     pass.workers.threads_for(4.0 * static_cast<double>(rows * size)), [&](int64_t item, int32_t) {
                       const int64_t last = std::min(rows, (item + 1) * kRowsOfItem);
                       for (int64_t t = item * kRowsOfItem; t < last; ++t) {
                         if (layers == 0) std::copy_n(now.row(t), size, out.row(t));
                         if (scales) scale_to_one(out.row(t), size);
                       }
                     });
  }
}

}  // namespace

const Head kTokenVectorsHead = {wants_vectors, nullptr, nullptr, nullptr, vectors_end, make_token_vectors, nullptr};

void add_tokens_with_vectors(const LateSettings& late, LateRole role, const int32_t* ids, int64_t begin, int64_t end,
                             std::vector<int64_t>& to) {
  for (int64_t t = begin; t < end; ++t) {
    if (late.is_late && ((t == begin && late.skips_first_token) || !late.keeps(role, ids[t]))) continue;
    to.push_back(t);
  }
}

}  // namespace lffn
