// SPDX-License-Identifier: Apache-2.0
// Makes each allocation of a model fail in turn: every call then says so, leaves nothing behind, and works once memory
// is back.
#include "tests/format/out_of_memory.h"

#include <fstream>
#include <utility>

#include "model/config/tokenizer_files.h"
#include "model_fixture.h"
#include "tests/support/allocator.h"
#include "tests/tokenizer/small.h"

namespace lffn {
namespace {

class ModelOutOfMemory : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    const lffn_allocator allocator = allocator_of(hook_allocate, hook_deallocate);
    ASSERT_EQ(lffn_set_default_allocator(&allocator), LFFN_OK);
    shape_.family = &kBert;
    shape_.ffn_kinds = "wv";
    shape_.hidden_size = 16;
    shape_.num_heads = 2;
    shape_.head_size = 8;
    shape_.vocab_size = 20;
    shape_.max_tokens = 20;
    shape_.intermediate_size = 8;
    shape_.num_tables = 3;
    shape_.table_size = 4;
    shape_.block_size = 4;
    random_model(shape_).write(path("model"));
    lffn_load_options_init(&options_);
    options_.num_threads = 1;
    options_.linear_dtype = LFFN_DTYPE_INT8;
  }
  void TearDown() override {
    EXPECT_EQ(lffn_set_default_allocator(nullptr), LFFN_OK);
    InFolder::TearDown();
  }
  void free_model() {
    lffn_model_free(model_);
    model_ = nullptr;
  }

  RandomModelShape shape_;
  lffn_load_options options_;
  lffn_model* model_ = nullptr;
};

TEST_F(ModelOutOfMemory, LoadFromMemory) {
  const std::string file = content_of(path("model"));
  const int failures = survive([&] { return lffn_model_load_memory(file.data(), file.size(), &options_, &model_); },
                               [&] { free_model(); }, [&] { ASSERT_EQ(model_, nullptr); });
  EXPECT_GT(failures, 100) << "a load allocates for its header, its weights and its handle";
}

TEST_F(ModelOutOfMemory, LoadFromFile) {
  const std::string file = path("model");
  survive([&] { return lffn_model_load(file.c_str(), &options_, &model_); }, [&] { free_model(); });
}

TEST_F(ModelOutOfMemory, Save) {
  ASSERT_EQ(lffn_model_load(path("model").c_str(), &options_, &model_), LFFN_OK) << lffn_last_error();
  const std::string file = path("saved");
  std::ofstream(file) << "old";
  survive([&] { return lffn_model_save(model_, file.c_str(), nullptr); }, [] {},
          [&] { ASSERT_EQ(content_of(file), "old"); });
  EXPECT_NE(content_of(file), "old");
  free_model();
}

TEST_F(ModelOutOfMemory, RunAndSteadyState) {
  const Sequences input = sequences({5, 20, 1}, 20);
  const int64_t positions[] = {25, 3};
  std::vector<float> hidden(26 * 16), logits(2 * 20), scores(9), embeddings(3 * 16);
  const Balance before;
  ASSERT_EQ(lffn_model_load(path("model").c_str(), &options_, &model_), LFFN_OK) << lffn_last_error();
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.ids = input.ids.data();
  args.offsets = input.offsets.data();
  args.n = input.n();
  args.logit_positions = positions;
  args.n_logit_positions = 2;
  constexpr int64_t kRoom = 26 * 16;
  const lffn_output outputs[] = {{LFFN_OUT_LOGITS, 0, logits.data(), kRoom},
                                 {LFFN_OUT_CLASS_SCORES, 0, scores.data(), kRoom},
                                 {LFFN_OUT_EMBEDDINGS, 0, embeddings.data(), kRoom},
                                 {LFFN_OUT_HIDDEN, 0, hidden.data(), kRoom}};
  args.outputs = outputs;
  args.n_outputs = 4;
  int failures = 0;
  for (lffn_status status = LFFN_ERROR_OUT_OF_MEMORY; status != LFFN_OK; ++failures) {
    ASSERT_LT(failures, 1000);
    for (std::vector<float>* out : {&hidden, &logits, &scores, &embeddings}) std::fill(out->begin(), out->end(), 7.0f);
    left = failures;
    status = lffn_model_run(model_, &args);
    left = INT64_MAX;
    if (status == LFFN_OK) break;
    ASSERT_EQ(status, LFFN_ERROR_OUT_OF_MEMORY) << lffn_last_error();
    for (const std::vector<float>* out : {&hidden, &logits, &scores, &embeddings}) {
      for (const float value : *out) ASSERT_EQ(value, 7.0f) << "outputs are untouched";
    }
  }
  EXPECT_GT(failures, 0) << "the first call makes its scratch memory";
  for (int round = 0; round < 3; ++round) {
    args.n_outputs = round == 1 ? 3 : 4;  // without hidden states it needs more scratch memory
    if (round != 2) {
      ASSERT_EQ(lffn_model_run(model_, &args), LFFN_OK);
    }
    left = 0;
    const lffn_status again = lffn_model_run(model_, &args);
    left = INT64_MAX;
    EXPECT_EQ(again, LFFN_OK) << "a steady state needs no more memory: " << lffn_last_error();
  }
  free_model();
  EXPECT_TRUE(before == Balance());
}

// With a tokenizer and one class, which none of the folders beside the tests has.
TEST_F(ModelOutOfMemory, Rerank) {
  const std::string tokenizer = small_tokenizer()->to_json();
  shape_.num_classes = 1;
  RandomModel made = random_model(shape_);
  TensorView text;
  text.name = kTokenizerTensor;
  text.dtype = DType::kU8;
  text.shape = {static_cast<int64_t>(tokenizer.size())};
  text.data = reinterpret_cast<const uint8_t*>(tokenizer.data());
  text.size = tokenizer.size();
  made.tensors.push_back(std::move(text));
  const std::string file = path("reranker");
  made.write(file);
  const char* const queries[] = {"b a", "b a", "b a"};
  const char* const documents[] = {"a b", "ab ab ab", ""};
  float scores[] = {7, 7, 7};
  const int failures = survive(
      [&] {
        // Made anew each time, as a model keeps its scratch memory.
        int64_t allowed = std::exchange(left, INT64_MAX);
        lffn_status status = lffn_model_load(file.c_str(), &options_, &model_);
        if (status != LFFN_OK) return status;
        left = allowed;
        lffn_model_run_args args;
        lffn_model_run_args_init(&args);
        args.texts = queries;
        args.pairs = documents;
        args.n = 3;
        args.max_tokens = 16;
        const lffn_output output = {LFFN_OUT_CLASS_SCORES, 0, scores, 3};
        args.outputs = &output;
        args.n_outputs = 1;
        status = lffn_model_run(model_, &args);
        left = INT64_MAX;
        free_model();
        return status;
      },
      [] {},
      [&] {
        for (const float score : scores) ASSERT_EQ(score, 7) << "outputs are untouched";
      });
  EXPECT_GT(failures, 3) << "tokens and scratch memory";
  EXPECT_NE(scores[0], 7);
}

TEST_F(ModelOutOfMemory, Runtime) {
  lffn_runtime_options options;
  lffn_runtime_options_init(&options);
  options.num_threads = 2;
  lffn_runtime* runtime = nullptr;
  const int failures =
      survive([&] { return lffn_runtime_create(&options, &runtime); },
              [&] { lffn_runtime_free(runtime), runtime = nullptr; }, [&] { ASSERT_EQ(runtime, nullptr); });
  EXPECT_GT(failures, 1) << "the handle, and what its handles keep of it";
  options.parallel_for = [](void*, int64_t n, void (*run)(void*, int64_t), void* context) {
    for (int64_t i = 0; i < n; ++i) run(context, i);
  };
  const int with_pool =
      survive([&] { return lffn_runtime_create(&options, &runtime); },
              [&] { lffn_runtime_free(runtime), runtime = nullptr; }, [&] { ASSERT_EQ(runtime, nullptr); });
  EXPECT_GT(with_pool, failures) << "an executor of its own";
}

}  // namespace
}  // namespace lffn
