// SPDX-License-Identifier: Apache-2.0
// Makes each allocation of late interaction fail in turn.
#include "lookupffn/lookupffn.h"
#include "tests/format/out_of_memory.h"
#include "tests/support/allocator.h"
#include "tests/support/outputs.h"

namespace lffn {
namespace {

class LateOutOfMemory : public testing::Test {
 protected:
  void SetUp() override {
    const lffn_allocator allocator = allocator_of(hook_allocate, hook_deallocate);
    ASSERT_EQ(lffn_set_default_allocator(&allocator), LFFN_OK);
    lffn_load_options_init(&options_);
    options_.num_threads = 1;
  }
  void TearDown() override {
    free_model();
    EXPECT_EQ(lffn_set_default_allocator(nullptr), LFFN_OK);
  }
  void load() { ASSERT_EQ(lffn_model_load(kFolder, &options_, &model_), LFFN_OK) << lffn_last_error(); }
  void free_model() {
    lffn_model_free(model_);
    model_ = nullptr;
  }
  // A model that has run keeps its scratch memory: so every action has one of its own.
  int survive_with_model(const std::function<lffn_status()>& action, const std::function<void()>& unchanged) {
    for (int failures = 0;; ++failures) {
      const Balance before;
      load();
      left = failures;
      const lffn_status status = action();
      left = INT64_MAX;
      free_model();
      EXPECT_TRUE(before == Balance()) << "something is left after " << failures << " allocations";
      if (status == LFFN_OK) return failures;
      EXPECT_EQ(status, LFFN_ERROR_OUT_OF_MEMORY) << lffn_last_error() << ", after " << failures << " allocations";
      unchanged();
      if (HasFailure()) return failures;
    }
  }

  static constexpr const char* kFolder = LFFN_LATE_FOLDERS "/late-pylate";
  lffn_load_options options_;
  lffn_model* model_ = nullptr;
};

// Not each allocation, of which there are thousands, most of them a tokenizer's.
TEST_F(LateOutOfMemory, Loads) {
  start_openmp();
  for (int64_t failures = 0;; failures += 7) {
    const Balance before;
    left = failures;
    const lffn_status status = lffn_model_load(kFolder, &options_, &model_);
    left = INT64_MAX;
    free_model();
    EXPECT_TRUE(before == Balance()) << "something is left after " << failures << " allocations";
    if (status == LFFN_OK || HasFailure()) return;
    EXPECT_EQ(status, LFFN_ERROR_OUT_OF_MEMORY) << lffn_last_error() << ", after " << failures << " allocations";
  }
}

TEST_F(LateOutOfMemory, MakesVectors) {
  const char* const texts[] = {"What is the sun?", "", "It is a star."};
  outputs::list_of(outputs::kTokenVectors | outputs::kInt8TokenVectors);  // is made before memory is scarce
  for (const int32_t kind : {LFFN_PROMPT_QUERY, LFFN_PROMPT_DOCUMENT}) {
    const auto run = [&] {
      lffn_result* result = nullptr;
      lffn_status status = lffn_result_create(&result);
      if (status != LFFN_OK) return status;
      lffn_model_run_args args;
      lffn_model_run_args_init(&args);
      args.texts = texts;
      args.n = 3;
      args.prompt_kind = kind;
      args.result = result;
      outputs::keep(args, outputs::kTokenVectors | outputs::kInt8TokenVectors);
      status = lffn_model_run(model_, &args);
      lffn_result_free(result);
      return status;
    };
    EXPECT_GT(survive_with_model(run, [] {}), 10);
  }
}

TEST_F(LateOutOfMemory, Reranks) {
  const char* const documents[] = {"It is a star.", "Dogs sleep.", ""};
  std::vector<float> scores(3, 7);
  std::vector<int64_t> order(3, 7);
  lffn_model_rerank_args args;
  lffn_model_rerank_args_init(&args);
  args.query = "What is the sun?";
  args.documents = documents;
  args.n_documents = 3;
  const lffn_output outputs[] = {{LFFN_OUT_DOCUMENT_SCORES, 0, scores.data(), 3},
                                 {LFFN_OUT_DOCUMENT_ORDER, 0, order.data(), 3}};
  args.outputs = outputs;
  args.n_outputs = 2;
  EXPECT_GT(survive_with_model([&] { return lffn_model_rerank(model_, &args); },
                               [&] {
                                 ASSERT_EQ(scores, std::vector<float>(3, 7));
                                 ASSERT_EQ(order, std::vector<int64_t>(3, 7));
                               }),
            10);
}

TEST_F(LateOutOfMemory, ScoresVectors) {
  const std::vector<float> vectors(80 * 20, 0.5f);
  const int64_t queries[] = {0, 30, 80}, documents[] = {0, 70, 70, 80};
  std::vector<float> scores(6, 7);
  lffn_max_sim_args args;
  lffn_max_sim_args_init(&args);
  args.queries = args.documents = vectors.data();
  args.query_offsets = queries;
  args.n_queries = 2;
  args.document_offsets = documents;
  args.n_documents = 3;
  args.size = 20;
  args.num_threads = 1;
  const lffn_output output = {LFFN_OUT_MAX_SIM_SCORES, 0, scores.data(), 6};
  args.outputs = &output;
  args.n_outputs = 1;
  EXPECT_GT(survive([&] { return lffn_max_sim(&args); }, [] {}, [&] { ASSERT_EQ(scores, std::vector<float>(6, 7)); }),
            0);
  EXPECT_EQ(scores[0], 30 * 5);
}

}  // namespace
}  // namespace lffn
