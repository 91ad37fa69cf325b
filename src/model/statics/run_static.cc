// SPDX-License-Identifier: Apache-2.0
// A call to a model of static vectors.
#include "model/statics/run_static.h"

#include <algorithm>

#include "lookupffn/run.h"
#include "model/heads/embedding_forms.h"
#include "model/tensors/workers.h"

namespace lffn {

namespace {

// A row for each thread, `stride` bytes from one to the next.
ScratchParts rows_of_threads(const ModelCore& model, const StaticVectors& vectors, size_t& stride) {
  ScratchParts parts;
  parts.place_each(model.running().num_threads, static_cast<size_t>(vectors.size()) * sizeof(float), stride);
  return parts;
}

}  // namespace

size_t static_scratch_bytes(const ModelCore& model, const StaticVectors& vectors) {
  size_t stride = 0;
  return rows_of_threads(model, vectors, stride).end();
}

void run_static(const ModelCore& model, const StaticVectors& vectors, const ModelCall& call) {
  const int64_t size = vectors.size();
  const Workers workers = {model.running().kernels, model.threads_of(call), model.running().flush_denormals,
                           call.cancel};
  size_t stride = 0;
  const ScratchParts rows = rows_of_threads(model, vectors, stride);
  const ScratchPool::Lease scratch(model.scratch(), rows.end());
  const Borders borders(scratch.data(), rows);
  const bool scales =
      call.scaling == Scaling::kYes || (call.scaling == Scaling::kAsModel && model.sentence().normalises());
  constexpr int64_t kPerItem = 32, kAtOnce = 4096;  // sequences
  for (int64_t first = 0; first < call.num_sequences; first += kAtOnce) {
    const int64_t last = std::min(call.num_sequences, first + kAtOnce);
    const double work = 4.0 * static_cast<double>((call.offsets[last] - call.offsets[first]) * size);
    workers.run((last - first + kPerItem - 1) / kPerItem, workers.threads_for(work), [&](int64_t item, int32_t thread) {
      float* const row = reinterpret_cast<float*>(scratch.data() + static_cast<size_t>(thread) * stride);
      const int64_t begin = first + item * kPerItem, end = std::min(last, begin + kPerItem);
      for (int64_t s = begin; s < end; ++s) {
        const int32_t* const ids = call.ids + call.offsets[s];
        if (call.embeddings != nullptr) {
          float* const out = call.embeddings + s * size;
          vectors.embed(workers.kernels, ids, call.length(s), row, out);
          if (scales) scale_to_one(out, size);
        }
        for (int64_t t = 0; call.token_vectors != nullptr && t < call.length(s); ++t) {
          float* const out = call.token_vectors + (call.offsets[s] + t) * size;
          vectors.read(ids[t], out);
          if (call.scaling == Scaling::kYes) scale_to_one(out, size);
        }
      }
    });
    if (call.progress) call.progress(last);
  }
  if (call.seconds != nullptr) std::fill_n(call.seconds, LFFN_NUM_STAGES, 0.0);
}

}  // namespace lffn
