// SPDX-License-Identifier: Apache-2.0
// The functions that answer questions, try labels and rerank documents.
#include <string_view>
#include <vector>

#include "api/boundary.h"
#include "api/handles.h"
#include "api/structs.h"
#include "tasks/tasks.h"

using namespace lffn;

namespace {

void check_least(int64_t value, int64_t least, const char* name) {
  if (value < least) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is %lld, expected at least %lld", name, printable(value), printable(least));
  }
}

void need_tokenizer(const Model& model) {
  if (model.tokenizer() == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no tokenizer");
}

void answer(const lffn_model* handle, const lffn_model_answer_args& args) {
  need(handle, "model");
  const Model& model = *handle->model;
  const UseHooks hooks(hooks_of(handle->runtime));
  const std::string_view question = read_text(args.question, args.question_size, "question");
  const std::string_view context = read_text(args.context, args.context_size, "context");
  check_max_tokens(args.max_tokens);
  check_least(args.stride, LFFN_STRIDE_DEFAULT, "stride");
  check_least(args.max_answer_tokens, 1, "max_answer_tokens");
  check_least(args.top_k, 1, "top_k");
  check_flags(args.flags, LFFN_ANSWER_MAY_BE_NONE, "flags");
  check_reserved(args.reserved, "args.reserved");
  if (model.token_head() != TokenHead::kAnswers) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no head for answers");
  }
  need_tokenizer(model);
  AnswerOptions options;
  options.max_tokens = args.max_tokens;
  options.stride = args.stride;
  options.max_answer_tokens = args.max_answer_tokens;
  options.top_k = args.top_k;
  options.may_be_none = (args.flags & LFFN_ANSWER_MAY_BE_NONE) != 0;
  options.cancel = args.cancel;
  with_outputs(args, kAnswerOutputs, *handle->memory, [&](Outputs& outputs, CallMemory& memory) {
    answer(model, question, context, options, outputs, memory);
  });
}

void zero_shot(const lffn_model* handle, const lffn_model_zero_shot_args& args) {
  need(handle, "model");
  const Model& model = *handle->model;
  const UseHooks hooks(hooks_of(handle->runtime));
  const std::string_view text = read_text(args.text, args.text_size, "text");
  check_count(args.n_labels, "n_labels");
  check_max_tokens(args.max_tokens);
  check_flags(args.flags, LFFN_ZERO_SHOT_MULTI_LABEL, "flags");
  check_reserved(args.reserved, "args.reserved");
  need_tokenizer(model);
  if (args.n_labels > 0) need(args.labels, "labels");
  std::vector<std::string_view> labels;
  for (int64_t i = 0; i < args.n_labels; ++i) {
    const char* const label = args.labels[i];
    if (label == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "labels[%lld] is NULL", printable(i));
    labels.push_back(read_text(label, args.label_sizes == nullptr ? SIZE_MAX : args.label_sizes[i], "label"));
  }
  ZeroShotOptions options;
  if (args.hypothesis != nullptr) options.hypothesis = read_text(args.hypothesis, args.hypothesis_size, "hypothesis");
  options.max_tokens = args.max_tokens;
  options.several = (args.flags & LFFN_ZERO_SHOT_MULTI_LABEL) != 0;
  options.cancel = args.cancel;
  with_outputs(args, kLabelOutputs, *handle->memory,
               [&](Outputs& outputs, CallMemory& memory) { zero_shot(model, text, labels, options, outputs, memory); });
}

void rerank(const lffn_model* handle, const lffn_model_rerank_args& args) {
  need(handle, "model");
  const Model& model = *handle->model;
  const UseHooks hooks(hooks_of(handle->runtime));
  Reranking reranking;
  reranking.query = read_text(args.query, args.query_size, "query");
  check_count(args.n_documents, "n_documents");
  check_value(args.scores_kind, LFFN_SCORES_MODEL, "scores_kind", "LFFN_SCORES_");
  check_max_tokens(args.max_tokens);
  check_threads(args.num_threads, "num_threads");
  check_flags(args.flags, LFFN_RUN_REPAIR_TEXT, "flags");
  check_reserved(args.reserved);
  check_reranker(model);
  if (args.n_documents > 0) need(args.documents, "documents");
  reranking.documents = args.documents;
  reranking.document_sizes = args.document_sizes;
  reranking.num_documents = args.n_documents;
  reranking.max_tokens = args.max_tokens;
  reranking.scores_kind = args.scores_kind;
  reranking.repairs = (args.flags & LFFN_RUN_REPAIR_TEXT) != 0;
  reranking.num_threads = args.num_threads;
  reranking.cancel = args.cancel;
  with_outputs(args, kDocumentOutputs, *handle->memory,
               [&](Outputs& outputs, CallMemory& memory) { rerank(model, reranking, outputs, memory); });
}

}  // namespace

extern "C" {

void lffn_model_answer_args_init_sized(lffn_model_answer_args* args, size_t struct_size) {
  lffn_model_answer_args defaults = {};
  defaults.question_size = defaults.context_size = SIZE_MAX;
  defaults.stride = LFFN_STRIDE_DEFAULT;
  defaults.max_answer_tokens = 15;
  defaults.top_k = 1;
  init_struct(args, struct_size, defaults);
}

lffn_status lffn_model_answer(const lffn_model* model, const lffn_model_answer_args* args) {
  return guarded([&] { answer(model, read_struct(args, "args")); });
}

void lffn_model_zero_shot_args_init_sized(lffn_model_zero_shot_args* args, size_t struct_size) {
  lffn_model_zero_shot_args defaults = {};
  defaults.text_size = defaults.hypothesis_size = SIZE_MAX;
  init_struct(args, struct_size, defaults);
}

lffn_status lffn_model_zero_shot(const lffn_model* model, const lffn_model_zero_shot_args* args) {
  return guarded([&] { zero_shot(model, read_struct(args, "args")); });
}

void lffn_model_rerank_args_init_sized(lffn_model_rerank_args* args, size_t struct_size) {
  lffn_model_rerank_args defaults = {};
  defaults.query_size = SIZE_MAX;
  init_struct(args, struct_size, defaults);
}

lffn_status lffn_model_rerank(const lffn_model* model, const lffn_model_rerank_args* args) {
  return guarded([&] { rerank(model, read_struct(args, "args")); });
}

}  // extern "C"
