// SPDX-License-Identifier: Apache-2.0
// lffn_runtime: a host's threads, memory, log and instruction set, for some handles only.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "host.h"
#include "lookupffn/lookupffn.hpp"
#include "tests/support/allocator.h"

namespace {

using Floats = std::vector<float>;

lookupffn::Layer make_layer(const lookupffn::LoadOptions& options) {
  lookupffn::LayerConfig config;
  config.hidden_size = 64;
  config.num_tables = 16;
  config.table_size = 64;
  config.seed = 7;
  return lookupffn::Layer::create(config, {}, options);
}

class Runtimes : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(lffn_live_handles(), 0); }
  Floats run(const lookupffn::Layer& layer) const { return layer.forward(x_); }
  lookupffn::Layer usual() const { return make_layer({}); }
  // Loads with the runtime, which ends before the layer does.
  static lookupffn::Layer with(const lookupffn::RuntimeOptions& options, int32_t num_threads = 0) {
    const lookupffn::Runtime runtime(options);
    lookupffn::LoadOptions load;
    load.runtime = runtime.get();
    load.num_threads = num_threads;
    return make_layer(load);
  }
  static Floats inputs() {
    Floats x(size_t{3000} * 64);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 2654435761u >> 9) % 1009) / 500.0f - 1.0f;
    return x;
  }
  const Floats x_ = inputs();
};

TEST_F(Runtimes, RunInTheHostsPool) {
  Pool pool;
  const lookupffn::Layer layer = with(in_pool(pool, 4));
  EXPECT_EQ(layer.info().num_threads, 4);
  const Floats expected = run(usual());
  EXPECT_EQ(pool.loops(), 0) << "that layer is none of the pool's";
  EXPECT_EQ(run(layer), expected);
  EXPECT_GT(pool.loops(), 0);
  EXPECT_LE(pool.most_items(), 4);
  EXPECT_EQ(pool.repeated(), 0);
}

TEST_F(Runtimes, ServeSeveralCallersAtOnce) {
  Pool pool;
  const lookupffn::Layer layer = with(in_pool(pool, 3));
  const Floats expected = run(usual());
  EXPECT_EQ(wrong_calls(4, 10, [&] { return run(layer) == expected; }), 0);
  EXPECT_EQ(pool.repeated(), 0);
  EXPECT_GT(pool.most_at_once(), 1);
}

TEST_F(Runtimes, LimitTheThreadsOfTheirHandles) {
  lookupffn::RuntimeOptions options;
  const int32_t usually = usual().info().num_threads;
  options.num_threads = 2;
  EXPECT_EQ(with(options).info().num_threads, std::min(usually, 2));
  EXPECT_EQ(with(options, 1).info().num_threads, 1);
  EXPECT_EQ(with(options, 8).info().num_threads, 2);
  options.num_threads = 512;
  EXPECT_EQ(with(options).info().num_threads, usually) << "a limit, no number to reach";
  options.num_threads = 0;
  EXPECT_EQ(with(options, 8).info().num_threads, 8);
  EXPECT_EQ(with(options).info().num_threads, usually);
  options.num_threads = 3;
  EXPECT_EQ(run(with(options)), run(usual()));
}

TEST_F(Runtimes, HaveTheirOwnMemoryAndLog) {
  Heap heap;
  std::vector<std::string> lines;
  const lffn_allocator allocator = heap.allocator();
  lookupffn::RuntimeOptions options;
  options.allocator = &allocator;
  options.log = keep_line;
  options.log_user = &lines;
  {
    const lookupffn::Layer other = usual();
    run(other);
    EXPECT_EQ(heap.taken, 0);
    EXPECT_TRUE(lines.empty());
    const lookupffn::Layer layer = with(options);
    const int64_t weights = heap.taken;
    EXPECT_GT(weights, 0);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines[0].find("layer ready"), std::string::npos) << lines[0];
    run(layer);
    EXPECT_GT(heap.taken, weights) << "scratch memory is the runtime's, too";
    const int64_t taken = heap.taken;
    run(layer);
    EXPECT_EQ(heap.taken, taken) << "a steady state allocates nothing";
  }
  EXPECT_EQ(heap.blocks, 0);
}

TEST_F(Runtimes, ChooseTheKernels) {
  lookupffn::RuntimeOptions options;
  options.isa = "generic";
  const lookupffn::Runtime runtime(options);
  EXPECT_EQ(runtime.isa(), "generic");
  EXPECT_EQ(lookupffn::Runtime().isa(), lffn_isa());
  EXPECT_STREQ(lffn_runtime_isa(nullptr), lffn_isa());
  std::vector<std::string> lines;
  options.log = keep_line;
  options.log_user = &lines;
  const lookupffn::Layer layer = with(options);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("kernels generic"), std::string::npos) << lines[0];
  EXPECT_EQ(run(layer).size(), x_.size());
}

TEST_F(Runtimes, RefuseWhatCannotBe) {
  const auto refused = [](const lookupffn::RuntimeOptions& options, lffn_status status, const std::string& part) {
    lffn_runtime* runtime = nullptr;
    EXPECT_EQ(lffn_runtime_create(&options, &runtime), status);
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error();
    EXPECT_EQ(runtime, nullptr);
  };
  lookupffn::RuntimeOptions options;
  options.isa = "8086";
  refused(options, LFFN_ERROR_INVALID_ARGUMENT, "options.isa is '8086'; set it to one of ");
#if defined(__x86_64__)
  options.isa = "neon";
  refused(options, LFFN_ERROR_UNSUPPORTED, "options.isa is 'neon', which this build");
#endif
  options = {};
  options.num_threads = -1;
  refused(options, LFFN_ERROR_INVALID_ARGUMENT, "options.num_threads is -1");
  options = {};
  options.flags = 4;
  refused(options, LFFN_ERROR_INVALID_ARGUMENT, "options.flags is 0x4");
  options = {};
  const lffn_allocator without = allocator_of(nullptr, nullptr);
  options.allocator = &without;
  refused(options, LFFN_ERROR_INVALID_ARGUMENT, "allocator");
  options = {};
  EXPECT_EQ(lffn_runtime_create(&options, nullptr), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lookupffn::Runtime::try_create(options).status, LFFN_OK);
}

// Trimming frees what lies idle, of all handles, and nothing that is in use.
TEST_F(Runtimes, GiveScratchMemoryBack) {
  Heap heap;
  const lffn_allocator allocator = heap.allocator();
  lookupffn::RuntimeOptions options;
  options.allocator = &allocator;
  const lookupffn::Layer one = with(options), other = with(options);
  const int64_t weights = heap.blocks;
  const Floats expected = run(one);
  run(other);
  EXPECT_EQ(heap.blocks, weights + 2);
  lffn_trim();
  EXPECT_EQ(heap.blocks, weights);
  EXPECT_EQ(run(one), expected);
  std::atomic<bool> ended{false};
  std::thread trimmer([&] {
    while (!ended) {
      lffn_trim();
      std::this_thread::yield();
    }
  });
  // Few tokens, as many calls count here and an emulator is slow.
  const Floats x(x_.begin(), x_.begin() + 300 * 64), y(expected.begin(), expected.begin() + 300 * 64);
  for (int call = 0; call < 50; ++call) {
    EXPECT_EQ(one.forward(x), y);
    const lookupffn::Layer passing = with(options);
    EXPECT_EQ(passing.forward(x), y);
  }
  ended = true;
  trimmer.join();
}

}  // namespace
