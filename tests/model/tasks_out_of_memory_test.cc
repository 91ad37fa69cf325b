// SPDX-License-Identifier: Apache-2.0
// Makes each allocation of a call that finds entities, answers or labels fail in turn: every call then says so, and
// leaves nothing behind.
#include "tests/format/out_of_memory.h"
#include "tests/support/allocator.h"

namespace lffn {
namespace {

class TasksOutOfMemory : public testing::Test {
 protected:
  void SetUp() override {
    const lffn_allocator allocator = allocator_of(hook_allocate, hook_deallocate);
    ASSERT_EQ(lffn_set_allocator(&allocator), LFFN_OK);
  }
  void TearDown() override { EXPECT_EQ(lffn_set_allocator(nullptr), LFFN_OK); }

  // The model is loaded anew for each try, since one that has run keeps its memory.
  void survive_all(const char* name, const std::function<lffn_status(const lffn_model*)>& action) {
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.num_threads = 1;
    const std::string folder = std::string(LFFN_SMALL_FOLDERS) + "/" + name;
    int failures = 0;
    for (lffn_status status = LFFN_ERROR_OUT_OF_MEMORY; status != LFFN_OK && !HasFailure(); ++failures) {
      const Balance before;
      lffn_model* model = nullptr;
      ASSERT_EQ(lffn_model_load(folder.c_str(), &options, &model), LFFN_OK) << lffn_last_error();
      left = failures;
      refused = 0;
      status = action(model);
      left = INT64_MAX;
      EXPECT_TRUE(status == LFFN_ERROR_OUT_OF_MEMORY || (status == LFFN_OK && refused == 0)) << lffn_last_error();
      lffn_model_free(model);
      EXPECT_TRUE(before == Balance()) << "something is left after " << failures << " allocations";
    }
    EXPECT_GT(failures, 10);
  }
};

constexpr char kText[] = "Hello, world! The quick brown fox.";

TEST_F(TasksOutOfMemory, Entities) {
  survive_all("bert-tokens", [](const lffn_model* model) {
    lffn_result* result = nullptr;
    lffn_status status = lffn_result_create(&result);
    if (status != LFFN_OK) return status;
    const char* const text = kText;
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.texts = &text;
    args.n = 1;
    args.wanted = LFFN_WANT_ENTITIES;
    args.aggregation = LFFN_AGGREGATION_AVERAGE;
    args.result = result;
    status = lffn_model_run(model, &args);
    lffn_result_free(result);
    return status;
  });
}

TEST_F(TasksOutOfMemory, Answers) {
  survive_all("bert-answers", [](const lffn_model* model) {
    lffn_answer_args args;
    lffn_answer_args_init(&args);
    args.question = "fox";
    args.question_size = 3;
    args.context = kText;
    args.context_size = sizeof kText - 1;
    args.max_tokens = 16;
    args.stride = 2;
    return lffn_model_answer(model, &args);
  });
}

}  // namespace
}  // namespace lffn
