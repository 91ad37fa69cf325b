// SPDX-License-Identifier: Apache-2.0
// A whole model on one engine, as the worker process sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "text_pool.h"

namespace compare {

// The same number of tokens in every text of a call.
struct Batch {
  int64_t texts, length;
  int64_t tokens() const { return texts * length; }
};

class ModelEngine {
 public:
  virtual ~ModelEngine() = default;
  // ids: [texts, length]; hidden: receives [texts, length, hidden_size()].
  virtual void run(const int32_t* ids, const Batch& batch, float* hidden) = 0;
  // One vector for each text: the mean over its tokens, scaled to length 1.
  virtual void embed(const int32_t* ids, const Batch& batch, float* out) = 0;
  // The same of texts that all have batch.length tokens.
  virtual void embed(const TextPool& pool, int64_t first, const Batch& batch, float* out);
  // Seconds spent in attention, its linear layers, the FFNs and the rest; empty where the engine does not tell.
  virtual std::vector<double> stages(const int32_t*, const Batch&, float*) { return {}; }
  virtual std::string version() const = 0;
  virtual int64_t hidden_size() const = 0;
};

// linear, tables and hash: all in float32, or all in int8; words as the file has them, or in int8.
std::unique_ptr<ModelEngine> load_lookupffn(const std::string& file, bool int8, bool int8_words, uint32_t flags,
                                            int threads);
std::unique_ptr<ModelEngine> load_onnxruntime(const std::string& file, int threads, int64_t hidden_size);

}  // namespace compare
