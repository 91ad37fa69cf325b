// SPDX-License-Identifier: Apache-2.0
// One vector for each sequence: pooling, and what a sentence encoder's modules make of it.
#include <algorithm>
#include <cmath>

#include "model/scratch_layout.h"

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

void take_largest(const Tokens& tokens, float* out) {
  std::copy_n(tokens.data, tokens.size, out);
  for (int64_t t = 1; t < tokens.count; ++t) {
    const float* row = tokens.data + t * tokens.size;
    for (int64_t i = 0; i < tokens.size; ++i) out[i] = row[i] > out[i] ? row[i] : out[i];
  }
}

void pool_one(const Tokens& all, int64_t left_out, Pooling pooling, float* out) {
  if (pooling == Pooling::kFirst) {  // whatever is left out
    std::copy_n(all.data, all.size, out);
    return;
  }
  left_out = std::min(left_out, all.count - 1);
  const Tokens tokens = {all.data + left_out * all.size, all.count - left_out, all.size};
  const auto count = static_cast<float>(tokens.count);
  if (pooling == Pooling::kMax) return take_largest(tokens, out);
  add_up(tokens, pooling == Pooling::kMean ? count : std::sqrt(count), out);
}

void scale_to_one(float* values, int64_t size) {
  double squares = 0;
  for (int64_t i = 0; i < size; ++i) squares += double{values[i]} * double{values[i]};
  constexpr double kLeast = 1e-12;  // as PyTorch has it; a vector of zeros stays one
  const double length = std::max(std::sqrt(squares), kLeast);
  for (int64_t i = 0; i < size; ++i) values[i] = static_cast<float>(double{values[i]} / length);
}

// By ModuleActivation.
constexpr Activation kKernelActivations[] = {Activation::kNone, Activation::kTanh, Activation::kRelu,
                                             Activation::kSigmoid, Activation::kGelu};

bool has_dense(const SentenceSettings& sentence) {
  return std::any_of(sentence.modules.begin(), sentence.modules.end(),
                     [](const SentenceSettings::Module& module) { return !module.normalise; });
}

}  // namespace

int64_t Model::embedding_size(std::optional<Pooling> pooling) const {
  int64_t size = config_.hidden_size;
  if (pooling.has_value()) return size;
  size *= static_cast<int64_t>(sentence_.pooling.size());
  for (const SentenceSettings::Module& module : sentence_.modules) {
    if (!module.normalise) size = module.outputs;
  }
  return size;
}

int64_t Model::widest_module() const {
  int64_t widest = config_.hidden_size * static_cast<int64_t>(sentence_.pooling.size());
  for (const SentenceSettings::Module& module : sentence_.modules) widest = std::max<int64_t>(widest, module.outputs);
  return widest;
}

bool Model::runs_modules(const ModelCall& call) const { return !call.pooling.has_value() && has_dense(sentence_); }

// Into the call's memory, or into scratch where modules follow.
void Model::pool(const Workers& workers, const ModelCall& call, const Span& chunk, const Rows& hidden,
                 const Scratch& scratch) const {
  const int64_t d = config_.hidden_size;
  const bool to_modules = runs_modules(call);
  const Pooling* modes = call.pooling.has_value() ? &*call.pooling : sentence_.pooling.data();
  const int64_t num_modes = call.pooling.has_value() ? 1 : static_cast<int64_t>(sentence_.pooling.size());
  const int64_t size = d * num_modes;
  const Rows out =
      to_modules ? Rows{scratch.floats(scratch.layout.pooled), widest_module()} : Rows{call.embeddings, size};
  const bool scales =
      !to_modules && (call.scaling == Scaling::kYes || (call.scaling == Scaling::kAsModel && sentence_.normalises()));
  workers.run(chunk.last - chunk.first, workers.threads_for(4.0 * static_cast<double>(chunk.tokens * size)),
              [&](int64_t item, int32_t) {
                const int64_t s = chunk.first + item, begin = call.offsets[s];
                const Tokens tokens = {hidden.row(begin - chunk.begin), call.offsets[s + 1] - begin, d};
                float* to = out.row(s);
                if (tokens.count == 0) {
                  std::fill_n(to, size, 0.0f);
                  return;
                }
                for (int64_t i = 0; i < num_modes; ++i) pool_one(tokens, call.prompt_tokens, modes[i], to + i * d);
                if (scales) scale_to_one(to, size);
              });
}

void Model::run_modules(const Workers& workers, const ModelCall& call, const Scratch& scratch) const {
  const int64_t widest = widest_module(), final_size = embedding_size(std::nullopt);
  const int64_t block = std::min(kHeadRows, call.num_sequences) * row_stride(widest);
  for (int64_t first = 0; first < call.num_sequences; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, call.num_sequences - first);
    Rows now = {scratch.floats(scratch.layout.pooled) + first * widest, widest};
    int64_t size = config_.hidden_size * static_cast<int64_t>(sentence_.pooling.size());
    const auto scale_all = [&] {
      for (int64_t r = 0; r < rows; ++r) scale_to_one(now.row(r), size);
    };
    int turn = 0;
    for (size_t i = 0; i < modules_.size(); ++i) {
      const SentenceSettings::Module& module = sentence_.modules[i];
      if (module.normalise) {
        if (call.scaling != Scaling::kNo) scale_all();
        continue;
      }
      Linear::Call dense;
      dense.in = now;
      dense.rows = rows;
      dense.activation = kKernelActivations[static_cast<size_t>(module.activation)];
      dense.out = {scratch.floats(scratch.layout.stage) + turn * block, row_stride(widest)};
      modules_[i].run(workers, dense);
      turn = 1 - turn;
      now = dense.out;
      size = module.outputs;
    }
    if (call.scaling == Scaling::kYes && !sentence_.modules.back().normalise) scale_all();
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t s = first + r;
      float* to = call.embeddings + s * final_size;
      if (call.offsets[s] == call.offsets[s + 1]) {
        std::fill_n(to, final_size, 0.0f);
      } else {
        std::copy_n(now.row(r), final_size, to);
      }
    }
  }
}

}  // namespace lffn
