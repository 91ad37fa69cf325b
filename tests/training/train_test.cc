// SPDX-License-Identifier: Apache-2.0
// Training through the C functions: every instruction set, any number of threads, NaN, misuse, memory that runs out.
#include "train/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "lookupffn/train.h"
#include "tests/layer/random_layer.h"
#include "tests/support/allocator.h"
#include "train/train_kernels.h"

namespace lffn {
namespace {

struct Problem {
  explicit Problem(const LayerConfig& config, int64_t n) : layer(config), tokens(n), x(layer.inputs(n)) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    grad_y.resize(static_cast<size_t>(n * config.output_size));
    for (float& value : grad_y) value = normal(random);
  }
  RandomLayer layer;
  int64_t tokens;
  std::vector<float> x, grad_y;
};

struct Results {
  explicit Results(const Problem& p)
      : y(p.grad_y.size()),
        z(static_cast<size_t>(p.tokens * p.layer.config.num_hashes())),
        grad_x(p.x.size()),
        gain(p.layer.weights.gain.size()),
        shift(gain.size()),
        hash(p.layer.weights.projection.size()),
        hash_bias(p.layer.weights.hash_bias.size()),
        tables(p.layer.weights.tables.size(), 3.0f),
        bias(p.layer.weights.bias.size()) {}
  std::vector<float> y, z, grad_x, gain, shift, hash, hash_bias, tables, bias;
  std::vector<const std::vector<float>*> all() const {
    return {&y, &z, &grad_x, &gain, &shift, &hash, &hash_bias, &tables, &bias};
  }
};

Results train(const Problem& problem, const Kernels& kernels, int32_t threads) {
  const reference::Weights& w = problem.layer.weights;
  Results r(problem);
  const TrainCall call = {
      problem.layer.config,
      train_kernels_of(kernels),
      threads,
      {w.gain.data(), w.shift.data(), w.projection.data(), w.hash_bias.data(), w.tables.data(), w.bias.data()},
      problem.x.data(),
      problem.tokens};
  train_forward(call, r.y.data(), r.z.data());
  train_backward(call, r.z.data(), problem.grad_y.data(), r.grad_x.data(),
                 {r.gain.data(), r.shift.data(), r.hash.data(), r.hash_bias.data(), r.tables.data(), r.bias.data()});
  return r;
}

double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double worst = 0, squares = 1e-30;
  for (size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::fabs(double{a[i]} - double{b[i]}));
    squares += double{b[i]} * double{b[i]};
  }
  return worst / std::sqrt(squares / static_cast<double>(a.size()));
}

std::vector<LayerConfig> configs() {
  std::vector<LayerConfig> result(5, small_config());
  result[1].projection = 0;
  result[2].output_size = 112;  // a slab of 64 columns and one of 48
  result[2].layer_norm = false;
  result[2].block_size = 2;
  result[3].hidden_size = 7;
  result[3].block_size = 4;
  result[3].activation = LFFN_ACTIVATION_SIGMOID;
  result[4].table_size = 256;  // more rows than a table has tokens in most tests
  return result;
}

TEST(Train, FollowsTheLoadedLayer) {
  for (const LayerConfig& config : configs()) {
    const Problem problem(config, 61);
    const Results r = train(problem, *find_kernels("generic"), 1);
    const auto layer = problem.layer.make(*find_kernels("generic"));
    EXPECT_LT(difference(r.y, run(*layer, problem.x, 61)), 2e-5);
  }
}

TEST(Train, InstructionSetsAgree) {
  for (const LayerConfig& config : configs()) {
    const Problem problem(config, 61);
    const Results expected = train(problem, *find_kernels("generic"), 1);
    for (const Kernels* kernels : all_kernels()) {
      const Results r = train(problem, *kernels, 1);
      for (size_t i = 0; i < r.all().size(); ++i) {
        EXPECT_LT(difference(*r.all()[i], *expected.all()[i]), 2e-4) << kernels->name << " " << i;
      }
    }
  }
}

TEST(Train, ThreadsDoNotMatter) {
  for (const LayerConfig& config : configs()) {
    const Problem problem(config, 2500);
    const Results one = train(problem, kernels(), 1);
    for (const int32_t threads : {2, 3, 16}) {
      const Results r = train(problem, kernels(), threads);
      for (size_t i = 0; i < r.all().size(); ++i) EXPECT_TRUE(same_bits(*r.all()[i], *one.all()[i])) << threads << i;
    }
  }
}

TEST(Train, GradientOfYFollowsFromDifferences) {
  // y is linear in the tables: the gradients' product with a change is the change of y.
  Problem problem(small_config(), 40);
  const Results r = train(problem, kernels(), 1);
  std::mt19937 random(9);
  std::normal_distribution<float> normal;
  double expected = 0, found = 0;
  for (size_t i = 0; i < r.tables.size(); ++i) {
    const float change = normal(random);
    expected += double{change} * r.tables[i];
    problem.layer.weights.tables[i] += change;
  }
  const Results changed = train(problem, kernels(), 1);
  for (size_t i = 0; i < r.y.size(); ++i) found += (double{changed.y[i]} - r.y[i]) * problem.grad_y[i];
  EXPECT_NEAR(found, expected, 1e-3 * std::fabs(expected));
}

TEST(Train, NaNStaysWithItsToken) {
  Problem problem(small_config(), 10);
  const Results clean = train(problem, kernels(), 1);
  problem.x[3 * 48 + 5] = std::numeric_limits<float>::quiet_NaN();
  const Results r = train(problem, kernels(), 2);
  for (int64_t t = 0; t < 10; ++t) {
    for (int64_t c = 0; c < 40; ++c) {
      if (t == 3) {
        EXPECT_TRUE(std::isnan(r.y[static_cast<size_t>(t * 40 + c)]));
      } else {
        EXPECT_EQ(r.y[static_cast<size_t>(t * 40 + c)], clean.y[static_cast<size_t>(t * 40 + c)]);
      }
    }
    EXPECT_EQ(std::isnan(r.grad_x[static_cast<size_t>(t * 48)]), t == 3);
  }
}

// The C functions.
struct Api {
  Api() : problem(small_config(), 6), results(problem) {
    lffn_layer_config_init(&config);
    config.hidden_size = problem.layer.config.hidden_size;
    config.output_size = problem.layer.config.output_size;
    config.num_tables = problem.layer.config.num_tables;
    config.table_size = problem.layer.config.table_size;
    config.block_size = problem.layer.config.block_size;
    lffn_train_weights_init(&weights);
    const reference::Weights& w = problem.layer.weights;
    weights.norm_gain = w.gain.data();
    weights.norm_shift = w.shift.data();
    weights.hash_weight = w.projection.data();
    weights.hash_bias = w.hash_bias.data();
    weights.tables = w.tables.data();
    weights.bias = w.bias.data();
    lffn_train_gradients_init(&gradients);
    gradients.norm_gain = results.gain.data();
    gradients.norm_shift = results.shift.data();
    gradients.hash_weight = results.hash.data();
    gradients.hash_bias = results.hash_bias.data();
    gradients.tables = results.tables.data();
    gradients.bias = results.bias.data();
  }
  lffn_status forward(int64_t tokens = 6, int32_t threads = 1) {
    return lffn_train_forward(&config, &weights, problem.x.data(), tokens, threads, results.y.data(), results.z.data());
  }
  lffn_status backward(int64_t tokens = 6, int32_t threads = 1) {
    return lffn_train_backward(&config, &weights, problem.x.data(), results.z.data(), problem.grad_y.data(), tokens,
                               threads, results.grad_x.data(), &gradients);
  }
  Problem problem;
  Results results;
  lffn_layer_config config;
  lffn_train_weights weights;
  lffn_train_gradients gradients;
};

TEST(TrainApi, RunsAsTheInsideDoes) {
  Api api;
  ASSERT_EQ(api.forward(), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(api.backward(6, 0), LFFN_OK) << lffn_last_error();
  const Results expected = train(api.problem, kernels(), 1);
  for (size_t i = 0; i < expected.all().size(); ++i) {
    EXPECT_TRUE(same_bits(*api.results.all()[i], *expected.all()[i])) << i;
  }
}

TEST(TrainApi, NoTokensNoGradients) {
  Api api;
  EXPECT_EQ(lffn_train_forward(&api.config, &api.weights, nullptr, 0, 1, nullptr, nullptr), LFFN_OK);
  EXPECT_EQ(lffn_train_backward(&api.config, &api.weights, nullptr, nullptr, nullptr, 0, 1, nullptr, &api.gradients),
            LFFN_OK);
  for (const std::vector<float>* values :
       {&api.results.gain, &api.results.hash, &api.results.hash_bias, &api.results.tables, &api.results.bias}) {
    EXPECT_EQ(std::count(values->begin(), values->end(), 0.0f), static_cast<int64_t>(values->size()));
  }
}

TEST(TrainApi, RefusesWhatCannotBeMeant) {
  const auto refused = [](lffn_status status, lffn_status expected, const char* reason) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(lffn_last_error()).find(reason), std::string::npos) << lffn_last_error();
  };
  Api api;
  refused(api.forward(-1), LFFN_ERROR_INVALID_ARGUMENT, "n_tokens is -1");
  refused(api.backward(INT64_MAX), LFFN_ERROR_INVALID_ARGUMENT, "n_tokens");
  refused(api.backward(6, -1), LFFN_ERROR_INVALID_ARGUMENT, "num_threads is -1");
  refused(api.forward(6, 1 << 20), LFFN_ERROR_INVALID_ARGUMENT, "num_threads");
  refused(lffn_train_backward(&api.config, &api.weights, api.problem.x.data(), nullptr, api.problem.grad_y.data(), 6, 1,
                              nullptr, &api.gradients),
          LFFN_ERROR_INVALID_ARGUMENT, "z is NULL");
  refused(lffn_train_backward(&api.config, &api.weights, api.problem.x.data(), api.results.z.data(),
                              api.problem.grad_y.data(), 6, 1, nullptr, nullptr),
          LFFN_ERROR_INVALID_ARGUMENT, "gradients is NULL");
  Api no_norm;
  no_norm.weights.norm_gain = nullptr;
  refused(no_norm.forward(), LFFN_ERROR_INVALID_ARGUMENT, "weights.norm_gain is NULL");
  no_norm.config.layer_norm = 0;
  no_norm.gradients.norm_shift = nullptr;
  EXPECT_EQ(no_norm.forward(), LFFN_OK);
  EXPECT_EQ(no_norm.backward(), LFFN_OK);
  Api old;
  old.weights.struct_size = 8;
  refused(old.forward(), LFFN_ERROR_INVALID_ARGUMENT, "weights.struct_size is 8");
  Api probes;
  probes.config.num_probes = 2;
  refused(probes.backward(), LFFN_ERROR_UNSUPPORTED, "num_probes is 2");
  Api shape;
  shape.config.table_size = 33;
  refused(shape.forward(), LFFN_ERROR_INVALID_ARGUMENT, "table_size");
}

struct Budget {
  int64_t left;
  int64_t live = 0;
};

void* allocate(size_t size, size_t alignment, void* user) {
  auto& budget = *static_cast<Budget*>(user);
  if (budget.left-- <= 0) return nullptr;
  ++budget.live;
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void deallocate(void* memory, size_t, void* user) {
  if (memory != nullptr) --static_cast<Budget*>(user)->live;
  std::free(memory);
}

TEST(TrainApi, LeavesItsOutputsAloneWithoutMemory) {
  Api api;
  ASSERT_EQ(api.forward(), LFFN_OK);
  const std::vector<float> z = api.results.z;
  for (const bool forward : {true, false}) {
    Results& r = api.results;
    for (std::vector<float>* output :
         {&r.y, &r.z, &r.grad_x, &r.gain, &r.shift, &r.hash, &r.hash_bias, &r.tables, &r.bias}) {
      std::fill(output->begin(), output->end(), 7.0f);
    }
    if (!forward) r.z = z;
    const Results untouched = api.results;
    int64_t allowed = 0;
    lffn_status status = LFFN_ERROR_OUT_OF_MEMORY;
    for (; status == LFFN_ERROR_OUT_OF_MEMORY && allowed < 100; ++allowed) {
      Budget budget{allowed};
      const lffn_allocator allocator = allocator_of(allocate, deallocate, &budget);
      ASSERT_EQ(lffn_set_default_allocator(&allocator), LFFN_OK);
      status = forward ? api.forward() : api.backward();
      ASSERT_EQ(lffn_set_default_allocator(nullptr), LFFN_OK);
      EXPECT_EQ(budget.live, 0);
      for (size_t i = 0; status != LFFN_OK && i < untouched.all().size(); ++i) {
        EXPECT_TRUE(same_bits(*api.results.all()[i], *untouched.all()[i])) << i << " after " << allowed;
      }
    }
    EXPECT_EQ(status, LFFN_OK);
    EXPECT_GT(allowed, 5);
  }
}

}  // namespace
}  // namespace lffn
