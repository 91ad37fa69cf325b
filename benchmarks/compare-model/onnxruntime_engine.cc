// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine.h"
#include "ort_session.h"

namespace compare {
namespace {

class OnnxRuntimeEngine : public ModelEngine {
 public:
  OnnxRuntimeEngine(std::unique_ptr<OrtSession> session, int64_t hidden_size)
      : session_(std::move(session)), hidden_size_(hidden_size) {}

  void run(const int32_t* ids, const Batch& batch, float* hidden) override {
    wide_ids_.assign(ids, ids + batch.tokens());
    session_->run(wide_ids_.data(), {batch.texts, batch.length}, hidden, {batch.texts, batch.length, hidden_size_});
  }
  void embed(const int32_t* ids, const Batch& batch, float* out) override {
    hidden_.resize(static_cast<size_t>(batch.tokens() * hidden_size_));
    run(ids, batch, hidden_.data());
    for (int64_t i = 0; i < batch.texts; ++i) {
      float* sum = out + i * hidden_size_;
      std::fill_n(sum, hidden_size_, 0.0f);
      for (int64_t t = 0; t < batch.length; ++t) {
        const float* row = hidden_.data() + (i * batch.length + t) * hidden_size_;
        for (int64_t k = 0; k < hidden_size_; ++k) sum[k] += row[k];
      }
      float square = 0;
      for (int64_t k = 0; k < hidden_size_; ++k) square += sum[k] * sum[k];
      const float scale = 1 / std::sqrt(square);
      for (int64_t k = 0; k < hidden_size_; ++k) sum[k] *= scale;
    }
  }
  std::string version() const override { return session_->version(); }
  int64_t hidden_size() const override { return hidden_size_; }

 private:
  std::unique_ptr<OrtSession> session_;
  int64_t hidden_size_;
  std::vector<int64_t> wide_ids_;
  std::vector<float> hidden_;
};

}  // namespace

std::unique_ptr<ModelEngine> load_onnxruntime(const std::string& file, int threads, int64_t hidden_size) {
  const std::string name = file.substr(file.rfind('/') + 1) + "-optimised";
  return std::make_unique<OnnxRuntimeEngine>(OrtSession::from_file(file, name, threads), hidden_size);
}

}  // namespace compare
