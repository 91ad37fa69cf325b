// SPDX-License-Identifier: Apache-2.0
// A model loaded in ONNX Runtime that turns one tensor, "x", into another, "y".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "ort_api.h"

namespace compare {

class OrtSession {
 public:
  // Both take ONNX Runtime's own defaults, which are all its graph optimisations and threads that spin between calls.
  // With LFFN_ONNX_DUMP set, the graph that it made of the model is written to that folder under `name`.
  static std::unique_ptr<OrtSession> from_file(const std::string& path, const std::string& name, int threads);
  // NULL with `why` filled in when there is no ONNX Runtime.
  static std::unique_ptr<OrtSession> from_bytes(const std::string& model, const std::string& name, int threads,
                                                std::string* why);
  ~OrtSession();
  OrtSession(const OrtSession&) = delete;
  OrtSession& operator=(const OrtSession&) = delete;

  // Both tensors stay where they are: nothing is copied or allocated for them.
  void run(const float* x, std::initializer_list<int64_t> x_shape, float* y, std::initializer_list<int64_t> y_shape);
  void run(const int64_t* x, std::initializer_list<int64_t> x_shape, float* y, std::initializer_list<int64_t> y_shape);
  const char* version() const { return api_.version; }

 private:
  OrtSession(const OrtApi& api, const std::string* path, const std::string* model, const std::string& name,
             int threads);
  struct Value;
  void run_values(const Value& x, const Value& y);

  const OrtApi& api_;
  OrtEnv* env_ = nullptr;
  OrtSessionHandle* session_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
};

}  // namespace compare
