// SPDX-License-Identifier: Apache-2.0
// Linear layers of int8, for every instruction set of this CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "all_kernels.h"
#include "model/tensors/linear.h"

namespace lffn {
namespace {

constexpr RowBits kAllBits[] = {RowBits::kEight, RowBits::kSeven, RowBits::kSevenOfMany};
int steps_of(RowBits bits) { return bits == RowBits::kEight ? 254 : 126; }

// An int8 layer in the kernels' layout.
struct Int8Layer {
  Int8Layer(int64_t num_inputs, int64_t num_outputs, int8_t (*weight)(int64_t output, int64_t input))
      : inputs(num_inputs), outputs(num_outputs) {
    const size_t padded = static_cast<size_t>((outputs + kPanel - 1) / kPanel * kPanel);
    const int64_t quads = (inputs + 3) / 4;
    panels.resize(padded * static_cast<size_t>(quads) * 4);
    scales.resize(padded);
    bias.resize(padded, 0.5f);
    sums.resize(padded * static_cast<size_t>((inputs + kSliceInputs - 1) / kSliceInputs));
    for (int64_t o = 0; o < outputs; ++o) {
      scales[static_cast<size_t>(o)] = 0.001f * static_cast<float>(o + 1);
      for (int64_t i = 0; i < inputs; ++i) {
        panels[static_cast<size_t>(((o / kPanel * quads + i / 4) * kPanel + o % kPanel) * 4 + i % 4)] = weight(o, i);
        sums[padded * static_cast<size_t>(i / kSliceInputs) + static_cast<size_t>(o)] += weight(o, i);
      }
    }
  }

  std::vector<float> run(const Kernels& kernels, const std::vector<float>& in, int64_t rows, RowBits bits,
                         Activation activation = Activation::kNone) const {
    const int64_t stride = kRowHeader + (inputs + 31) / 32 * 16;
    std::vector<int32_t> packed(static_cast<size_t>(rows * stride));
    kernels.quantise_rows(in.data(), inputs, rows, inputs, packed.data(), stride, bits);
    std::vector<float> out(static_cast<size_t>(rows * outputs + 1), 7.0f);
    LinearInt8Plan plan = {};
    plan.bits = bits;
    plan.linear.rows = rows;
    plan.linear.inputs = inputs;
    plan.linear.bias = bias.data();
    plan.linear.outputs = outputs;
    plan.linear.activation = activation;
    plan.linear.out = out.data();
    plan.linear.out_stride = outputs;
    plan.in = packed.data();
    plan.in_stride = stride;
    plan.weights = panels.data();
    plan.weight_scales = scales.data();
    plan.weight_sums = sums.data();
    plan.sums_stride = static_cast<int64_t>(scales.size());
    kernels.linear_int8(plan);
    EXPECT_EQ(out.back(), 7.0f);
    out.pop_back();
    return out;
  }

  int64_t inputs, outputs;
  std::vector<int8_t> panels;
  std::vector<float> scales, bias;
  std::vector<int32_t> sums;
};

int8_t some_weight(int64_t o, int64_t i) { return static_cast<int8_t>((o * 37 + i * 11) % 255 - 127); }
int8_t least_weight(int64_t, int64_t) { return -128; }

// Integers are exact: every instruction set gives what plain arithmetic gives, up to the last scaling.
TEST(LinearInt8Kernels, AgreeWithPlainArithmetic) {
  for (const int64_t inputs : {1, 2, 3, 63, 64, 300, 513, 1100}) {
    for (const int64_t outputs : {16, 45, 130}) {
      const Int8Layer layer(inputs, outputs, some_weight);
      for (const int64_t rows : {1, 2, 5, 7, 25, 97}) {
        std::vector<float> in = random_floats(rows * inputs, 3, 7);
        for (float& x : in) x = x < 0 ? x / 9 : x;  // lopsided, as after an activation
        // Each input is off by at most half of a step, which is the width over the number of steps.
        std::vector<double> expected, slack;
        for (int64_t r = 0; r < rows; ++r) {
          const float* row = in.data() + r * inputs;
          const double width = std::max(0.0, 0.0 + *std::max_element(row, row + inputs)) -
                               std::min(0.0, 0.0 + *std::min_element(row, row + inputs));
          for (int64_t o = 0; o < outputs; ++o) {
            const double scale = static_cast<double>(layer.scales[static_cast<size_t>(o)]);
            double sum = 0.5, weights = 0;
            for (int64_t i = 0; i < inputs; ++i) {
              sum += some_weight(o, i) * scale * static_cast<double>(row[i]);
              weights += std::abs(some_weight(o, i)) * scale;
            }
            expected.push_back(sum);
            slack.push_back(weights * width * 0.501);
          }
        }
        for (const RowBits bits : kAllBits) {
          std::vector<float> first;
          for (const Kernels* kernels : all_kernels()) {
            const std::vector<float> out = layer.run(*kernels, in, rows, bits);
            if (has_fma(*kernels)) {
              if (first.empty()) first = out;
              ASSERT_EQ(out, first) << kernels->name << ", " << inputs << " inputs, " << rows << " rows";
            }
            for (size_t i = 0; i < out.size(); ++i) {
              ASSERT_NEAR(out[i], expected[i], slack[i] / steps_of(bits) + 1e-4)
                  << kernels->name << ", " << inputs << " inputs, row " << i / static_cast<size_t>(outputs);
            }
          }
        }
      }
    }
  }
}

// What four products come to in 16 bits, up to the most that fits and beyond, for all outputs and for one.
using Weight = int8_t (*)(int64_t output, int64_t input);
constexpr Weight kExtremeWeights[] = {
    some_weight,
    least_weight,
    [](int64_t, int64_t) -> int8_t { return 127; },
    [](int64_t o, int64_t i) -> int8_t { return (o + i) % 2 == 0 ? 127 : -127; },
    // 127 + 127 + 4 is the most.
    [](int64_t o, int64_t i) -> int8_t {
      return i % 8 < 4 ? 127 : i % 2 == 1 ? 0 : o == 7 && i % 24 == 12 ? 5 : 4;
    },
    [](int64_t o, int64_t i) -> int8_t {
      return i % 8 < 4 ? -127 : i % 2 == 1 ? 0 : o == 9 && i % 24 == 6 ? -5 : -4;
    },
    // All or all but the last 8 of a piece go one by one.
    [](int64_t o, int64_t i) -> int8_t { return i % 1024 >= 1016 ? static_cast<int8_t>(o % 3 - 1) : 127; },
    [](int64_t o, int64_t i) -> int8_t { return static_cast<int8_t>((o * 7 + i * 5) % 61 - 30); },
};

// Rows whose steps are 1: whole numbers stay what they are, and the sums of their products are known to the last bit.
float extreme_number(int64_t row, int64_t column, int steps) {
  const auto most = static_cast<float>(steps);
  const bool least = column == row % 8;
  const auto some = static_cast<float>((column * 37 + row * 11) % steps);
  switch (row % 4) {
    case 0:  // all the most but one
      return least ? 0 : most;
    case 1:  // a zero point of 1, so that the numbers reach the last of their bits
      return least ? -0.25f : most - 0.25f;
    case 2:
      return least ? -most / 2 : column % 8 == 3 || column == row % 8 + 1 ? most / 2 : some - most / 2;
    default:
      return least ? 0 : column % 3 == 0 ? most : some;
  }
}
// Some columns have small numbers in all rows, others larger ones; two the largest, so that none stays out of a row.
float calm_number(int64_t row, int64_t column, int steps) {
  return static_cast<float>(column < 2 ? steps : (column * 37 + row * 11) % std::min(8 + column % 200, steps + 1L));
}

void expect_exact_sums(RowBits bits, int64_t inputs, int64_t rows, float (*number)(int64_t, int64_t, int)) {
  std::vector<float> in;
  for (int64_t i = 0; i < rows * inputs; ++i) in.push_back(number(i / inputs, i % inputs, steps_of(bits)));
  for (const Weight& weight : kExtremeWeights) {
    const Int8Layer layer(inputs, 45, weight);
    std::vector<float> expected;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t o = 0; o < 45; ++o) {
        int64_t sum = 0;
        for (int64_t i = 0; i < inputs; ++i) {
          sum += std::lround(in[static_cast<size_t>(r * inputs + i)]) * weight(o, i);
        }
        expected.push_back(static_cast<float>(sum) * layer.scales[static_cast<size_t>(o)] + 0.5f);
      }
    }
    for (const Kernels* kernels : all_kernels()) {
      ASSERT_EQ(layer.run(*kernels, in, rows, bits), expected)
          << kernels->name << ", " << inputs << " inputs, " << rows << " rows, weights " << &weight - kExtremeWeights;
    }
  }
}

TEST(LinearInt8Kernels, SumsAreExact) {
  for (const RowBits bits : kAllBits) {
    for (const int64_t inputs : {20, 1024, 1100}) {
      for (const int64_t rows : {7, 25, 98}) {
        expect_exact_sums(bits, inputs, rows, extreme_number);
        expect_exact_sums(bits, inputs, rows, calm_number);
      }
    }
  }
}

// The largest sums there can be, on both sides of where they are split.
TEST(LinearInt8Kernels, LargestSums) {
  for (const int64_t inputs : {kSliceInputs, kSliceInputs + 5, int64_t{1} << 20}) {
    const Int8Layer layer(inputs, 3, least_weight);
    std::vector<float> in(static_cast<size_t>(2 * inputs), 2.0f);
    std::fill(in.begin() + inputs, in.end(), -2.0f);
    const double expected = 128 * 2 * static_cast<double>(inputs);
    for (const RowBits bits : kAllBits) {
      std::vector<float> first;
      for (const Kernels* kernels : all_kernels()) {
        const std::vector<float> out = layer.run(*kernels, in, 2, bits);
        for (size_t o = 0; o < 3; ++o) {
          const double scale = static_cast<double>(layer.scales[o]);
          ASSERT_NEAR(out[o], 0.5 - expected * scale, 1e-6 * expected * scale) << kernels->name << " " << inputs;
          ASSERT_NEAR(out[3 + o], 0.5 + expected * scale, 1e-6 * expected * scale) << kernels->name << " " << inputs;
        }
        if (!has_fma(*kernels)) continue;
        if (first.empty()) first = out;
        ASSERT_EQ(out, first) << kernels->name;
      }
    }
  }
}

TEST(LinearInt8Kernels, RowsWithoutNumbersStayInTheirRow) {
  const int64_t inputs = 70, outputs = 20;
  const Int8Layer layer(inputs, outputs, some_weight);
  std::vector<float> in = random_floats(5 * inputs, 1, 8);
  std::vector<float> sound = in;
  in[static_cast<size_t>(inputs + 69)] = std::nanf("");
  in[static_cast<size_t>(2 * inputs)] = INFINITY;
  in[static_cast<size_t>(3 * inputs + 17)] = -INFINITY;
  for (const RowBits bits : kAllBits) {
    for (const Kernels* kernels : all_kernels()) {
      const std::vector<float> out = layer.run(*kernels, in, 5, bits), expected = layer.run(*kernels, sound, 5, bits);
      for (size_t i = 0; i < out.size(); ++i) {
        const size_t row = i / static_cast<size_t>(outputs);
        if (row == 0 || row == 4) {
          EXPECT_EQ(out[i], expected[i]) << kernels->name;
        } else {
          EXPECT_TRUE(std::isnan(out[i])) << kernels->name << ", row " << row;
        }
      }
    }
  }
}

// One number that dwarfs the others of its row costs them nothing.
TEST(LinearInt8Kernels, OneLargeNumber) {
  const int64_t rows = 13;
  for (const int64_t inputs : {2, 45, 384, 5000}) {
    const Int8Layer layer(inputs, 45, some_weight);
    std::vector<float> in = random_floats(rows * inputs, 1, 11);
    for (int64_t r = 0; r < rows; ++r) {
      in[static_cast<size_t>(r * inputs + r * 29 % inputs)] = r % 2 == 0 ? 90.0f : -90.0f;
    }
    for (const RowBits bits : kAllBits) {
      std::vector<float> first;
      for (const Kernels* kernels : all_kernels()) {
        const std::vector<float> out = layer.run(*kernels, in, rows, bits),
                                 gelus = layer.run(*kernels, in, rows, bits, Activation::kGelu);
        if (has_fma(*kernels)) {
          if (first.empty()) first = out;
          ASSERT_EQ(out, first) << kernels->name;
        }
        for (size_t i = 0; i < out.size(); ++i) {
          const int64_t r = static_cast<int64_t>(i) / 45, o = static_cast<int64_t>(i) % 45;
          double expected = 0.5, weights = 0;
          for (int64_t k = 0; k < inputs; ++k) {
            const double weight = some_weight(o, k) * static_cast<double>(layer.scales[static_cast<size_t>(o)]);
            expected += weight * static_cast<double>(in[static_cast<size_t>(r * inputs + k)]);
            weights += std::fabs(weight);
          }
          // The index of the large one fits only in rows of up to 4096.
          const double step = (inputs <= 4096 ? 2.0 : 91.0) / steps_of(bits);
          ASSERT_NEAR(out[i], expected, weights * step * 0.501 + 1e-3) << kernels->name << ", " << inputs << " inputs";
          if (out[i] > 10) {
            ASSERT_FLOAT_EQ(gelus[i], out[i]) << kernels->name;
          }
        }
      }
    }
  }
}

TEST(LinearInt8Kernels, RowsOfOneNumber) {
  const Int8Layer layer(8, 16, some_weight);
  for (const RowBits bits : kAllBits) {
    for (const Kernels* kernels : all_kernels()) {
      for (const float x : {0.0f, -0.0f, 1e-38f, 3.0f, -3.0f, 1e30f}) {
        const std::vector<float> out = layer.run(*kernels, std::vector<float>(8, x), 1, bits);
        for (size_t o = 0; o < 16; ++o) {
          const double expected = 0.5 + static_cast<double>(x) * static_cast<double>(layer.scales[o]) * layer.sums[o];
          ASSERT_NEAR(out[o], expected, 1e-6 * (1 + std::fabs(expected))) << kernels->name << ", x = " << x;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lffn
