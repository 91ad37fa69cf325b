/* late.hpp - late interaction in C++17: texts as several vectors each, and their similarity. Included by
 * lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_LATE_HPP
#define LOOKUPFFN_LATE_HPP

#include <string>
#include <string_view>
#include <vector>

#include "lookupffn/late.h"
#include "lookupffn/model_texts.hpp"

namespace lookupffn {

/** The score of each document for each query, [queries, documents]; see lffn_max_sim.
 * @param queries   from Model::embed_late
 * @param documents likewise, perhaps as bytes
 * @param options   see MaxSimOptions */
inline std::vector<float> max_sim(const LateVectors& queries, const LateVectors& documents,
                                  const MaxSimOptions& options = {}) {
  if (queries.count() > 0 && documents.count() > 0 && queries.size != documents.size) {
    throw InvalidArgument("queries have vectors of " + std::to_string(queries.size) + " numbers, documents of " +
                          std::to_string(documents.size));
  }
  lffn_max_sim_args args;
  lffn_max_sim_args_init(&args);
  args.queries = queries.bytes.empty() ? queries.values.data() : nullptr;
  args.int8_queries = queries.bytes.empty() ? nullptr : queries.bytes.data();
  args.query_scales = queries.scales.data();
  args.query_offsets = queries.offsets.data();
  args.n_queries = queries.count();
  args.documents = documents.bytes.empty() ? documents.values.data() : nullptr;
  args.int8_documents = documents.bytes.empty() ? nullptr : documents.bytes.data();
  args.document_scales = documents.scales.data();
  args.document_offsets = documents.offsets.data();
  args.n_documents = documents.count();
  args.size = static_cast<std::int32_t>(queries.size);
  args.flags = queries.max_sim_flags;
  args.num_threads = options.num_threads;
  args.cancel = options.cancel == nullptr ? nullptr : options.cancel->address();
  std::vector<float> scores(static_cast<std::size_t>(args.n_queries * args.n_documents));
  if (scores.empty()) return scores;
  const lffn_output output = {LFFN_OUT_MAX_SIM_SCORES, 0, scores.data(), static_cast<std::int64_t>(scores.size())};
  args.outputs = &output;
  args.n_outputs = 1;
  check(lffn_max_sim(&args));
  return scores;
}

inline LateVectors Model::embed_late(const Texts& texts, const RunOptions& options) const {
  Result result;
  run(texts, {out::token_vectors, out::vector_offsets}, result, options);
  const auto vectors = result.get(out::token_vectors);
  LateVectors found = late_rows(result);
  found.size = vectors.columns;
  found.values.assign(vectors.values.begin(), vectors.values.end());
  return found;
}

inline LateVectors Model::embed_late_int8(const Texts& texts, const RunOptions& options) const {
  Result result;
  run(texts, {out::int8_token_vectors, out::token_vector_scales, out::vector_offsets}, result, options);
  const auto vectors = result.get(out::int8_token_vectors);
  const auto scales = result.get(out::token_vector_scales).values;
  LateVectors found = late_rows(result);
  found.size = vectors.columns;
  found.bytes.assign(vectors.values.begin(), vectors.values.end());
  found.scales.assign(scales.begin(), scales.end());
  return found;
}

inline LateVectors Model::late_rows(const Result& result) const {
  const auto offsets = result.get(out::vector_offsets).values;
  LateVectors found;
  found.offsets.assign(offsets.begin(), offsets.end());
  found.max_sim_flags = info().max_sim_flags;
  return found;
}

inline std::vector<float> Model::rerank(std::string_view query, const std::vector<std::string>& documents,
                                        const RunOptions& options) const {
  if (info().num_classes > 1) throw InvalidArgument("this model has several classes; a reranker has one");
  if (info().num_classes == 0 && info().is_late != 0) {
    const RunOptions usual;
    const bool is_usual =
        options.reading == usual.reading &&
        (options.prompt_kind == LFFN_PROMPT_MODEL || options.prompt_kind == LFFN_PROMPT_DOCUMENT) &&
        options.prompt.empty() && options.pooling == usual.pooling && options.normalize == usual.normalize &&
        options.dimensions == usual.dimensions && options.windows == usual.windows && options.stride == usual.stride &&
        options.max_active == usual.max_active && !(options.min_weight > 0) && options.progress == nullptr;
    if (!is_usual) {
      throw InvalidArgument(
          "a late-interaction model reads queries and documents in ways of its own; of the options only max_tokens, "
          "repair_text, num_threads and cancel have a meaning here");
    }
    const Texts texts(documents);
    lffn_model_run_args given = arguments(options);
    texts.give(given);
    lffn_model_rerank_args args;
    lffn_model_rerank_args_init(&args);
    args.query = query.empty() ? "" : query.data();
    args.query_size = query.size();
    args.documents = given.texts;
    args.document_sizes = given.text_sizes;
    args.n_documents = given.n;
    args.max_tokens = given.max_tokens;
    args.num_threads = given.num_threads;
    args.flags = given.flags;
    args.cancel = given.cancel;
    std::vector<float> scores(documents.size());
    float none = 0;
    const lffn_output output = {LFFN_OUT_DOCUMENT_SCORES, 0, scores.empty() ? &none : scores.data(),
                                static_cast<std::int64_t>(scores.size())};
    args.outputs = &output;
    args.n_outputs = 1;
    check(lffn_model_rerank(handle_.get(), &args));
    return scores;
  }
  Texts pairs;
  for (const std::string& document : documents) pairs.add(query, document);
  lffn_model_run_args args = arguments(options);
  args.flags |= std::uint32_t{LFFN_RUN_DOCUMENTS};
  pairs.give(args);
  return floats(args, out::class_scores, args.n * info().num_classes);
}

}  // namespace lookupffn

#endif /* LOOKUPFFN_LATE_HPP */
