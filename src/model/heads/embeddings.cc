// SPDX-License-Identifier: Apache-2.0
// One vector for each sequence: pooling, then the modules of a sentence encoder.

#include <algorithm>
#include <cmath>

#include "model/encoder/pass.h"
#include "model/heads/embedding_forms.h"
#include "model/heads/heads.h"

namespace lffn {
namespace {

// The tokens of one sequence that are pooled; at least one.
struct Tokens {
  const float* data;
  int64_t count;
  int64_t size;  // floats of each, and from one to the next
};

void add_up(const Tokens& tokens, float divisor, float* out) {
  std::copy_n(tokens.data, tokens.size, out);
  for (int64_t t = 1; t < tokens.count; ++t) {
    const float* row = tokens.data + t * tokens.size;
    for (int64_t i = 0; i < tokens.size; ++i) out[i] += row[i];
  }
  for (int64_t i = 0; i < tokens.size; ++i) out[i] /= divisor;
}

// The first token counts once, the second twice, and so on; tokens that are left out are numbered, too.
void add_weighted(const Tokens& tokens, int64_t left_out, float* out) {
  std::fill_n(out, tokens.size, 0.0f);
  double sum = 0;
  for (int64_t t = 0; t < tokens.count; ++t) {
    const float* row = tokens.data + t * tokens.size;
    const auto weight = static_cast<float>(left_out + t + 1);
    sum += double{weight};
    for (int64_t i = 0; i < tokens.size; ++i) out[i] += row[i] * weight;
  }
  const auto divisor = static_cast<float>(sum);
  for (int64_t i = 0; i < tokens.size; ++i) out[i] /= divisor;
}

void take_largest(const Tokens& tokens, float* out) {
  std::copy_n(tokens.data, tokens.size, out);
  for (int64_t t = 1; t < tokens.count; ++t) {
    const float* row = tokens.data + t * tokens.size;
    for (int64_t i = 0; i < tokens.size; ++i) out[i] = row[i] > out[i] ? row[i] : out[i];
  }
}

void pool_one(const Tokens& all, int64_t left_out, Pooling pooling, float* out) {
  left_out = std::min(left_out, all.count - 1);
  const Tokens tokens = {all.data + left_out * all.size, all.count - left_out, all.size};
  const auto count = static_cast<float>(tokens.count);
  if (pooling == Pooling::kMax) return take_largest(tokens, out);
  if (pooling == Pooling::kWeightedMean) return add_weighted(tokens, left_out, out);
  add_up(tokens, pooling == Pooling::kMean ? count : std::sqrt(count), out);
}

// Whether dense modules follow pooling.
bool runs_modules(const ModelCall& call, const ModelCore& model) {
  const std::vector<SentenceSettings::Module>& modules = model.sentence().modules;
  return !call.pooling.has_value() &&
         std::any_of(modules.begin(), modules.end(), [](const auto& module) { return !module.normalise; });
}

// The most numbers of a vector between modules.
int64_t widest_module(const ModelCore& model) {
  const SentenceSettings& sentence = model.sentence();
  int64_t widest = model.config().hidden_size * static_cast<int64_t>(sentence.pooling.size());
  for (const SentenceSettings::Module& module : sentence.modules) widest = std::max<int64_t>(widest, module.outputs);
  return widest;
}

struct ModulesLayout {
  ScratchParts parts;
  size_t pooled = 0;  // [sequences][widest_module()]
  size_t blocks = 0;  // two blocks of rows between modules
  size_t block_bytes = 0;
};

ModulesLayout lay_out_modules(const ModelCall& call, const ModelCore& model, int64_t sequences, size_t begin) {
  ModulesLayout layout = {ScratchParts(begin), 0, 0, 0};
  if (!runs_modules(call, model)) return layout;
  layout.pooled = layout.parts.place(floats_bytes(sequences, widest_module(model)));
  layout.blocks = layout.parts.place_each(2, block_bytes(sequences, widest_module(model)), layout.block_bytes);
  return layout;
}

bool wants_embeddings(const ModelCall& call, const ModelCore&) { return call.embeddings != nullptr; }

template <typename Act>
void for_poolings(const ModelCall& call, const ModelCore& model, Act&& act) {
  if (call.pooling.has_value()) return act(*call.pooling);
  for (const Pooling pooling : model.sentence().pooling) act(pooling);
}

bool poolings_read_all(const ModelCall& call, const ModelCore& model) {
  bool all = false;
  for_poolings(call, model, [&](Pooling pooling) { all = all || !is_one_token(pooling); });
  return all;
}

void mark_pooled(const ModelCall& call, const ModelCore& model, const Span& chunk, const TokenMarks& marks) {
  for_poolings(call, model, [&](Pooling pooling) {
    for (int64_t s = chunk.first; s < chunk.last; ++s) {
      if (call.length(s) > 0) marks.add(pooling == Pooling::kFirst ? call.offsets[s] : call.offsets[s + 1] - 1);
    }
  });
}

size_t modules_end(const ModelCall& call, const ModelCore& model, const ChunkExtent& extent, size_t begin) {
  return lay_out_modules(call, model, extent.sequences, begin).parts.end();
}

// One vector for each sequence, into the call's memory, or into scratch where modules follow.
void pool(const Pass& pass, const HiddenStates& states, const ModulesLayout& layout) {
  const Span& chunk = states.chunk;
  const SentenceSettings& sentence = pass.model.sentence();
  const bool to_modules = runs_modules(pass.call, pass.model);
  const Pooling* modes = pass.call.pooling.has_value() ? &*pass.call.pooling : sentence.pooling.data();
  const int64_t num_modes = pass.call.pooling.has_value() ? 1 : static_cast<int64_t>(sentence.pooling.size());
  const int64_t size = pass.d * num_modes;
  const Rows out =
      to_modules ? Rows{pass.floats(layout.pooled), widest_module(pass.model)} : Rows{pass.call.embeddings, size};
  const bool scales = !to_modules && (pass.call.scaling == Scaling::kYes ||
                                      (pass.call.scaling == Scaling::kAsModel && sentence.normalises()));
  pass.workers.run(chunk.last - chunk.first, pass.workers.threads_for(4.0 * static_cast<double>(chunk.tokens * size)),
                   [&](int64_t item, int32_t) {
                     const int64_t s = chunk.first + item, begin = pass.call.offsets[s];
                     const int64_t last = begin + pass.call.length(s) - 1;
                     const Tokens tokens = {states.of(begin), pass.call.length(s), pass.d};
                     float* to = out.row(to_modules ? item : s);
                     if (tokens.count == 0) {
                       std::fill_n(to, size, 0.0f);
                       return;
                     }
                     for (int64_t i = 0; i < num_modes; ++i) {
                       if (is_one_token(modes[i])) {  // whichever tokens are left out
                         const float* const token = states.of(modes[i] == Pooling::kFirst ? begin : last);
                         std::copy_n(token, pass.d, to + i * pass.d);
                       } else {
                         pool_one(tokens, pass.call.prompt_tokens, modes[i], to + i * pass.d);
                       }
                     }
                     if (scales) scale_to_one(to, size);
                   });
}

// Runs the pooled vectors through the modules of a sentence encoder.
void run_modules(const Pass& pass, const Span& chunk, const ModulesLayout& layout) {
  const SentenceSettings& sentence = pass.model.sentence();
  const int64_t widest = widest_module(pass.model), final_size = pass.model.embedding_size(std::nullopt);
  const int64_t sequences = chunk.last - chunk.first;
  for (int64_t first = 0; first < sequences; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, sequences - first);
    Rows now = {pass.floats(layout.pooled) + first * widest, widest};
    int64_t size = pass.d * static_cast<int64_t>(sentence.pooling.size());
    const auto scale_all = [&] {
      for (int64_t r = 0; r < rows; ++r) scale_to_one(now.row(r), size);
    };
    size_t turn = 0;
    for (size_t i = 0; i < sentence.modules.size(); ++i) {
      const SentenceSettings::Module& module = sentence.modules[i];
      if (module.normalise) {
        if (pass.call.scaling != Scaling::kNo) scale_all();
        continue;
      }
      Linear::Call dense;
      dense.in = now;
      dense.rows = rows;
      dense.activation = module.activation;
      dense.out = {pass.floats(layout.blocks + turn * layout.block_bytes), row_stride(widest)};
      pass.weights.modules[i].run(pass.workers, dense);
      turn = 1 - turn;
      now = dense.out;
      size = module.outputs;
    }
    if (pass.call.scaling == Scaling::kYes && !sentence.modules.back().normalise) scale_all();
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t s = chunk.first + first + r;
      float* to = pass.call.embeddings + s * final_size;
      if (pass.call.length(s) == 0) {
        std::fill_n(to, final_size, 0.0f);
      } else {
        std::copy_n(now.row(r), final_size, to);
      }
    }
  }
}

void embed_sequences(const Pass& pass, const HiddenStates& states, size_t) {
  const Span& chunk = states.chunk;
  const ModulesLayout layout = lay_out_modules(pass.call, pass.model, chunk.last - chunk.first, pass.layout.stage);
  const Borders borders = pass.borders(layout.parts);
  pool(pass, states, layout);
  if (runs_modules(pass.call, pass.model)) run_modules(pass, chunk, layout);
}

}  // namespace

const Head kEmbeddingsHead = {wants_embeddings, poolings_read_all, mark_pooled, nullptr,
                              modules_end,      embed_sequences,   nullptr};

}  // namespace lffn
