// SPDX-License-Identifier: Apache-2.0
// One vector for each sequence: pooling, and what a sentence encoder's modules make of it.
#include <algorithm>
#include <cmath>

#include "model/encoder/pass.h"
#include "model/heads/embedding_forms.h"

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

// The first token counts once, the second twice, those that are left out, too.
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

}  // namespace

// Into the call's memory, or into scratch where modules follow.
void Pass::pool(const Span& chunk, const KeptTokens& kept, const Rows& hidden) const {
  const SentenceSettings& sentence = model_.sentence();
  const bool to_modules = runs_modules(model_, call_);
  const Pooling* modes = call_.pooling.has_value() ? &*call_.pooling : sentence.pooling.data();
  const int64_t num_modes = call_.pooling.has_value() ? 1 : static_cast<int64_t>(sentence.pooling.size());
  const int64_t size = d_ * num_modes;
  const Rows out = to_modules ? Rows{floats(layout_.pooled), widest_module(model_)} : Rows{call_.embeddings, size};
  const bool scales =
      !to_modules && (call_.scaling == Scaling::kYes || (call_.scaling == Scaling::kAsModel && sentence.normalises()));
  workers_.run(chunk.last - chunk.first, workers_.threads_for(4.0 * static_cast<double>(chunk.tokens * size)),
               [&](int64_t item, int32_t) {
                 const int64_t s = chunk.first + item, begin = call_.offsets[s];
                 const int64_t last = begin + call_.length(s) - 1;
                 const Tokens tokens = {hidden.row(kept.before(begin - chunk.begin)), call_.length(s), d_};
                 float* to = out.row(to_modules ? item : s);
                 if (tokens.count == 0) {
                   std::fill_n(to, size, 0.0f);
                   return;
                 }
                 for (int64_t i = 0; i < num_modes; ++i) {
                   if (is_one_token(modes[i])) {  // whatever is left out
                     const int64_t token = (modes[i] == Pooling::kFirst ? begin : last) - chunk.begin;
                     std::copy_n(hidden.row(kept.before(token)), d_, to + i * d_);
                   } else {
                     pool_one(tokens, call_.prompt_tokens, modes[i], to + i * d_);
                   }
                 }
                 if (scales) scale_to_one(to, size);
               });
}

void Pass::run_modules(const Span& chunk) const {
  const SentenceSettings& sentence = model_.sentence();
  const int64_t widest = widest_module(model_), final_size = model_.embedding_size(std::nullopt);
  const int64_t sequences = chunk.last - chunk.first, block = std::min(kHeadRows, sequences) * row_stride(widest);
  for (int64_t first = 0; first < sequences; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, sequences - first);
    Rows now = {floats(layout_.pooled) + first * widest, widest};
    int64_t size = d_ * static_cast<int64_t>(sentence.pooling.size());
    const auto scale_all = [&] {
      for (int64_t r = 0; r < rows; ++r) scale_to_one(now.row(r), size);
    };
    int turn = 0;
    for (size_t i = 0; i < sentence.modules.size(); ++i) {
      const SentenceSettings::Module& module = sentence.modules[i];
      if (module.normalise) {
        if (call_.scaling != Scaling::kNo) scale_all();
        continue;
      }
      Linear::Call dense;
      dense.in = now;
      dense.rows = rows;
      dense.activation = module.activation;
      dense.out = {floats(layout_.stage) + turn * block, row_stride(widest)};
      weights_.modules[i].run(workers_, dense);
      turn = 1 - turn;
      now = dense.out;
      size = module.outputs;
    }
    if (call_.scaling == Scaling::kYes && !sentence.modules.back().normalise) scale_all();
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t s = chunk.first + first + r;
      float* to = call_.embeddings + s * final_size;
      if (call_.length(s) == 0) {
        std::fill_n(to, final_size, 0.0f);
      } else {
        std::copy_n(now.row(r), final_size, to);
      }
    }
  }
}

}  // namespace lffn
