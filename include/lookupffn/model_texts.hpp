/* model_texts.hpp - longer members of Model: outputs for texts and tokens. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_MODEL_TEXTS_HPP
#define LOOKUPFFN_MODEL_TEXTS_HPP

#include <string>
#include <string_view>
#include <vector>

#include "lookupffn/model.hpp"

namespace lookupffn {

inline std::vector<float> Model::token_scores(const Sequences& sequences, const RunOptions& options) const {
  lffn_model_run_args args = arguments(sequences, options);
  const auto tokens = static_cast<std::int64_t>(sequences.ids.size());
  return floats(args, out::token_scores, tokens * info().num_token_classes);
}

inline std::vector<float> Model::encode(const Sequences& sequences, const RunOptions& options) const {
  lffn_model_run_args args = arguments(sequences, options);
  const auto tokens = static_cast<std::int64_t>(sequences.ids.size());
  return floats(args, out::hidden, tokens * info().hidden_size);
}

inline std::vector<float> Model::logits(const Sequences& sequences, Span<const std::int64_t> positions,
                                        const RunOptions& options) const {
  lffn_model_run_args args = arguments(sequences, options);
  args.logit_positions = positions.data();
  args.n_logit_positions = static_cast<std::int64_t>(positions.size());
  return floats(args, out::logits, args.n_logit_positions * info().vocab_size);
}

inline lffn_model_run_args Model::arguments(const RunOptions& options) noexcept {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.max_tokens = options.max_tokens;
  args.reading = options.reading;
  args.prompt_kind = options.prompt_kind;
  // A prompt is passed even if prompt_kind takes none, so that the call refuses it.
  const bool takes_prompt = options.prompt_kind == LFFN_PROMPT_NAMED || options.prompt_kind == LFFN_PROMPT_TEXT;
  if (takes_prompt || !options.prompt.empty()) {
    args.prompt = options.prompt.data();
    args.prompt_size = options.prompt.size();
  }
  args.pooling = options.pooling;
  args.dimensions = options.dimensions;
  args.windows = options.windows;
  args.stride = options.stride;
  args.max_active = options.max_active;
  args.min_weight = options.min_weight;
  args.flags = options.repair_text ? std::uint32_t{LFFN_RUN_REPAIR_TEXT} : 0u;
  args.progress = options.progress;
  args.progress_user = options.progress_user;
  args.normalize = options.normalize;
  args.num_threads = options.num_threads;
  args.cancel = options.cancel == nullptr ? nullptr : options.cancel->address();
  return args;
}

inline lffn_model_run_args Model::arguments(const Sequences& sequences, const RunOptions& options) {
  lffn_model_run_args args = arguments(options);
  args.n = sequences.count();
  args.ids = sequences.ids.data();
  args.offsets = sequences.offsets.data();
  args.token_types = sequences.types.empty() ? nullptr : sequences.types.data();
  return args;
}

inline std::vector<float> Model::floats(lffn_model_run_args& args, Output<float> output, std::int64_t size) const {
  std::vector<float> result(static_cast<std::size_t>(size));
  float none = 0;  // an address for the output: the library looks for the head even where nothing is written
  const lffn_output only = {output.what, 0, result.empty() ? &none : result.data(), size};
  args.outputs = &only;
  args.n_outputs = 1;
  check(lffn_model_run(handle_.get(), &args));
  return result;
}

/** The outputs as lffn_model_run takes them, kept in its result. */
inline std::vector<lffn_output> kept(std::initializer_list<AnyOutput> outputs) {
  std::vector<lffn_output> list;
  for (const AnyOutput output : outputs) list.push_back({output.what, 0, nullptr, 0});
  return list;
}

inline void Model::keep(lffn_model_run_args& args, const std::vector<lffn_output>& outputs, Result& result) noexcept {
  args.outputs = outputs.data();
  args.n_outputs = static_cast<std::int64_t>(outputs.size());
  args.result = result.get();
}

inline void Model::run(const Texts& texts, std::initializer_list<AnyOutput> outputs, Result& result,
                       const RunOptions& options) const {
  lffn_model_run_args args = arguments(options);
  texts.give(args);
  const std::vector<lffn_output> list = kept(outputs);
  keep(args, list, result);
  check(lffn_model_run(handle_.get(), &args));
}

inline List<List<Window>> Model::embed_windows(const Texts& texts, const RunOptions& options) const {
  RunOptions each = options;
  each.windows = LFFN_WINDOWS_EACH;
  Result result;
  run(texts, {out::embeddings, out::window_offsets, out::text_begins, out::text_ends}, result, each);
  const auto embeddings = result.get(out::embeddings);
  const auto offsets = result.get(out::window_offsets);
  const auto begins = result.get(out::text_begins), ends = result.get(out::text_ends);
  List<List<Window>> found(static_cast<std::size_t>(texts.count()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (auto s = static_cast<std::size_t>(offsets[i]); s < static_cast<std::size_t>(offsets[i + 1]); ++s) {
      const Span<const float> embedding = embeddings.row(s);
      found[i].push_back({static_cast<std::size_t>(begins[s]), static_cast<std::size_t>(ends[s]),
                          std::vector<float>(embedding.begin(), embedding.end())});
    }
  }
  return found;
}

inline Int8Embeddings Model::embed_int8(const Texts& texts, const RunOptions& options) const {
  Result result;
  run(texts, {out::int8_embeddings, out::embedding_scales}, result, options);
  const auto values = result.get(out::int8_embeddings);
  const auto scales = result.get(out::embedding_scales);
  Int8Embeddings found;
  found.size = values.columns;
  found.values.assign(values.values.begin(), values.values.end());
  found.scales.assign(scales.values.begin(), scales.values.end());
  return found;
}

inline std::vector<std::uint8_t> Model::embed_bits(const Texts& texts, const RunOptions& options) const {
  Result result;
  run(texts, {out::bit_embeddings}, result, options);
  const auto bits = result.get(out::bit_embeddings).values;
  return {bits.begin(), bits.end()};
}

inline List<SparseVector> Model::embed_sparse(const Texts& texts, const RunOptions& options) const {
  Result result;
  run(texts, {out::sparse_ids, out::sparse_weights, out::sparse_offsets}, result, options);
  const std::int32_t* const ids = result.get(out::sparse_ids).values.data();
  const float* const weights = result.get(out::sparse_weights).values.data();
  const auto offsets = result.get(out::sparse_offsets);
  List<SparseVector> found(offsets.count() - 1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].ids.assign(ids + offsets[i], ids + offsets[i + 1]);
    found[i].weights.assign(weights + offsets[i], weights + offsets[i + 1]);
  }
  return found;
}

inline List<TokenVectors> Model::token_vectors(const Texts& texts, const RunOptions& options) const {
  Result result;
  run(texts,
      {out::token_vectors, out::vector_offsets, out::vector_tokens, out::token_ids, out::token_begins, out::token_ends},
      result, options);
  const auto vectors = result.get(out::token_vectors);
  const auto offsets = result.get(out::vector_offsets), tokens = result.get(out::vector_tokens);
  const auto begins = result.get(out::token_begins), ends = result.get(out::token_ends);
  const auto ids = result.get(out::token_ids);
  List<TokenVectors> found(offsets.count() - 1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].size = vectors.columns;
    for (auto v = static_cast<std::size_t>(offsets[i]); v < static_cast<std::size_t>(offsets[i + 1]); ++v) {
      const Span<const float> vector = vectors.row(v);
      found[i].values.insert(found[i].values.end(), vector.begin(), vector.end());
      const auto token = static_cast<std::size_t>(tokens[v]);
      found[i].ids.push_back(ids[token]);
      found[i].begins.push_back(begins[token]);
      found[i].ends.push_back(ends[token]);
    }
  }
  return found;
}

inline List<TokenCount> Model::count_tokens(const Texts& texts, const RunOptions& options) const {
  Result result;
  run(texts, {out::token_offsets, out::window_offsets, out::uncut_lengths}, result, options);
  const auto offsets = result.get(out::token_offsets), windows = result.get(out::window_offsets);
  const auto uncut = result.get(out::uncut_lengths);
  List<TokenCount> found(uncut.count());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto first = static_cast<std::size_t>(windows[i]), last = static_cast<std::size_t>(windows[i + 1]);
    found[i] = {offsets[last] - offsets[first], uncut[i]};
  }
  return found;
}

}  // namespace lookupffn

#endif /* LOOKUPFFN_MODEL_TEXTS_HPP */
