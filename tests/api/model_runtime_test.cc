// SPDX-License-Identifier: Apache-2.0
// lffn_runtime under whole models: nothing of a host's threads, memory or log is asked for elsewhere.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "host.h"
#include "lookupffn/lookupffn.hpp"
#include "tests/support/allocator.h"
#include "tests/support/outputs.h"

namespace {

using Floats = std::vector<float>;

class ModelRuntimes : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(lffn_live_handles(), 0); }

  // Loads with the runtime, which ends before the model does.
  static lookupffn::Model with(const lookupffn::RuntimeOptions& options) {
    const lookupffn::Runtime runtime(options);
    lookupffn::LoadOptions load;
    load.runtime = runtime.get();
    return lookupffn::Model::load(kFolder, load);
  }
  static lookupffn::Model usual() { return lookupffn::Model::load(kFolder); }
  // Enough tokens for several threads.
  static Floats run(const lookupffn::Model& model) {
    std::vector<std::string> texts;
    for (int i = 0; i < 60; ++i) texts.push_back("the sentence of number " + std::to_string(i * 7919) + " is here");
    return model.embed(lookupffn::Texts(texts));
  }
  static constexpr const char* kFolder = LFFN_MODEL_DATA "/model-lookup";
};

TEST_F(ModelRuntimes, RunInTheHostsPool) {
  Pool pool;
  const lookupffn::Model model = with(in_pool(pool, 3));
  EXPECT_EQ(model.info().num_threads, 3);
  const Floats expected = run(usual());
  EXPECT_EQ(pool.loops(), 0) << "that model is none of the pool's";
  EXPECT_EQ(wrong_calls(3, 5, [&] { return run(model) == expected; }), 0);
  EXPECT_GT(pool.loops(), 0);
  EXPECT_LE(pool.most_items(), 3);
  EXPECT_EQ(pool.repeated(), 0);
}

TEST_F(ModelRuntimes, LimitTheThreads) {
  lookupffn::RuntimeOptions options;
  options.num_threads = 1;
  EXPECT_EQ(with(options).info().num_threads, 1);
  EXPECT_EQ(run(with(options)), run(usual()));
}

TEST_F(ModelRuntimes, HaveTheirOwnMemoryAndLog) {
  Heap heap;
  std::vector<std::string> lines;
  const lffn_allocator allocator = heap.allocator();
  lookupffn::RuntimeOptions options;
  options.allocator = &allocator;
  options.log = keep_line;
  options.log_user = &lines;
  {
    run(usual());
    EXPECT_EQ(heap.taken, 0);
    EXPECT_TRUE(lines.empty());
    const lookupffn::Model model = with(options);
    const int64_t weights = heap.taken;
    EXPECT_GT(weights, 0);
    EXPECT_FALSE(lines.empty());
    run(model);
    EXPECT_GT(heap.taken, weights) << "scratch memory is the runtime's, too";
    lffn_trim();
    EXPECT_EQ(run(model), run(usual()));
  }
  EXPECT_EQ(heap.blocks, 0);
}

TEST_F(ModelRuntimes, ResultsGiveBackWhatWasTrimmed) {
  Heap heap;
  const lffn_allocator allocator = heap.allocator();
  lookupffn::RuntimeOptions options;
  options.allocator = &allocator;
  {
    const lookupffn::Model model = with(options);
    const lookupffn::Result result;
    const auto run = [&](uint32_t wanted) {
      const lookupffn::Texts texts = {"a text", "another"};
      lffn_model_run_args args;
      lffn_model_run_args_init(&args);
      texts.give(args);
      args.result = result.get();
      outputs::keep(args, wanted);
      model.run(args);
    };
    run(outputs::kHidden);
    lffn_trim();
    const int64_t held = heap.blocks;
    run(outputs::kIds);
    EXPECT_LT(heap.blocks, held) << "the hidden states are of no use any more";
    EXPECT_EQ(outputs::View(result.get()).n, 2);
  }
  EXPECT_EQ(heap.blocks, 0);
}

// What runs out in the host's allocator is an error of the call, and the model is as good as before.
TEST_F(ModelRuntimes, OutliveAHostWithoutMemory) {
  struct Empty {
    static void* allocate(size_t, size_t, void*) { return nullptr; }
    static void deallocate(void*, size_t, void*) {}
  };
  const lffn_allocator allocator = allocator_of(Empty::allocate, Empty::deallocate);
  lookupffn::RuntimeOptions options;
  options.allocator = &allocator;
  const lookupffn::Runtime runtime(options);
  lffn_load_options load;
  lffn_load_options_init(&load);
  load.runtime = runtime.get();
  lffn_model* model = nullptr;
  EXPECT_EQ(lffn_model_load(kFolder, &load, &model), LFFN_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(model, nullptr);
}

TEST_F(ModelRuntimes, ChooseTheKernels) {
  lookupffn::RuntimeOptions options;
  options.isa = "generic";
  std::vector<std::string> lines;
  options.log = keep_line;
  options.log_user = &lines;
  const Floats generic = run(with(options)), expected = run(usual());
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines.back().find("generic"), std::string::npos) << lines.back();
  ASSERT_EQ(generic.size(), expected.size());
  for (size_t i = 0; i < generic.size(); ++i) ASSERT_NEAR(generic[i], expected[i], 1e-3) << i;
}

}  // namespace
