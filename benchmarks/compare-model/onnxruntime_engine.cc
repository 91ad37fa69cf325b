#include <cstdlib>
#include <stdexcept>

#include "engine.h"
#include "ort_api.h"

namespace compare {
namespace {

constexpr int kFloat = 1, kInt64 = 7;  // ONNXTensorElementDataType

class OnnxRuntimeEngine : public ModelEngine {
 public:
  OnnxRuntimeEngine(const OrtApi& api, const std::string& file, int threads) : api_(api) {
    OrtSessionOptions* options = nullptr;
    api_.check(api_.create_env(3, "compare", &env_));
    api_.check(api_.create_session_options(&options));
    api_.check(api_.set_intra_op_threads(options, threads));
    if (const char* path = std::getenv("LFFN_ONNX_DUMP")) {  // to see what it made of the graph
      api_.check(api_.set_optimized_model_path(options, path));
    }
    api_.check(api_.create_session_from_file(env_, file.c_str(), options, &session_));
    api_.release_session_options(options);
    api_.check(api_.create_cpu_memory_info(0, 0, &memory_));
  }
  ~OnnxRuntimeEngine() override {
    api_.release_memory_info(memory_);
    api_.release_session(session_);
    api_.release_env(env_);
  }

  void run(const int32_t* ids, const Batch& batch, float* hidden) override {
    static const char* const input_name = "ids";
    static const char* const output_name = "hidden";
    wide_ids_.assign(ids, ids + batch.tokens());
    const int64_t input_shape[] = {batch.texts, batch.length}, output_shape[] = {batch.texts, batch.length, kHidden};
    OrtValue *input = nullptr, *output = nullptr;
    api_.check(api_.create_tensor(memory_, wide_ids_.data(), wide_ids_.size() * sizeof(int64_t), input_shape, 2, kInt64,
                                  &input));
    api_.check(api_.create_tensor(memory_, hidden, sizeof(float) * static_cast<size_t>(batch.tokens() * kHidden),
                                  output_shape, 3, kFloat, &output));
    api_.check(api_.run(session_, nullptr, &input_name, &input, 1, &output_name, 1, &output));
    api_.release_value(input);
    api_.release_value(output);
  }
  std::string version() const override { return api_.version; }

 private:
  const OrtApi& api_;
  OrtEnv* env_ = nullptr;
  OrtSession* session_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
  std::vector<int64_t> wide_ids_;
};

}  // namespace

std::unique_ptr<ModelEngine> load_onnxruntime(const std::string& file, int threads) {
  std::string why;
  const OrtApi* api = OrtApi::get(&why);
  if (api == nullptr) throw std::runtime_error(why);
  return std::make_unique<OnnxRuntimeEngine>(*api, file, threads);
}

}  // namespace compare
