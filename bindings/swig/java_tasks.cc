// SPDX-License-Identifier: Apache-2.0
#include "java_calls.h"
#include "java_copies.h"
#include "raw_model.h"

lffn_status model_entities_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t aggregation,
                                 int32_t flags, int64_t max_tokens, jobjectArray results, const int32_t* cancel) {
  const size_t n_bytes = length_of(env, utf8);
  const Block<char> text(n_bytes);
  if (text.data() == nullptr) return out_of_memory(env);
  if (!fetch(env, utf8, n_bytes, text.data())) return LFFN_OK;
  // Entities are mostly longer than a byte.
  for (size_t capacity = n_bytes + 2;;) {
    const Block<int64_t> begins(capacity), ends(capacity);
    const Block<int32_t> classes(capacity);
    const Block<float> scores(capacity);
    if (begins.data() == nullptr || ends.data() == nullptr || classes.data() == nullptr || scores.data() == nullptr) {
      return out_of_memory(env);
    }
    size_t count = 0;
    const lffn_status status =
        model_entities(model, text.data(), n_bytes, aggregation, flags, max_tokens, begins.data(), ends.data(),
                       classes.data(), scores.data(), capacity, &count, cancel);
    if (status != LFFN_OK) return status;
    if (count > capacity) {
      capacity = count;
      continue;
    }
    if (store_longs(env, results, 0, begins.data(), count) && store_longs(env, results, 1, ends.data(), count) &&
        store_ints(env, results, 2, classes.data(), count)) {
      store_floats(env, results, 3, scores.data(), count);
    }
    return LFFN_OK;
  }
}

lffn_status model_entities_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends, int32_t n,
                                  int32_t aggregation, int32_t flags, int64_t max_tokens, int32_t num_threads,
                                  int32_t statuses, lffn_result* result, const int32_t* cancel,
                                  lffn_run_progress_callback run_progress, void* run_progress_user) {
  const TextsOfArrays texts(env, utf8, ends, n);
  if (!texts.fetched()) return no_arrays(env);
  return model_entities_texts(model, texts.utf8(), texts.ends(), n, aggregation, flags, max_tokens, num_threads,
                              statuses, result, cancel, run_progress, run_progress_user);
}

lffn_status model_answer_bytes(JNIEnv* env, const lffn_model* model, jbyteArray question, jbyteArray context,
                               int32_t top_k, int64_t max_tokens, int64_t stride, int32_t max_answer_tokens,
                               int32_t flags, jobjectArray results, const int32_t* cancel) {
  const size_t question_size = length_of(env, question), context_size = length_of(env, context);
  const auto room = static_cast<size_t>(top_k > 0 ? top_k : 0);
  const Block<char> question_copy(question_size), context_copy(context_size);
  const Block<int64_t> begins(room), ends(room);
  const Block<float> scores(room);
  if (question_copy.data() == nullptr || context_copy.data() == nullptr || begins.data() == nullptr ||
      ends.data() == nullptr || scores.data() == nullptr) {
    return out_of_memory(env);
  }
  if (!fetch(env, question, question_size, question_copy.data()) ||
      !fetch(env, context, context_size, context_copy.data())) {
    return LFFN_OK;
  }
  int32_t found = 0;
  const lffn_status status =
      model_answer(model, question_copy.data(), question_size, context_copy.data(), context_size, top_k, max_tokens,
                   stride, max_answer_tokens, flags, begins.data(), ends.data(), scores.data(), &found, cancel);
  if (status != LFFN_OK) return status;
  const auto count = static_cast<size_t>(found);
  if (store_longs(env, results, 0, begins.data(), count) && store_longs(env, results, 1, ends.data(), count)) {
    store_floats(env, results, 2, scores.data(), count);
  }
  return LFFN_OK;
}

lffn_status model_zero_shot_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jbyteArray labels,
                                  jlongArray label_ends, jbyteArray hypothesis, int64_t max_tokens, int32_t flags,
                                  jobjectArray results, const int32_t* cancel) {
  const size_t n_bytes = length_of(env, utf8), label_bytes = length_of(env, labels);
  const size_t count = length_of(env, label_ends);
  const size_t hypothesis_bytes = hypothesis == nullptr ? 0 : length_of(env, hypothesis);
  const Block<char> text(n_bytes), label_copy(label_bytes), hypothesis_copy(hypothesis_bytes);
  const Block<int64_t> ends(count), order(count);
  const Block<float> scores(count);
  if (text.data() == nullptr || label_copy.data() == nullptr || hypothesis_copy.data() == nullptr ||
      ends.data() == nullptr || order.data() == nullptr || scores.data() == nullptr) {
    return out_of_memory(env);
  }
  if (!fetch(env, utf8, n_bytes, text.data()) || !fetch(env, labels, label_bytes, label_copy.data()) ||
      !fetch(env, label_ends, count, ends.data()) ||
      (hypothesis != nullptr && !fetch(env, hypothesis, hypothesis_bytes, hypothesis_copy.data()))) {
    return LFFN_OK;
  }
  const lffn_status status = model_zero_shot(
      model, text.data(), n_bytes, label_copy.data(), ends.data(), static_cast<int64_t>(count),
      hypothesis == nullptr ? nullptr : hypothesis_copy.data(), max_tokens, flags, order.data(), scores.data(), cancel);
  if (status == LFFN_OK && store_longs(env, results, 0, order.data(), count)) {
    store_floats(env, results, 1, scores.data(), count);
  }
  return status;
}

lffn_status max_sim_arrays(JNIEnv* env, jfloatArray queries, jbyteArray int8_queries, jfloatArray query_scales,
                           jlongArray query_offsets, jfloatArray documents, jbyteArray int8_documents,
                           jfloatArray document_scales, jlongArray document_offsets, int32_t size, int32_t flags,
                           int32_t num_threads, jfloatArray scores, const int32_t* cancel) {
  const Copy<jfloatArray, float> query(env, queries), query_scale(env, query_scales);
  const Copy<jfloatArray, float> document(env, documents), document_scale(env, document_scales);
  const Copy<jbyteArray, char> query_bytes(env, int8_queries), document_bytes(env, int8_documents);
  const Copy<jlongArray, int64_t> query_places(env, query_offsets), document_places(env, document_offsets);
  const size_t count = length_of(env, scores);
  const Block<float> found(count);
  if (!query.fetched() || !query_scale.fetched() || !document.fetched() || !document_scale.fetched() ||
      !query_bytes.fetched() || !document_bytes.fetched() || !query_places.fetched() || !document_places.fetched() ||
      found.data() == nullptr) {
    return no_arrays(env);
  }
  const lffn_status status = max_sim(query.data(), query_bytes.data(), query_scale.data(), query_places.mutable_data(),
                                     query_places.count() - 1, document.data(), document_bytes.data(),
                                     document_scale.data(), document_places.mutable_data(), document_places.count() - 1,
                                     size, flags, num_threads, cancel, found.data(), static_cast<int64_t>(count));
  if (status == LFFN_OK) env->SetFloatArrayRegion(scores, 0, static_cast<jsize>(count), found.data());
  return status;
}

lffn_status model_rerank_arrays(JNIEnv* env, const lffn_model* model, jbyteArray query, jbyteArray utf8,
                                jlongArray ends, int32_t n, int64_t max_tokens, int32_t scores_kind,
                                int32_t num_threads, int32_t flags, jfloatArray scores, const int32_t* cancel) {
  size_t n_bytes = 0;
  if (!bytes_of_texts(env, ends, n, n_bytes)) return LFFN_OK;
  const size_t query_bytes = length_of(env, query), count = static_cast<size_t>(n);
  const Block<char> text(n_bytes), query_copy(query_bytes);
  const Block<int64_t> places(count);
  const Block<float> found(count);
  if (text.data() == nullptr || query_copy.data() == nullptr || places.data() == nullptr || found.data() == nullptr) {
    return out_of_memory(env);
  }
  if (!fetch(env, utf8, n_bytes, text.data()) || !fetch(env, query, query_bytes, query_copy.data()) ||
      !fetch(env, ends, count, places.data())) {
    return LFFN_OK;
  }
  const lffn_status status = model_rerank(model, query_copy.data(), query_bytes, text.data(), places.data(), n,
                                          max_tokens, scores_kind, num_threads, flags, cancel, found.data());
  if (status == LFFN_OK) env->SetFloatArrayRegion(scores, 0, n, found.data());
  return status;
}
