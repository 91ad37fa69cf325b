// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime, opened at run time, and a model loaded in it that turns one tensor, "x", into another, "y".
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

namespace compare {

struct OrtEnv;
struct OrtMemoryInfo;
struct OrtRunOptions;
struct OrtSessionHandle;
struct OrtSessionOptions;
struct OrtStatus;
struct OrtValue;

// The part of ONNX Runtime's C interface that the comparison calls. The prebuilt library comes without headers. Its
// interface is one table of function pointers that only grows at the end, so a function is a place in that table, the
// same in every version.
struct OrtApi {
  const char* version;
  const char* (*error_message)(const OrtStatus*);
  OrtStatus* (*create_env)(int log_level, const char* log_id, OrtEnv**);
  OrtStatus* (*create_session_from_file)(const OrtEnv*, const char* path, const OrtSessionOptions*, OrtSessionHandle**);
  OrtStatus* (*create_session)(const OrtEnv*, const void* model, size_t size, const OrtSessionOptions*,
                               OrtSessionHandle**);
  OrtStatus* (*run)(OrtSessionHandle*, const OrtRunOptions*, const char* const* input_names,
                    const OrtValue* const* inputs, size_t n_inputs, const char* const* output_names, size_t n_outputs,
                    OrtValue** outputs);
  OrtStatus* (*create_session_options)(OrtSessionOptions**);
  OrtStatus* (*set_optimized_model_path)(OrtSessionOptions*, const char*);
  OrtStatus* (*set_intra_op_threads)(OrtSessionOptions*, int);
  OrtStatus* (*create_tensor)(const OrtMemoryInfo*, void* data, size_t size, const int64_t* shape, size_t rank,
                              int type, OrtValue**);
  OrtStatus* (*create_cpu_memory_info)(int allocator, int memory_type, OrtMemoryInfo**);
  void (*release_env)(OrtEnv*);
  void (*release_memory_info)(OrtMemoryInfo*);
  void (*release_session)(OrtSessionHandle*);
  void (*release_value)(OrtValue*);
  void (*release_session_options)(OrtSessionOptions*);

  // Throws std::runtime_error with the library's message unless the status is NULL, which means OK.
  void check(OrtStatus* status) const;

  // Opens the library that LFFN_ONNXRUNTIME names, or libonnxruntime.so.1. NULL with `why` filled in when there is
  // none.
  static const OrtApi* get(std::string* why);
};

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
