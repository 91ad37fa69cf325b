// SPDX-License-Identifier: Apache-2.0
#include <lookupffn/lookupffn.h>

#include <stdexcept>

#include "engine.h"

namespace compare {
namespace {

void check(lffn_status status) {
  if (status != LFFN_OK) throw std::runtime_error(std::string("liblookupffn: ") + lffn_last_error());
}

class LookupFfnEngine : public ModelEngine {
 public:
  LookupFfnEngine(const std::string& file, bool int8, bool int8_words, uint32_t flags, int threads) {
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.num_threads = threads;
    options.flags = flags;
    options.linear_dtype = options.table_dtype = options.hash_dtype = int8 ? LFFN_DTYPE_INT8 : LFFN_DTYPE_F32;
    if (int8_words) options.embedding_dtype = LFFN_DTYPE_INT8;
    check(lffn_model_load(file.c_str(), &options, &model_));
  }
  ~LookupFfnEngine() override { lffn_model_free(model_); }

  void run(const int32_t* ids, const Batch& batch, float* hidden) override { call(ids, batch, hidden, nullptr); }
  void embed(const int32_t* ids, const Batch& batch, float* out) override { call(ids, batch, nullptr, nullptr, out); }
  void embed(const TextPool& pool, int64_t first, const Batch& batch, float* out) override {
    std::vector<const char*> texts;
    for (int64_t i = 0; i < batch.texts; ++i) texts.push_back(pool.text(first + i).c_str());
    lffn_output outputs[1];
    lffn_model_run_args args = args_for(batch.texts, outputs, out);
    args.texts = texts.data();
    check(lffn_model_run(model_, &args));
  }
  std::vector<double> stages(const int32_t* ids, const Batch& batch, float* hidden) override {
    std::vector<double> seconds(LFFN_NUM_STAGES);
    call(ids, batch, hidden, seconds.data());
    return seconds;
  }
  int64_t hidden_size() const override {
    lffn_model_shape shape;
    lffn_model_shape_init(&shape);
    check(lffn_model_get_shape(model_, &shape));
    return shape.hidden_size;
  }
  std::string version() const override {
    const uint32_t v = lffn_version();
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100) + " (" +
           lffn_isa() + ")";
  }

 private:
  // An output, if there is memory for it.
  static void give(lffn_model_run_args& args, lffn_output* outputs, int32_t what, void* to, int64_t capacity) {
    if (to != nullptr) outputs[args.n_outputs++] = {what, 0, to, capacity};
  }

  lffn_model_run_args args_for(int64_t texts, lffn_output* outputs, float* embeddings) const {
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.n = texts;
    args.outputs = outputs;
    if (embeddings != nullptr) {
      args.pooling = LFFN_POOLING_MEAN;
      args.normalize = LFFN_NORMALIZE_YES;
    }
    give(args, outputs, LFFN_OUT_EMBEDDINGS, embeddings, texts * hidden_size());
    return args;
  }

  void call(const int32_t* ids, const Batch& batch, float* hidden, double* seconds, float* embeddings = nullptr) {
    offsets_.resize(static_cast<size_t>(batch.texts) + 1);
    for (size_t i = 0; i < offsets_.size(); ++i) offsets_[i] = static_cast<int64_t>(i) * batch.length;
    lffn_output outputs[3];
    lffn_model_run_args args = args_for(batch.texts, outputs, embeddings);
    args.ids = ids;
    args.offsets = offsets_.data();
    give(args, outputs, LFFN_OUT_HIDDEN, hidden, batch.tokens() * hidden_size());
    give(args, outputs, LFFN_OUT_STAGE_SECONDS, seconds, LFFN_NUM_STAGES);
    check(lffn_model_run(model_, &args));
  }

  lffn_model* model_ = nullptr;
  std::vector<int64_t> offsets_;
};

}  // namespace

std::unique_ptr<ModelEngine> load_lookupffn(const std::string& file, bool int8, bool int8_words, uint32_t flags,
                                            int threads) {
  return std::make_unique<LookupFfnEngine>(file, int8, int8_words, flags, threads);
}

}  // namespace compare
