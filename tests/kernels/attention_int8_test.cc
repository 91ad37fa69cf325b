// SPDX-License-Identifier: Apache-2.0
// Attention in int8, for every instruction set of this CPU and sizes around theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "all_kernels.h"

namespace lffn {
namespace {

// Queries, keys and values of one head side by side, and room between the rows.
struct Head {
  Head(int64_t tokens, int64_t size, float scale, unsigned seed)
      : keys(tokens), head_size(size), stride(3 * size + 7), rows(random_floats(tokens * stride, scale, seed)) {}

  float& at(int64_t part, int64_t token, int64_t i) {
    return rows[static_cast<size_t>(token * stride + part * head_size + i)];
  }
  float score_scale() const { return 1 / std::sqrt(static_cast<float>(head_size)); }

  std::vector<float> attend(const Kernels& kernels, int64_t first = 0, int64_t count = -1) const {
    AttentionPlan plan = {};
    plan.first_query = first;
    plan.num_queries = count < 0 ? keys : count;
    plan.queries = rows.data() + first * stride;
    plan.keys = rows.data() + head_size;
    plan.values = rows.data() + 2 * head_size;
    plan.stride = stride;
    plan.num_keys = keys;
    plan.head_size = head_size;
    plan.scale = score_scale();
    std::vector<uint8_t> scratch(kernels.attention_int8_scratch(keys, head_size) + 64, 0xff);
    std::vector<float> out(static_cast<size_t>(plan.num_queries * head_size + 1), 7.0f);
    plan.out = out.data();
    plan.out_stride = head_size;
    void* start = scratch.data();
    size_t room = scratch.size();
    kernels.attend_int8(plan, std::align(64, scratch.size() - 64, start, room));
    EXPECT_EQ(out.back(), 7.0f);
    EXPECT_EQ(scratch.back(), 0xff);
    out.pop_back();
    return out;
  }

  int64_t keys, head_size, stride;
  std::vector<float> rows;
};

double step_of(double largest) { return largest / 127; }

// What the rule gives in double precision, or without any rounding.
std::vector<double> reference(Head& head, bool rounds) {
  const int64_t n = head.keys, size = head.head_size;
  std::vector<double> numbers[3], value_steps(static_cast<size_t>(size), 0.0);
  const auto number = [&](int64_t part, int64_t k, int64_t i) -> double& {
    return numbers[part][static_cast<size_t>(k * size + i)];
  };
  for (auto& part : numbers) part.resize(static_cast<size_t>(n * size));
  for (int64_t i = 0; i < size; ++i) {
    double& step = value_steps[static_cast<size_t>(i)];
    for (int64_t k = 0; k < n; ++k) step = std::max(step, step_of(std::fabs(static_cast<double>(head.at(2, k, i)))));
  }
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t part = 0; part < 3; ++part) {
      double step = 0;
      for (int64_t i = 0; i < size; ++i) {
        step = std::max(step, step_of(std::fabs(static_cast<double>(head.at(part, k, i)))));
      }
      for (int64_t i = 0; i < size; ++i) {
        const double by = part == 2 ? value_steps[static_cast<size_t>(i)] : step, x = head.at(part, k, i);
        number(part, k, i) = rounds && by > 0 ? std::nearbyint(x / by) * by : x;
      }
    }
  }
  std::vector<double> out(static_cast<size_t>(n * size));
  std::vector<double> scores(static_cast<size_t>(n));
  for (int64_t q = 0; q < n; ++q) {
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      double score = 0;
      for (int64_t i = 0; i < size; ++i) score += number(0, q, i) * number(1, k, i);
      scores[static_cast<size_t>(k)] = score * static_cast<double>(head.score_scale());
      most = std::max(most, scores[static_cast<size_t>(k)]);
    }
    for (int64_t block = 0; block < n; block += 128) {
      const int64_t end = std::min(n, block + 128);
      const double highest = *std::max_element(scores.begin() + block, scores.begin() + end);
      for (int64_t k = block; k < end; ++k) {
        double weight = std::exp(scores[static_cast<size_t>(k)] - highest);
        if (rounds) weight = std::nearbyint(255 * weight) / 255;
        weight *= std::exp(highest - most);
        sum += weight;
        for (int64_t i = 0; i < size; ++i) out[static_cast<size_t>(q * size + i)] += weight * number(2, k, i);
      }
    }
    for (int64_t i = 0; i < size; ++i) out[static_cast<size_t>(q * size + i)] /= sum;
  }
  return out;
}

double distance(const std::vector<float>& a, const std::vector<double>& b) {
  double squares = 0, all = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    squares += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
    all += b[i] * b[i];
  }
  return std::sqrt(squares / all);
}

// A weight may be one step of 255 off where the polynomial for powers of 2 is; the rest is as the rule says.
TEST(AttentionInt8, FollowsItsRule) {
  for (const int64_t head_size : {1, 2, 13, 16, 32, 40, 64, 100}) {
    for (const int64_t keys : {1, 2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 200, 300}) {
      Head head(keys, head_size, 2, static_cast<unsigned>(head_size * 1000 + keys));
      // Rising along the keys, so that the largest score keeps changing from block to block.
      for (int64_t k = 0; k < keys; ++k) {
        for (int64_t i = 0; i < head_size; ++i) head.at(1, k, i) *= static_cast<float>(50 + k) / 100.0f;
      }
      const std::vector<double> rule = reference(head, true), exact = reference(head, false);
      std::vector<float> first;
      for (const Kernels* kernels : all_kernels()) {
        const std::vector<float> out = head.attend(*kernels);
        ASSERT_LT(distance(out, rule), head_size < 8 ? 0.012 : 0.004)
            << kernels->name << " " << keys << " keys of " << head_size;
        ASSERT_LT(distance(out, exact), 0.04) << kernels->name << " " << keys << " keys of " << head_size;
        if (!has_fma(*kernels)) continue;
        if (first.empty()) first = out;
        ASSERT_EQ(out, first) << kernels->name << " " << keys << " keys of " << head_size;
      }
    }
  }
}

// Whatever queries share a call.
TEST(AttentionInt8, EachQueryByItself) {
  const Head head(150, 24, 2, 5);
  for (const Kernels* kernels : all_kernels()) {
    const std::vector<float> all = head.attend(*kernels);
    for (const int64_t count : {1, 3, 8, 11}) {
      for (int64_t q = 0; q + count <= head.keys; q += 13) {
        const std::vector<float> some = head.attend(*kernels, q, count);
        ASSERT_EQ(some, std::vector<float>(all.begin() + q * 24, all.begin() + (q + count) * 24)) << kernels->name;
      }
    }
  }
}

// Thousands of keys that weigh little each are not lost beside one that weighs much.
TEST(AttentionInt8, LongSequences) {
  Head head(8192, 16, 1, 6);
  for (int64_t k = 0; k < head.keys; ++k) {
    for (int64_t i = 0; i < head.head_size; ++i) {
      head.at(0, k, i) = 4;
      head.at(1, k, i) = k == 5000 ? 0.45f : head.at(1, k, i) / 100;
      head.at(2, k, i) = k == 5000 ? -1.0f : 1.0f;
    }
  }
  // The one weighs exp(7.2), the others about 1 each.
  const double one = std::exp(0.45 * 4 * 16 / 4);
  std::vector<float> first;
  for (const Kernels* kernels : all_kernels()) {
    const std::vector<float> out = head.attend(*kernels, 8190, 2);
    for (const float x : out) ASSERT_NEAR(x, (8191 - one) / (8191 + one), 0.02) << kernels->name;
    if (!has_fma(*kernels)) continue;
    if (first.empty()) first = out;
    ASSERT_EQ(out, first) << kernels->name;
  }
}

TEST(AttentionInt8, LargestSums) {
  for (const float size : {1.0f, -1.0f, 1e15f}) {
    Head head(130, 4096, 1, 7);
    for (int64_t k = 0; k < head.keys; ++k) {
      for (int64_t i = 0; i < head.head_size; ++i) {
        head.at(0, k, i) = 1;
        head.at(1, k, i) = k == 129 ? size : -size;
        head.at(2, k, i) = k == 129 ? 3.0f : -3.0f;
      }
    }
    const float expected = size < 0 ? -3.0f : 3.0f;
    for (const Kernels* kernels : all_kernels()) {
      for (const float x : head.attend(*kernels, 0, 9)) ASSERT_NEAR(x, expected, 1e-5) << kernels->name << " " << size;
    }
  }
}

// All scores are the same then, and all numbers are too small to count.
TEST(AttentionInt8, Zeros) {
  Head head(20, 32, 1, 8);
  for (const float tiny : {0.0f, -0.0f, 1e-38f, std::numeric_limits<float>::denorm_min()}) {
    for (int64_t k = 0; k < head.keys; ++k) {
      for (int64_t i = 0; i < head.head_size; ++i) {
        head.at(0, k, i) = head.at(1, k, i) = tiny;
        head.at(2, k, i) = 2;
      }
    }
    for (const Kernels* kernels : all_kernels()) {
      for (const float x : head.attend(*kernels)) ASSERT_NEAR(x, 2, 1e-6) << kernels->name;
    }
  }
}

// A query that is no number gives none, a key gives none to all, a value none in its column.
TEST(AttentionInt8, WhatIsNoNumber) {
  for (const float bad : {std::nanf(""), -INFINITY, INFINITY}) {
    for (const int64_t keys : {5, 140, 300}) {
      for (int64_t part = 0; part < 3; ++part) {
        Head head(keys, 20, 1, 9);
        const Head sound = head;
        head.at(part, 3, 17) = bad;
        for (const Kernels* kernels : all_kernels()) {
          const std::vector<float> out = head.attend(*kernels), expected = sound.attend(*kernels);
          for (size_t i = 0; i < out.size(); ++i) {
            const bool touched = part == 1 || (part == 0 && i / 20 == 3) || (part == 2 && i % 20 == 17);
            if (touched) {
              ASSERT_TRUE(std::isnan(out[i])) << kernels->name << ", part " << part << ", number " << i;
            } else {
              ASSERT_EQ(out[i], expected[i]) << kernels->name << ", part " << part << ", number " << i;
            }
          }
        }
      }
    }
  }
}

// Finite numbers whose scores are not.
TEST(AttentionInt8, ScoresThatOverflow) {
  Head head(140, 20, 1, 10);
  for (int64_t i = 0; i < head.head_size; ++i) {
    head.at(0, 2, i) = 1e30f;
    head.at(1, 139, i) = i % 2 == 0 ? 1e30f : 0.9e30f;
  }
  for (const Kernels* kernels : all_kernels()) {
    const std::vector<float> out = head.attend(*kernels);
    for (size_t i = 0; i < 20; ++i) EXPECT_TRUE(std::isnan(out[40 + i])) << kernels->name;
  }
}

}  // namespace
}  // namespace lffn
