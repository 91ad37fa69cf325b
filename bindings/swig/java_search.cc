// SPDX-License-Identifier: Apache-2.0
#include "java_calls.h"
#include "java_copies.h"
#include "raw_search.h"

namespace {

// Where vectors lie: in a direct buffer, or in a copy of an array.
class Vectors {
 public:
  Vectors(JNIEnv* env, jobject buffer, jbyteArray bytes)
      : address_(buffer == nullptr ? nullptr : env->GetDirectBufferAddress(buffer)),
        copy_(env, buffer == nullptr ? bytes : nullptr) {}
  bool fetched() const { return copy_.fetched(); }
  const void* data() const { return address_ != nullptr ? address_ : copy_.data(); }

 private:
  const void* address_;
  Copy<jbyteArray, char> copy_;
};

}  // namespace

lffn_status top_k_arrays(JNIEnv* env, jlongArray search_numbers, const lffn_runtime* runtime, jobject query_buffer,
                         jbyteArray query_bytes, jfloatArray query_scales, jobject vector_buffer,
                         jbyteArray vector_bytes, jfloatArray vector_scales, jlongArray vector_ids,
                         jbyteArray taking_part, jlongArray candidates, jlongArray candidate_offsets, jlongArray counts,
                         jlongArray ids, jfloatArray scores, const int32_t* cancel,
                         lffn_run_progress_callback run_progress, void* run_progress_user) {
  const Vectors queries(env, query_buffer, query_bytes), vectors(env, vector_buffer, vector_bytes);
  const Copy<jfloatArray, float> query_scale(env, query_scales), vector_scale(env, vector_scales), found(env, scores);
  const Copy<jlongArray, int64_t> numbers(env, search_numbers), each_id(env, vector_ids), those(env, candidates);
  const Copy<jlongArray, int64_t> places(env, candidate_offsets), found_ids(env, ids), found_counts(env, counts);
  const Copy<jbyteArray, char> mask(env, taking_part);
  if (!queries.fetched() || !vectors.fetched() || !query_scale.fetched() || !vector_scale.fetched() ||
      !found.fetched() || !numbers.fetched() || !each_id.fetched() || !those.fetched() || !places.fetched() ||
      !found_ids.fetched() || !found_counts.fetched() || !mask.fetched()) {
    return no_arrays(env);
  }
  const lffn_status status = top_k(numbers.mutable_data(), runtime, queries.data(), query_scale.data(), vectors.data(),
                                   vector_scale.data(), each_id.mutable_data(), mask.data(), those.mutable_data(),
                                   places.mutable_data(), found_counts.mutable_data(), found_ids.mutable_data(),
                                   found.mutable_data(), cancel, run_progress, run_progress_user);
  if (status != LFFN_OK) return status;
  const auto put = [env](jlongArray to, const Copy<jlongArray, int64_t>& from) {
    env->SetLongArrayRegion(to, 0, static_cast<jsize>(from.count()), reinterpret_cast<const jlong*>(from.data()));
  };
  put(counts, found_counts);
  put(ids, found_ids);
  env->SetFloatArrayRegion(scores, 0, static_cast<jsize>(found.count()), found.data());
  return LFFN_OK;
}
