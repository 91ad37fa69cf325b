// A vanilla FFN on ONNX Runtime, in float32 and dynamically quantised to int8.
#include "engine_onnxruntime.h"

#include <cstdlib>

#include "onnx_model.h"
#include "ort_api.h"

namespace compare {
namespace {

class OnnxRuntimeEngine : public Engine {
 public:
  OnnxRuntimeEngine(const OrtApi& api, const std::string& model, const char* kind, int64_t d, int threads)
      : api_(api), d_(d) {
    OrtSessionOptions* options = nullptr;
    api_.check(api_.create_env(3, "compare", &env_));
    api_.check(api_.create_session_options(&options));
    api_.check(api_.set_intra_op_threads(options, threads));
    if (const char* folder = std::getenv("LFFN_ONNX_DUMP")) {  // to see what it made of the graph
      api_.check(api_.set_optimized_model_path(options, (std::string(folder) + "/" + kind + ".onnx").c_str()));
    }
    api_.check(api_.create_session(env_, model.data(), model.size(), options, &session_));
    api_.release_session_options(options);
    api_.check(api_.create_cpu_memory_info(0, 0, &memory_));
  }
  ~OnnxRuntimeEngine() override {
    api_.release_memory_info(memory_);
    api_.release_session(session_);
    api_.release_env(env_);
  }

  void run(const float* x, int64_t n, float* y) override {
    static const char* const input_name = "x";
    static const char* const output_name = "y";
    OrtValue* input = tensor(const_cast<float*>(x), n);
    OrtValue* output = tensor(y, n);
    api_.check(api_.run(session_, nullptr, &input_name, &input, 1, &output_name, 1, &output));
    api_.release_value(input);
    api_.release_value(output);
  }

 private:
  OrtValue* tensor(float* data, int64_t n) const {
    constexpr int kFloat = 1;
    const int64_t shape[] = {n, d_};
    OrtValue* value = nullptr;
    api_.check(
        api_.create_tensor(memory_, data, sizeof(float) * static_cast<size_t>(n * d_), shape, 2, kFloat, &value));
    return value;
  }

  const OrtApi& api_;
  int64_t d_;
  OrtEnv* env_ = nullptr;
  OrtSession* session_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
};

}  // namespace

std::unique_ptr<Engine> make_onnxruntime_f32(Problem& problem, int threads, std::string* why) {
  const OrtApi* api = OrtApi::get(why);
  if (api == nullptr) return nullptr;
  return std::make_unique<OnnxRuntimeEngine>(*api, onnx_float32_model(problem), "f32", problem.shape().d, threads);
}

std::unique_ptr<Engine> make_onnxruntime_int8(Problem& problem, int threads, std::string* why) {
  const OrtApi* api = OrtApi::get(why);
  if (api == nullptr) return nullptr;
  return std::make_unique<OnnxRuntimeEngine>(*api, onnx_int8_model(problem), "int8", problem.shape().d, threads);
}

std::string onnxruntime_version() {
  std::string why;
  const OrtApi* api = OrtApi::get(&why);
  return api == nullptr ? "" : api->version;
}

}  // namespace compare
