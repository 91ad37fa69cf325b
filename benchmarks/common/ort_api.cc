// SPDX-License-Identifier: Apache-2.0
#include "ort_api.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace compare {
namespace {

// The version of the interface asked for; any library of version 1.17 or later has it.
constexpr uint32_t kApiVersion = 17;

struct ApiBase {
  void* const* (*get_api)(uint32_t version);
  const char* (*get_version)();
};

template <class Function>
void take(Function& function, void* const* table, int place) {
  function = reinterpret_cast<Function>(table[place]);
}

}  // namespace

void OrtApi::check(OrtStatus* status) const {
  if (status != nullptr) throw std::runtime_error(std::string("ONNX Runtime: ") + error_message(status));
}

const OrtApi* OrtApi::get(std::string* why) {
  static OrtApi api;
  if (api.version != nullptr) return &api;
  const char* named = std::getenv("LFFN_ONNXRUNTIME");
  void* library = dlopen(named != nullptr ? named : "libonnxruntime.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    *why = dlerror();
    return nullptr;
  }
  const auto get_base = reinterpret_cast<const ApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
  void* const* table = get_base == nullptr ? nullptr : get_base()->get_api(kApiVersion);
  if (table == nullptr) {
    *why = "the ONNX Runtime library is older than 1.17";
    return nullptr;
  }
  take(api.error_message, table, 2);
  take(api.create_env, table, 3);
  take(api.create_session_from_file, table, 7);
  take(api.create_session, table, 8);
  take(api.run, table, 9);
  take(api.create_session_options, table, 10);
  take(api.set_optimized_model_path, table, 11);
  take(api.set_intra_op_threads, table, 24);
  take(api.create_tensor, table, 49);
  take(api.create_cpu_memory_info, table, 69);
  take(api.release_env, table, 92);
  take(api.release_memory_info, table, 94);
  take(api.release_session, table, 95);
  take(api.release_value, table, 96);
  take(api.release_session_options, table, 100);
  api.version = get_base()->get_version();
  return &api;
}

}  // namespace compare
