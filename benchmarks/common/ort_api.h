// SPDX-License-Identifier: Apache-2.0
// The part of ONNX Runtime's C interface that the comparison calls, looked up in a library opened at run time.
//
// The prebuilt library comes without headers. Its interface is one table of function pointers that only grows at the
// end, so a function is a place in that table, the same in every version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace compare {

struct OrtEnv;
struct OrtMemoryInfo;
struct OrtRunOptions;
struct OrtSessionHandle;
struct OrtSessionOptions;
struct OrtStatus;
struct OrtValue;

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

}  // namespace compare
