// SPDX-License-Identifier: Apache-2.0
// Documents scored for a query: by a classifier of pairs, or by late interaction.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "api/boundary.h"
#include "api/handles.h"
#include "api/run_call.h"
#include "api/run_steps.h"
#include "api/structs.h"
#include "model/heads/scores.h"
#include "model/late/max_sim.h"

using namespace lffn;

namespace {

// Documents of a late model whose vectors exist at once.
constexpr int64_t kDocumentsAtOnce = 64;

lffn_model_run_args run_args(const lffn_rerank_args& args) {
  lffn_model_run_args run = {};
  run.struct_size = sizeof run;
  run.prompt_size = SIZE_MAX;
  run.max_tokens = args.max_tokens;
  run.num_threads = args.num_threads;
  run.flags = args.flags;
  run.cancel = args.cancel;
  return run;
}

void score_pairs(const Model& model, const lffn_rerank_args& args, std::string_view query, float* scores) {
  const std::vector<const char*> queries(static_cast<size_t>(args.n_documents), query.data());
  const std::vector<size_t> sizes(queries.size(), query.size());
  lffn_model_run_args run = run_args(args);
  run.flags |= LFFN_RUN_DOCUMENTS;
  run.n = args.n_documents;
  run.texts = queries.data();
  run.text_sizes = sizes.data();
  run.pairs = args.documents;
  run.pair_sizes = args.document_sizes;
  run.class_scores = scores;
  run.class_scores_capacity = args.n_documents;
  RunMemory memory;
  RunCall(model, run, memory).run();
  activate_scores(model, args.scores_kind, scores, args.n_documents, scores);
}

LateVectors vectors_of(const lffn_result_view& view) {
  LateVectors vectors;
  vectors.floats = view.token_vectors;
  vectors.offsets = view.vector_offsets;
  vectors.count = view.n;
  return vectors;
}

void score_vectors(const Model& model, const lffn_rerank_args& args, std::string_view query, float* scores) {
  lffn_result of_query, of_documents;  // which say where a call's results go
  RunMemory memory[2];
  lffn_model_run_args run = run_args(args);
  const char* const text = query.data();
  const size_t size = query.size();
  run.n = 1;
  run.texts = &text;
  run.text_sizes = &size;
  run.max_tokens = LFFN_MAX_TOKENS_MODEL;
  run.prompt_kind = LFFN_PROMPT_QUERY;
  run.wanted = LFFN_WANT_TOKEN_VECTORS;
  run.result = &of_query;
  RunCall query_call(model, run, memory[0]);
  query_call.run();
  const lffn_result_view query_view = query_call.view();
  run.flags |= LFFN_RUN_DOCUMENTS;
  run.max_tokens = args.max_tokens;
  run.prompt_kind = LFFN_PROMPT_DOCUMENT;
  run.wanted |= LFFN_WANT_STATUSES;
  run.result = &of_documents;
  for (int64_t first = 0; first < args.n_documents; first += kDocumentsAtOnce) {
    run.n = std::min(kDocumentsAtOnce, args.n_documents - first);
    run.texts = args.documents + first;
    run.text_sizes = args.document_sizes != nullptr ? args.document_sizes + first : nullptr;
    RunCall call(model, run, memory[1]);
    call.run();
    const lffn_result_view view = call.view();
    for (int64_t i = 0; i < view.n; ++i) {
      if (view.statuses[i] == LFFN_OK) continue;
      throw Error(view.statuses[i], "document " + std::to_string(first + i) + ": " + view.messages[i]);
    }
    const Running& running = model.running();
    const int32_t threads =
        args.num_threads > 0 ? std::min(args.num_threads, running.num_threads) : running.num_threads;
    const Workers workers = {running.kernels, threads, running.flush_denormals, args.cancel};
    run_call(*running.executor, threads, [&] {
      max_sim(workers, vectors_of(query_view), vectors_of(view), view.token_vector_size,
              model.sentence().late.takes_means, scores + first);
    });
  }
}

// NaN is never larger: an order that is none could not be sorted by.
void put_in_order(const std::vector<float>& scores, int64_t* order) {
  std::iota(order, order + scores.size(), int64_t{0});
  const auto is_before = [&](int64_t a, int64_t b) {
    const float x = scores[static_cast<size_t>(a)], y = scores[static_cast<size_t>(b)];
    const bool x_is_none = !(x == x), y_is_none = !(y == y);
    if (x_is_none != y_is_none) return y_is_none;
    return x_is_none || x == y ? a < b : x > y;
  };
  std::sort(order, order + scores.size(), is_before);
}

void rerank(const lffn_model* handle, const lffn_rerank_args& args) {
  need(handle, "model");
  const Model& model = *handle->model;
  const UseHooks hooks(hooks_of(handle->runtime));
  const std::string_view query = read_text(args.query, args.query_size, "query");
  check_count(args.n_documents, "n_documents");
  check_value(args.scores_kind, LFFN_SCORES_MODEL, "scores_kind", "LFFN_SCORES_");
  check_flags(args.flags, LFFN_RUN_REPAIR_TEXT, "flags");
  check_reserved(args.reserved);
  const bool by_class = model.num_classes() == 1;
  if (!by_class && !model.sentence().late.is_late) {
    fail(LFFN_ERROR_INVALID_ARGUMENT,
         "this model has %d classes and makes no vectors of late interaction; choose a reranker, which has one class, "
         "or a late model%s",
         model.num_classes(),
         model.has_lm_head() ? "; a language model's folder also needs modules.json with a LogitScore module, "
                               "sentence_bert_config.json and the reranker's chat_template.jinja"
                             : "");
  }
  if (args.n_documents > 0) need(args.documents, "documents");
  std::vector<float> scores(static_cast<size_t>(args.n_documents));
  if (by_class) {
    score_pairs(model, args, query, scores.data());
  } else {
    score_vectors(model, args, query, scores.data());
  }
  if (args.scores != nullptr) std::copy(scores.begin(), scores.end(), args.scores);
  if (args.order != nullptr) put_in_order(scores, args.order);
}

}  // namespace

extern "C" {

void lffn_rerank_args_init_sized(lffn_rerank_args* args, size_t struct_size) {
  lffn_rerank_args defaults = {};
  defaults.query_size = SIZE_MAX;
  init_struct(args, struct_size, defaults);
}

lffn_status lffn_model_rerank(const lffn_model* model, const lffn_rerank_args* args) {
  return guarded([&] { rerank(model, read_struct(args, "args")); });
}

}  // extern "C"
