// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "raw.h"
#include "raw_model.h"
#include "raw_structs.h"

namespace {

constexpr lffn_output kEntities[] = {
    {LFFN_OUT_ENTITY_OFFSETS, 0, nullptr, 0},  {LFFN_OUT_ENTITY_BEGINS, 0, nullptr, 0},
    {LFFN_OUT_ENTITY_ENDS, 0, nullptr, 0},     {LFFN_OUT_ENTITY_CLASSES, 0, nullptr, 0},
    {LFFN_OUT_ENTITY_SCORES, 0, nullptr, 0},   {LFFN_OUT_TOKEN_OFFSETS, 0, nullptr, 0},
    {LFFN_OUT_WINDOW_OFFSETS, 0, nullptr, 0},  {LFFN_OUT_UNCUT_LENGTHS, 0, nullptr, 0},
    {LFFN_OUT_STATUSES, 0, nullptr, 0},        {LFFN_OUT_MESSAGES, 0, nullptr, 0},
    {LFFN_OUT_MESSAGE_OFFSETS, 0, nullptr, 0},
};

template <typename Number>
const Number* numbers(const lffn_result* result, int32_t what) {
  return static_cast<const Number*>(result_array(result, what));
}

}  // namespace

lffn_status model_entities(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t aggregation,
                           int32_t flags, int64_t max_tokens, int64_t* begins, int64_t* ends, int32_t* classes,
                           float* scores, size_t capacity, size_t* n_entities, const int32_t* cancel) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = 1;
  if (n_bytes == 0) utf8 = "";  // .NET pins an empty array at NULL
  args.texts = &utf8;
  args.text_sizes = &n_bytes;
  args.max_tokens = max_tokens;
  args.aggregation = aggregation;
  args.flags = static_cast<uint32_t>(flags);
  args.cancel = cancel;
  const Result result;
  if (result.status() != LFFN_OK) return result.status();
  args.result = result.get();
  args.outputs = kEntities;
  args.n_outputs = 5;
  const lffn_status status = lffn_model_run(model, &args);
  if (status != LFFN_OK) return status;
  const auto count = static_cast<size_t>(numbers<int64_t>(result.get(), LFFN_OUT_ENTITY_OFFSETS)[1]);
  *n_entities = count;
  if (count > capacity) return LFFN_OK;
  std::copy_n(numbers<int64_t>(result.get(), LFFN_OUT_ENTITY_BEGINS), count, begins);
  std::copy_n(numbers<int64_t>(result.get(), LFFN_OUT_ENTITY_ENDS), count, ends);
  std::copy_n(numbers<int32_t>(result.get(), LFFN_OUT_ENTITY_CLASSES), count, classes);
  std::copy_n(numbers<float>(result.get(), LFFN_OUT_ENTITY_SCORES), count, scores);
  return LFFN_OK;
}

lffn_status model_entities_texts(const lffn_model* model, const char* utf8, int64_t* ends, int64_t n,
                                 int32_t aggregation, int32_t flags, int64_t max_tokens, int32_t num_threads,
                                 int32_t statuses, lffn_result* result, const int32_t* cancel,
                                 lffn_run_progress_callback run_progress, void* run_progress_user) {
  const Texts texts(utf8, ends, n);
  if (!texts.made()) return LFFN_ERROR_OUT_OF_MEMORY;
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = n;
  args.texts = texts.begins();
  args.text_sizes = texts.sizes();
  args.max_tokens = max_tokens;
  args.num_threads = num_threads;
  args.aggregation = aggregation;
  args.flags = static_cast<uint32_t>(flags);
  args.outputs = kEntities;
  args.n_outputs = statuses == 0 ? 8 : 11;
  args.result = result;
  args.cancel = cancel;
  args.progress = run_progress;
  args.progress_user = run_progress_user;
  return lffn_model_run(model, &args);
}

lffn_status max_sim(const float* queries, const void* int8_queries, const float* query_scales, int64_t* query_offsets,
                    int64_t n_queries, const float* documents, const void* int8_documents, const float* document_scales,
                    int64_t* document_offsets, int64_t n_documents, int32_t size, int32_t flags, int32_t num_threads,
                    const int32_t* cancel, float* scores, int64_t capacity) {
  lffn_max_sim_args args;
  lffn_max_sim_args_init(&args);
  args.queries = queries;
  args.int8_queries = static_cast<const int8_t*>(int8_queries);
  args.query_scales = query_scales;
  args.query_offsets = query_offsets;
  args.n_queries = n_queries;
  args.documents = documents;
  args.int8_documents = static_cast<const int8_t*>(int8_documents);
  args.document_scales = document_scales;
  args.document_offsets = document_offsets;
  args.n_documents = n_documents;
  args.size = size;
  args.flags = static_cast<uint32_t>(flags);
  args.num_threads = num_threads;
  args.cancel = cancel;
  float none = 0;  // .NET pins an empty array at NULL
  const lffn_output output = {LFFN_OUT_MAX_SIM_SCORES, 0, capacity == 0 ? &none : scores, capacity};
  args.outputs = &output;
  args.n_outputs = 1;
  return lffn_max_sim(&args);
}

lffn_status model_rerank(const lffn_model* model, const char* query, size_t query_size, const char* utf8, int64_t* ends,
                         int64_t n, int64_t max_tokens, int32_t scores_kind, int32_t num_threads, int32_t flags,
                         const int32_t* cancel, float* scores) {
  const Texts documents(utf8, ends, n);
  if (!documents.made()) return LFFN_ERROR_OUT_OF_MEMORY;
  lffn_model_rerank_args args;
  lffn_model_rerank_args_init(&args);
  args.query = query_size == 0 ? "" : query;  // .NET pins an empty array at NULL
  args.query_size = query_size;
  args.documents = documents.begins();
  args.document_sizes = documents.sizes();
  args.n_documents = n;
  args.max_tokens = max_tokens;
  args.scores_kind = scores_kind;
  args.num_threads = num_threads;
  args.flags = static_cast<uint32_t>(flags);
  args.cancel = cancel;
  float none = 0;
  const lffn_output output = {LFFN_OUT_DOCUMENT_SCORES, 0, n == 0 ? &none : scores, n};
  args.outputs = &output;
  args.n_outputs = 1;
  return lffn_model_rerank(model, &args);
}

lffn_status model_answer(const lffn_model* model, const char* question, size_t question_size, const char* context,
                         size_t context_size, int32_t top_k, int64_t max_tokens, int64_t stride,
                         int32_t max_answer_tokens, int32_t flags, int64_t* begins, int64_t* ends, float* scores,
                         int32_t* n_answers, const int32_t* cancel) {
  lffn_model_answer_args args;
  lffn_model_answer_args_init(&args);
  args.question = question;
  args.question_size = question_size;
  args.context = context;
  args.context_size = context_size;
  args.top_k = top_k;
  args.max_tokens = max_tokens;
  args.stride = stride;
  args.max_answer_tokens = max_answer_tokens;
  args.flags = static_cast<uint32_t>(flags);
  int64_t offsets[2] = {};
  const lffn_output outputs[] = {{LFFN_OUT_ANSWER_BEGINS, 0, begins, top_k},
                                 {LFFN_OUT_ANSWER_ENDS, 0, ends, top_k},
                                 {LFFN_OUT_ANSWER_SCORES, 0, scores, top_k},
                                 {LFFN_OUT_ANSWER_OFFSETS, 0, offsets, 2}};
  args.outputs = outputs;
  args.n_outputs = 4;
  args.cancel = cancel;
  const lffn_status status = lffn_model_answer(model, &args);
  if (status == LFFN_OK) *n_answers = static_cast<int32_t>(offsets[1]);
  return status;
}

lffn_status model_zero_shot(const lffn_model* model, const char* utf8, size_t n_bytes, const char* labels,
                            int64_t* label_ends, int64_t n, const char* hypothesis, int64_t max_tokens, int32_t flags,
                            int64_t* order, float* scores, const int32_t* cancel) {
  const Texts names(labels, label_ends, n);
  if (!names.made()) return LFFN_ERROR_OUT_OF_MEMORY;
  lffn_model_zero_shot_args args;
  lffn_model_zero_shot_args_init(&args);
  args.text = utf8;
  args.text_size = n_bytes;
  args.labels = names.begins();
  args.label_sizes = names.sizes();
  args.n_labels = n;
  args.hypothesis = hypothesis;
  args.max_tokens = max_tokens;
  args.flags = static_cast<uint32_t>(flags);
  const lffn_output outputs[] = {{LFFN_OUT_LABEL_SCORES, 0, scores, n}, {LFFN_OUT_LABEL_ORDER, 0, order, n}};
  args.outputs = outputs;
  args.n_outputs = n == 0 ? 0 : 2;
  args.cancel = cancel;
  return lffn_model_zero_shot(model, &args);
}
