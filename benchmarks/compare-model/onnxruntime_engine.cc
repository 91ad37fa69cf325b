#include <algorithm>

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
  std::string version() const override { return session_->version(); }
  int64_t hidden_size() const override { return hidden_size_; }

 private:
  std::unique_ptr<OrtSession> session_;
  int64_t hidden_size_;
  std::vector<int64_t> wide_ids_;
};

}  // namespace

std::unique_ptr<ModelEngine> load_onnxruntime(const std::string& file, int threads, int64_t hidden_size) {
  const std::string name = file.substr(file.rfind('/') + 1) + "-optimised";
  return std::make_unique<OnnxRuntimeEngine>(OrtSession::from_file(file, name, threads), hidden_size);
}

}  // namespace compare
