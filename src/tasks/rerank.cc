// SPDX-License-Identifier: Apache-2.0
// Documents scored for a query: by a classifier of pairs, or by late interaction.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "model/heads/scores.h"
#include "model/late/max_sim.h"
#include "run/run.h"
#include "runtime/error.h"
#include "tasks/tasks.h"

namespace lffn {
namespace {

// The vectors of so many documents of a late model exist at once.
constexpr int64_t kDocumentsAtOnce = 64;

Request request_of(const Reranking& reranking) {
  Request request;
  request.repairs = reranking.repairs;
  request.num_threads = reranking.num_threads;
  request.cancel = reranking.cancel;
  return request;
}

void score_pairs(const Model& model, const Reranking& reranking, CallMemory& memory, float* scores) {
  const int64_t n = reranking.num_documents;
  const std::vector<const char*> queries(static_cast<size_t>(n), reranking.query.data());
  const std::vector<size_t> sizes(queries.size(), reranking.query.size());
  Request request = request_of(reranking);
  request.max_tokens = reranking.max_tokens;
  request.given = {n, queries.data(), sizes.data(), reranking.documents, reranking.document_sizes, &kDocuments};
  // The call also needs an address where there are no documents and an empty vector has no memory.
  float none = 0;
  const lffn_output output = {LFFN_OUT_CLASS_SCORES, 0, n > 0 ? scores : &none, n};
  Outputs outputs(&output, 1, run_outputs(), memory.rooms, nullptr);
  run(model, request, outputs, memory);
  activate_scores(model, reranking.scores_kind, scores, n, scores);
}

// The vectors of texts, in the memory of a call.
class VectorsOfTexts {
 public:
  explicit VectorsOfTexts(const Model& model) : model_(model) {}
  void run(const Request& request) {
    constexpr lffn_output kWanted[] = {{LFFN_OUT_TOKEN_VECTORS, 0, nullptr, 0},
                                       {LFFN_OUT_VECTOR_OFFSETS, 0, nullptr, 0}};
    Outputs outputs(kWanted, 2, run_outputs(), result_.memory.rooms, &result_.shown);
    lffn::run(model_, request, outputs, result_.memory);
  }
  LateVectors get() const {
    LateVectors vectors;
    vectors.floats = static_cast<const float*>(array(LFFN_OUT_TOKEN_VECTORS).data);
    vectors.offsets = static_cast<const int64_t*>(array(LFFN_OUT_VECTOR_OFFSETS).data);
    vectors.count = array(LFFN_OUT_VECTOR_OFFSETS).rows - 1;
    return vectors;
  }
  int64_t size() const { return array(LFFN_OUT_TOKEN_VECTORS).columns; }

 private:
  const lffn_array& array(int32_t what) const { return result_.shown.arrays[static_cast<size_t>(what)]; }

  const Model& model_;
  CallResult result_;
};

void score_vectors(const Model& model, const Reranking& reranking, float* scores) {
  VectorsOfTexts query(model), documents(model);
  const char* const text = reranking.query.data();
  const size_t size = reranking.query.size();
  Request request = request_of(reranking);
  request.given = {1, &text, &size};
  request.prompt_kind = LFFN_PROMPT_QUERY;
  query.run(request);
  request.max_tokens = reranking.max_tokens;
  request.prompt_kind = LFFN_PROMPT_DOCUMENT;
  const Running& running = model.running();
  const int32_t threads =
      reranking.num_threads > 0 ? std::min(reranking.num_threads, running.num_threads) : running.num_threads;
  const Workers workers = {running.kernels, threads, running.flush_denormals, reranking.cancel};
  for (int64_t first = 0; first < reranking.num_documents; first += kDocumentsAtOnce) {
    const int64_t n = std::min(kDocumentsAtOnce, reranking.num_documents - first);
    request.given = {n, reranking.documents + first,
                     reranking.document_sizes != nullptr ? reranking.document_sizes + first : nullptr};
    request.given.names = &kDocuments;
    request.given.first = first;
    documents.run(request);
    run_call(*running.executor, threads, [&] {
      max_sim(workers, query.get(), documents.get(), documents.size(), model.sentence().late.takes_means,
              scores + first);
    });
  }
}

// NaN comes last, because comparisons with NaN give no order to sort by.
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

}  // namespace

void check_reranker(const Model& model) {
  if (model.num_classes() == 1 || model.sentence().late.is_late) return;
  fail(LFFN_ERROR_INVALID_ARGUMENT,
       "this model has %d classes and makes no vectors of late interaction; choose a reranker, which has one class, "
       "or a late model%s",
       model.num_classes(),
       model.has_lm_head() ? "; a language model's folder also needs modules.json with a LogitScore module, "
                             "sentence_bert_config.json and the reranker's chat_template.jinja"
                           : "");
}

void rerank(const Model& model, const Reranking& reranking, Outputs& outputs, CallMemory& memory) {
  outputs.each(kDocumentOutputs, [&](int32_t what) { outputs.set_size(what, reranking.num_documents); });
  outputs.check_room();
  std::vector<float> scores(static_cast<size_t>(reranking.num_documents));
  if (model.num_classes() == 1) {
    score_pairs(model, reranking, memory, scores.data());
  } else {
    score_vectors(model, reranking, scores.data());
  }
  if (outputs.asks(set_of(LFFN_OUT_DOCUMENT_SCORES))) {
    outputs.give(LFFN_OUT_DOCUMENT_SCORES, scores.data(), false);
  }
  if (outputs.asks(set_of(LFFN_OUT_DOCUMENT_ORDER))) {
    put_in_order(scores, outputs.place<int64_t>(LFFN_OUT_DOCUMENT_ORDER));
  }
  outputs.show();
}

}  // namespace lffn
