// SPDX-License-Identifier: Apache-2.0
#include "ort_session.h"

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
namespace {

constexpr int kFloat = 1, kInt64 = 7;  // ONNXTensorElementDataType

}  // namespace

struct OrtSession::Value {
  Value(const OrtApi& api, const OrtMemoryInfo* memory, void* data, size_t element, int type,
        std::initializer_list<int64_t> shape)
      : api(api) {
    size_t size = element;
    for (const int64_t n : shape) size *= static_cast<size_t>(n);
    api.check(api.create_tensor(memory, data, size, shape.begin(), shape.size(), type, &value));
  }
  ~Value() { api.release_value(value); }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  const OrtApi& api;
  OrtValue* value = nullptr;
};

std::unique_ptr<OrtSession> OrtSession::from_file(const std::string& path, const std::string& name, int threads) {
  std::string why;
  const OrtApi* api = OrtApi::get(&why);
  if (api == nullptr) throw std::runtime_error(why);
  return std::unique_ptr<OrtSession>(new OrtSession(*api, &path, nullptr, name, threads));
}

std::unique_ptr<OrtSession> OrtSession::from_bytes(const std::string& model, const std::string& name, int threads,
                                                   std::string* why) {
  const OrtApi* api = OrtApi::get(why);
  if (api == nullptr) return nullptr;
  return std::unique_ptr<OrtSession>(new OrtSession(*api, nullptr, &model, name, threads));
}

OrtSession::OrtSession(const OrtApi& api, const std::string* path, const std::string* model, const std::string& name,
                       int threads)
    : api_(api) {
  OrtSessionOptions* options = nullptr;
  api_.check(api_.create_env(3, "compare", &env_));
  api_.check(api_.create_session_options(&options));
  api_.check(api_.set_intra_op_threads(options, threads));
  if (const char* folder = std::getenv("LFFN_ONNX_DUMP")) {
    api_.check(api_.set_optimized_model_path(options, (std::string(folder) + "/" + name + ".onnx").c_str()));
  }
  api_.check(path != nullptr ? api_.create_session_from_file(env_, path->c_str(), options, &session_)
                             : api_.create_session(env_, model->data(), model->size(), options, &session_));
  api_.release_session_options(options);
  api_.check(api_.create_cpu_memory_info(0, 0, &memory_));
}

OrtSession::~OrtSession() {
  api_.release_memory_info(memory_);
  api_.release_session(session_);
  api_.release_env(env_);
}

void OrtSession::run(const float* x, std::initializer_list<int64_t> x_shape, float* y,
                     std::initializer_list<int64_t> y_shape) {
  run_values(Value(api_, memory_, const_cast<float*>(x), sizeof(float), kFloat, x_shape),
             Value(api_, memory_, y, sizeof(float), kFloat, y_shape));
}

void OrtSession::run(const int64_t* x, std::initializer_list<int64_t> x_shape, float* y,
                     std::initializer_list<int64_t> y_shape) {
  run_values(Value(api_, memory_, const_cast<int64_t*>(x), sizeof(int64_t), kInt64, x_shape),
             Value(api_, memory_, y, sizeof(float), kFloat, y_shape));
}

void OrtSession::run_values(const Value& x, const Value& y) {
  static const char* const kInput = "x";
  static const char* const kOutput = "y";
  OrtValue* output = y.value;
  api_.check(api_.run(session_, nullptr, &kInput, &x.value, 1, &kOutput, 1, &output));
}

}  // namespace compare
