// SPDX-License-Identifier: Apache-2.0
// A vanilla FFN or a linear layer on ONNX Runtime, in float32 and dynamically quantised to int8.
#include "engine.h"
#include "onnx_model.h"
#include "ort_session.h"

namespace compare {
namespace {

class OnnxRuntimeEngine : public Engine {
 public:
  OnnxRuntimeEngine(std::unique_ptr<OrtSession> session, const Shape& shape)
      : session_(std::move(session)), columns_(shape.d), out_columns_(shape.out_columns()) {}

  void run(const float* x, int64_t n, float* y) override { session_->run(x, {n, columns_}, y, {n, out_columns_}); }

 private:
  std::unique_ptr<OrtSession> session_;
  int64_t columns_, out_columns_;
};

std::unique_ptr<Engine> make(const Problem& problem, const std::string& model, const char* type, int threads,
                             std::string* why) {
  auto session = OrtSession::from_bytes(model, problem.shape().name + "-" + type, threads, why);
  if (session == nullptr) return nullptr;
  return std::make_unique<OnnxRuntimeEngine>(std::move(session), problem.shape());
}

}  // namespace

std::unique_ptr<Engine> make_onnxruntime_f32(Problem& problem, int threads, std::string* why) {
  return make(problem, onnx_float32_model(problem), "f32", threads, why);
}

std::unique_ptr<Engine> make_onnxruntime_int8(Problem& problem, int threads, std::string* why) {
  return make(problem, onnx_int8_model(problem), "int8", threads, why);
}

std::string onnxruntime_version() {
  std::string why;
  const OrtApi* api = OrtApi::get(&why);
  return api == nullptr ? "" : api->version;
}

}  // namespace compare
