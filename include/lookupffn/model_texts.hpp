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
  return floats(args, args.token_scores, args.token_scores_capacity, tokens * info().num_token_classes);
}

inline std::vector<float> Model::encode(const Sequences& sequences, const RunOptions& options) const {
  lffn_model_run_args args = arguments(sequences, options);
  const auto tokens = static_cast<std::int64_t>(sequences.ids.size());
  return floats(args, args.hidden, args.hidden_capacity, tokens * info().hidden_size);
}

inline std::vector<float> Model::logits(const Sequences& sequences, Span<const std::int64_t> positions,
                                        const RunOptions& options) const {
  lffn_model_run_args args = arguments(sequences, options);
  args.positions = positions.data();
  args.n_positions = static_cast<std::int64_t>(positions.size());
  return floats(args, args.logits, args.logits_capacity, args.n_positions * info().vocab_size);
}

inline lffn_model_run_args Model::arguments(const RunOptions& options) noexcept {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.max_tokens = options.max_tokens;
  args.reading = options.reading;
  args.prompt_kind = options.prompt_kind;
  // A prompt that its kind does not take goes along, so that the call refuses it.
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

inline std::vector<float> Model::floats(lffn_model_run_args& args, float*& output, std::int64_t& capacity,
                                        std::int64_t size) const {
  std::vector<float> result(static_cast<std::size_t>(size));
  float none = 0;
  output = result.empty() ? &none : result.data();
  capacity = size;
  check(lffn_model_run(handle_.get(), &args));
  return result;
}

inline ResultView Model::run(const Texts& texts, const RunOptions& options, std::uint32_t wanted,
                             Result& result) const {
  lffn_model_run_args args = arguments(options);
  texts.give(args);
  args.result = result.get();
  args.wanted = wanted;
  check(lffn_model_run(handle_.get(), &args));
  return result.view();
}

inline List<List<Window>> Model::embed_windows(const Texts& texts, const RunOptions& options) const {
  RunOptions each = options;
  each.windows = LFFN_WINDOWS_EACH;
  Result result;
  const ResultView view = run(texts, each, LFFN_WANT_EMBEDDINGS | LFFN_WANT_SPANS, result);
  List<List<Window>> found(static_cast<std::size_t>(view.n_texts));
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::int64_t s = view.text_offsets[i]; s < view.text_offsets[i + 1]; ++s) {
      const float* const embedding = view.embeddings + s * view.embedding_size;
      found[i].push_back({static_cast<std::size_t>(view.text_begins[s]), static_cast<std::size_t>(view.text_ends[s]),
                          std::vector<float>(embedding, embedding + view.embedding_size)});
    }
  }
  return found;
}

inline Int8Embeddings Model::embed_int8(const Texts& texts, const RunOptions& options) const {
  Result result;
  const ResultView view = run(texts, options, LFFN_WANT_INT8_EMBEDDINGS, result);
  const std::int64_t rows = options.windows == LFFN_WINDOWS_MEAN ? view.n_texts : view.n;
  Int8Embeddings found;
  found.size = static_cast<std::size_t>(view.embedding_size);
  found.values.assign(view.int8_embeddings, view.int8_embeddings + rows * view.embedding_size);
  found.scales.assign(view.embedding_scales, view.embedding_scales + rows);
  return found;
}

inline std::vector<std::uint8_t> Model::embed_bits(const Texts& texts, const RunOptions& options) const {
  Result result;
  const ResultView view = run(texts, options, LFFN_WANT_BIT_EMBEDDINGS, result);
  const std::int64_t rows = options.windows == LFFN_WINDOWS_MEAN ? view.n_texts : view.n;
  return {view.bit_embeddings, view.bit_embeddings + rows * ((view.embedding_size + 7) / 8)};
}

inline List<SparseVector> Model::embed_sparse(const Texts& texts, const RunOptions& options) const {
  Result result;
  const ResultView view = run(texts, options, LFFN_WANT_SPARSE, result);
  List<SparseVector> found(static_cast<std::size_t>(view.n));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t begin = view.sparse_offsets[i], end = view.sparse_offsets[i + 1];
    found[i].ids.assign(view.sparse_ids + begin, view.sparse_ids + end);
    found[i].weights.assign(view.sparse_weights + begin, view.sparse_weights + end);
  }
  return found;
}

inline List<TokenVectors> Model::token_vectors(const Texts& texts, const RunOptions& options) const {
  Result result;
  const ResultView view = run(texts, options, LFFN_WANT_TOKEN_VECTORS | LFFN_WANT_SPANS | LFFN_WANT_IDS, result);
  List<TokenVectors> found(static_cast<std::size_t>(view.n));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t begin = view.vector_offsets[i], end = view.vector_offsets[i + 1];
    found[i].size = static_cast<std::size_t>(view.token_vector_size);
    found[i].values.assign(view.token_vectors + begin * view.token_vector_size,
                           view.token_vectors + end * view.token_vector_size);
    for (std::int64_t v = begin; v < end; ++v) {
      const std::int64_t token = view.vector_tokens[v];
      found[i].ids.push_back(view.ids[token]);
      found[i].begins.push_back(view.token_begins[token]);
      found[i].ends.push_back(view.token_ends[token]);
    }
  }
  return found;
}

inline List<TokenCount> Model::count_tokens(const Texts& texts, const RunOptions& options) const {
  Result result;
  const ResultView view = run(texts, options, LFFN_WANT_UNCUT, result);
  List<TokenCount> found(static_cast<std::size_t>(view.n_texts));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t first = view.text_offsets == nullptr ? i : static_cast<std::size_t>(view.text_offsets[i]);
    const std::size_t last = view.text_offsets == nullptr ? i + 1 : static_cast<std::size_t>(view.text_offsets[i + 1]);
    found[i] = {view.offsets[last] - view.offsets[first], view.uncut[i]};
  }
  return found;
}

}  // namespace lookupffn

#endif /* LOOKUPFFN_MODEL_TEXTS_HPP */
