// SPDX-License-Identifier: Apache-2.0
// Whether a request makes sense for the model and for what is asked for. All functions throw
// Error(LFFN_ERROR_INVALID_ARGUMENT) unless said otherwise.
#include "run/run.h"
#include "runtime/error.h"
#include "runtime/printable.h"

namespace lffn {
namespace {

// An option that has no effect beside the others is refused: the caller meant something else.
void check_options(const Run& run) {
  const Request& request = run.request;
  if (request.top_k != 0 && !run.asks(kFillingOutputs)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "top_k is given, but no fillings are asked for");
  }
  if ((request.num_positions > 0 || request.all_positions) && !run.asks(set_of(LFFN_OUT_LOGITS))) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "logit_positions are given, but no logits are asked for");
  }
  if (request.num_positions > 0 && request.all_positions) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "logit_positions are given, but the flags ask for all of them");
  }
  if ((request.aggregation != Aggregation::kSimple || request.all_labels) && !run.asks(kEntityOutputs)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "aggregation or all labels are given, but no entities are asked for");
  }
  if ((request.pooling || request.dimensions != 0) && !run.asks(kEmbeddingOutputs)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "pooling or dimensions are given, but no embeddings are asked for");
  }
  if (request.scaling != Scaling::kAsModel && !run.asks(kEmbeddingOutputs | kTokenVectorOutputs)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "normalize is given, but neither embeddings nor token vectors are asked for");
  }
  if ((request.max_active != LFFN_MAX_ACTIVE_MODEL || request.min_weight != 0) && !run.asks(kSparseOutputs)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "max_active or min_weight are given, but no sparse vectors are asked for");
  }
}

void check_windows(const Request& request) {
  if (request.windows == LFFN_WINDOWS_NONE) {
    if (request.stride != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "stride is given, but windows are not wanted");
    return;
  }
  if (!request.has_texts() && request.given.n > 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "windows are wanted, but no texts are given");
  }
  if (request.max_tokens == LFFN_MAX_TOKENS_NEVER) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "windows are wanted, but max_tokens, their size, is LFFN_MAX_TOKENS_NEVER");
  }
}

void check_embeddings(const Run& run) {
  const int64_t size = run.model.embedding_size(run.request.pooling);
  if (run.request.dimensions < 0 || run.request.dimensions > size) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "dimensions is %d, expected 1 to %lld, or 0 for all of them",
         run.request.dimensions, printable(size));
  }
  // A static model has only vectors of tokens; the vector of a text is their mean.
  if (run.model.statics() != nullptr && run.request.pooling.value_or(Pooling::kMean) != Pooling::kMean) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "pooling is %d, but static vectors can only be averaged",
         static_cast<int>(*run.request.pooling) + 1);
  }
}

void check_sparse(const Run& run) {
  const Request& request = run.request;
  if (request.max_active < LFFN_MAX_ACTIVE_ALL) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "max_active is %d, expected 1 or more, 0, or LFFN_MAX_ACTIVE_ALL",
         request.max_active);
  }
  if (!(request.min_weight >= 0)) fail(LFFN_ERROR_INVALID_ARGUMENT, "min_weight is negative or not a number");
  if (!run.is_sparse_query()) return;
  if (run.asks(run_outputs() & ~(kSparseOutputs | kReadOutputs))) {
    fail(LFFN_ERROR_INVALID_ARGUMENT,
         "sparse queries of this model do not go through its encoder; ask for nothing else beside them");
  }
  if (request.given.n > 0 && !request.has_texts()) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "texts is NULL, but sparse queries of this model are made of texts");
  }
  if (request.given.pairs != nullptr) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "sparse queries of this model take no pairs");
  }
}

}  // namespace

void check(const Run& run) {
  const Request& request = run.request;
  if (!request.has_texts() && request.given.n > 0 && run.asks(kSpanOutputs)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "places in texts are asked for, but no texts are given");
  }
  check_outputs(run);
  check_options(run);
  check_windows(request);
  check_embeddings(run);
  check_sparse(run);
}

void check_sequences(const Run& run) {
  const ModelConfig& config = run.model.config();
  const GivenIds& given = run.request.sequences;
  const int64_t n = run.request.given.n;
  const bool pools = run.asks(kEmbeddingOutputs | set_of(LFFN_OUT_CLASS_SCORES));
  for (int64_t s = 0; s < n; ++s) {
    const int64_t length = given.offsets[s + 1] - given.offsets[s];
    if (length > config.max_tokens()) {
      fail(LFFN_ERROR_TOO_LONG, "sequence %lld has %lld tokens, the model can run at most %lld", printable(s),
           printable(length), printable(config.max_tokens()));
    }
    if (pools && length == 0) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "sequence %lld is empty, which has no embedding and no class scores",
           printable(s));
    }
  }
  const int64_t tokens = given.offsets[n];
  const int32_t types = run.model.num_types();  // families without token types ignore them
  for (int64_t t = 0; t < tokens; ++t) {
    if (given.ids[t] < 0 || given.ids[t] >= config.vocab_size) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "ids[%lld] is %d, the vocabulary has 0 to %d", printable(t), given.ids[t],
           config.vocab_size - 1);
    }
    if (given.types != nullptr && types > 0 && (given.types[t] < 0 || given.types[t] >= types)) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "token_types[%lld] is %d, the model has 0 to %d", printable(t), given.types[t],
           types - 1);
    }
  }
}

}  // namespace lffn
