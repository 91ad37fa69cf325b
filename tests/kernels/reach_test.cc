// SPDX-License-Identifier: Apache-2.0
// Attention whose queries see but some keys: windows and causal attention, against double precision and with the same
// bits however queries are shared out; what is not seen counts for nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "all_kernels.h"

namespace lffn {
namespace {

struct Reach {
  int64_t before, after;
};

struct Head {
  int64_t keys, size, stride;
  std::vector<float> rows;
  Head(int64_t keys, int64_t size)
      : keys(keys), size(size), stride(3 * size + 5), rows(random_floats(keys * stride, 2, 11)) {}

  AttentionPlan plan(const Reach& reach) const {
    AttentionPlan plan = {};
    plan.queries = rows.data();
    plan.keys = rows.data() + size;
    plan.values = rows.data() + 2 * size;
    plan.stride = stride;
    plan.num_queries = plan.num_keys = keys;
    plan.head_size = size;
    plan.scale = 1 / std::sqrt(static_cast<float>(size));
    plan.limited = true;
    plan.before = reach.before;
    plan.after = reach.after;
    return plan;
  }

  // The queries so many at a time.
  std::vector<float> run(const Kernels& kernels, bool int8, const Reach& reach, int64_t at_once) const {
    const size_t bytes = int8 ? kernels.attention_int8_scratch(keys, size) : kernels.attention_scratch(keys, size, 0);
    std::vector<uint8_t> scratch(bytes + 64, 0xff);
    void* start = scratch.data();
    size_t room = scratch.size();
    start = std::align(64, bytes, start, room);
    std::vector<float> out(static_cast<size_t>(keys * size));
    for (int64_t first = 0; first < keys; first += at_once) {
      AttentionPlan some = plan(reach);
      some.first_query = first;
      some.num_queries = std::min(at_once, keys - first);
      some.queries += first * stride;
      some.out = out.data() + first * size;
      some.out_stride = size;
      (int8 ? kernels.attend_int8 : kernels.attend)(some, start);
    }
    return out;
  }

  std::vector<double> expected(const Reach& reach) const {
    const AttentionPlan all = plan(reach);
    std::vector<double> result(static_cast<size_t>(keys * size), 0.0);
    for (int64_t q = 0; q < keys; ++q) {
      const int64_t begin = std::max<int64_t>(0, q - reach.before), end = std::min(keys, q + reach.after + 1);
      std::vector<double> weights;
      double most = -1e300, sum = 0;
      for (int64_t k = begin; k < end; ++k) {
        double score = 0;
        for (int64_t i = 0; i < size; ++i) {
          score += static_cast<double>(all.queries[q * stride + i]) * static_cast<double>(all.keys[k * stride + i]);
        }
        weights.push_back(score * static_cast<double>(all.scale));
        most = std::max(most, weights.back());
      }
      for (double& weight : weights) sum += weight = std::exp(weight - most);
      for (int64_t k = begin; k < end; ++k) {
        for (int64_t i = 0; i < size; ++i) {
          result[static_cast<size_t>(q * size + i)] +=
              weights[static_cast<size_t>(k - begin)] / sum * static_cast<double>(all.values[k * stride + i]);
        }
      }
    }
    return result;
  }
};

constexpr Reach kReaches[] = {{0, 0}, {5, 5}, {64, 64}, {100000, 0}, {130, 0}, {19, 0}, {200, 200}};

TEST(Reach, OnlyKeysInReachCount) {
  for (const int64_t size : {4, 16, 40}) {
    for (const int64_t keys : {1, 17, 128, 300, 515}) {
      const Head head(keys, size);
      for (const Reach& reach : kReaches) {
        const std::vector<double> expected = head.expected(reach);
        std::vector<float> first_int8;
        for (const Kernels* kernels : all_kernels()) {
          const auto where = [&] {
            return std::string(kernels->name) + " " + std::to_string(keys) + " keys of " + std::to_string(size) + ", " +
                   std::to_string(reach.before) + " before and " + std::to_string(reach.after) + " after";
          };
          const std::vector<float> out = head.run(*kernels, false, reach, keys);
          for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(out[i], expected[i], 3e-5) << where();
          ASSERT_EQ(head.run(*kernels, false, reach, 7), out) << where();
          const std::vector<float> int8 = head.run(*kernels, true, reach, keys);
          double error = 0, squares = 0;
          for (size_t i = 0; i < expected.size(); ++i) {
            error += (int8[i] - expected[i]) * (int8[i] - expected[i]);
            squares += expected[i] * expected[i];
          }
          ASSERT_LT(std::sqrt(error / squares), 0.05) << where();
          ASSERT_EQ(head.run(*kernels, true, reach, 7), int8) << where();
          if (first_int8.empty() && has_fma(*kernels)) first_int8 = int8;
          if (has_fma(*kernels)) {
            ASSERT_EQ(int8, first_int8) << where();
          }
        }
      }
    }
  }
}

// All keys in reach, and no limit at all: the same bits.
TEST(Reach, FarEnoughIsNoLimit) {
  const Head head(300, 24);
  for (const Kernels* kernels : all_kernels()) {
    for (const bool int8 : {false, true}) {
      const std::vector<float> limited = head.run(*kernels, int8, {1000, 1000}, 300);
      AttentionPlan all = head.plan({0, 0});
      all.limited = false;
      std::vector<float> out(limited.size());
      all.out = out.data();
      all.out_stride = head.size;
      std::vector<uint8_t> scratch(kernels->attention_int8_scratch(300, 24) + kernels->attention_scratch(300, 24, 0) +
                                   64);
      void* start = scratch.data();
      size_t room = scratch.size();
      start = std::align(64, scratch.size() - 64, start, room);
      (int8 ? kernels->attend_int8 : kernels->attend)(all, start);
      EXPECT_EQ(out, limited) << kernels->name << (int8 ? " int8" : "");
    }
  }
}

// Keys out of reach may be anything, as long as they are finite where bytes share a scale.
TEST(Reach, OthersCountForNothing) {
  Head head(400, 16);
  for (const Kernels* kernels : all_kernels()) {
    const std::vector<float> before = head.run(*kernels, false, {10, 10}, 400);
    Head changed = head;
    for (int64_t k = 200; k < 400; ++k) {
      for (int64_t i = head.size; i < 3 * head.size; ++i) changed.rows[static_cast<size_t>(k * head.stride + i)] *= 9;
    }
    const std::vector<float> after = changed.run(*kernels, false, {10, 10}, 400);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + 189 * head.size, after.begin())) << kernels->name;
    EXPECT_NE(before, after);
  }
}

TEST(Kernels, RootMeanSquareNorm) {
  for (const int64_t size : {1, 7, 16, 33, 96}) {
    const std::vector<float> in = random_floats(5 * size, 3, 1), gain = random_floats(size, 1, 2);
    const std::vector<float> shift(static_cast<size_t>(size), 0.0f);
    const NormPlan plan = {size, 1e-6f, gain.data(), shift.data(), true};
    for (const Kernels* kernels : all_kernels()) {
      std::vector<float> out(in.size());
      kernels->normalise(plan, in.data(), size, 5, out.data(), size);
      for (int64_t r = 0; r < 5; ++r) {
        double squares = 0;
        for (int64_t i = 0; i < size; ++i) {
          const double x = static_cast<double>(in[static_cast<size_t>(r * size + i)]);
          squares += x * x;
        }
        for (int64_t i = 0; i < size; ++i) {
          const auto at = static_cast<size_t>(r * size + i);
          const double expected = static_cast<double>(in[at]) / std::sqrt(squares / static_cast<double>(size) + 1e-6) *
                                  static_cast<double>(gain[static_cast<size_t>(i)]);
          ASSERT_NEAR(out[at], expected, 2e-6) << kernels->name << " " << size;
        }
      }
    }
  }
}

TEST(Kernels, GatedNeurons) {
  const int64_t half = 37, stride = 2 * half + 3;
  const std::vector<float> in = random_floats(3 * stride, 4, 3);
  for (const Kernels* kernels : all_kernels()) {
    for (const int activated : {0, 1}) {
      std::vector<float> rows = in;
      kernels->gate(Activation::kSilu, activated, rows.data(), stride, 3, half);
      for (int64_t r = 0; r < 3; ++r) {
        for (int64_t i = 0; i < half; ++i) {
          const double a = static_cast<double>(in[static_cast<size_t>(r * stride + i)]);
          const double b = static_cast<double>(in[static_cast<size_t>(r * stride + half + i)]);
          const double expected = activated == 0 ? a / (1 + std::exp(-a)) * b : a * b / (1 + std::exp(-b));
          ASSERT_NEAR(rows[static_cast<size_t>(r * stride + i)], expected, 1e-5) << kernels->name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lffn
