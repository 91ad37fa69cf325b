// SPDX-License-Identifier: Apache-2.0
#include "ort_session.h"

#include <cstdlib>
#include <stdexcept>

namespace compare {
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
