// SPDX-License-Identifier: Apache-2.0
// The kernels of models against double precision, for every instruction set of this CPU and sizes around theirs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "all_kernels.h"

namespace lffn {
namespace {

double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

double gelu_tanh(double x) {
  return x / (1 + std::exp(-2 * std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

// A linear layer of one input and weight 1, so that only the function is left.
std::vector<float> apply(const Kernels& kernels, Activation activation, const std::vector<float>& in) {
  const std::vector<float> weights(kPanel, 1.0f), bias(kPanel, 0.0f);
  std::vector<float> out(in.size());
  LinearPlan plan = {};
  plan.in = in.data();
  plan.in_stride = 1;
  plan.rows = static_cast<int64_t>(in.size());
  plan.inputs = 1;
  plan.weights = weights.data();
  plan.bias = bias.data();
  plan.outputs = 1;
  plan.activation = activation;
  plan.out = out.data();
  plan.out_stride = 1;
  kernels.linear(plan);
  return out;
}

TEST(Kernels, Functions) {
  std::vector<float> in;
  for (float x = -20; x <= 20; x += 0.0007f) in.push_back(x);
  for (float x = 1e-30f; x < 1; x *= 1.7f) in.insert(in.end(), {x, -x});
  in.insert(in.end(), {0.0f, -0.0f, 88.0f, -88.0f, 3e38f, -3e38f});
  for (const Kernels* kernels : all_kernels()) {
    const std::vector<float> gelus = apply(*kernels, Activation::kGelu, in);
    const std::vector<float> tanhs = apply(*kernels, Activation::kTanh, in);
    const std::vector<float> gelu_tanhs = apply(*kernels, Activation::kGeluTanh, in);
    const std::vector<float> relus = apply(*kernels, Activation::kRelu, in);
    const std::vector<float> sigmoids = apply(*kernels, Activation::kSigmoid, in);
    const std::vector<float> silus = apply(*kernels, Activation::kSilu, in);
    for (size_t i = 0; i < in.size(); ++i) {
      const double x = in[i], size = std::fabs(x);
      ASSERT_NEAR(gelus[i], gelu(x), 5e-8 + 1.2e-7 * size) << kernels->name << ", x = " << in[i];
      ASSERT_NEAR(tanhs[i], std::tanh(x), 3e-7 * std::fabs(std::tanh(x))) << kernels->name << ", x = " << in[i];
      ASSERT_NEAR(gelu_tanhs[i], gelu_tanh(x), 2e-7 * size) << kernels->name << ", x = " << in[i];
      ASSERT_EQ(relus[i], std::max(0.0, x)) << kernels->name << ", x = " << in[i];
      const double sigmoid = 1 / (1 + std::exp(-x));
      ASSERT_NEAR(sigmoids[i], sigmoid, 3e-7 * sigmoid + 2e-38) << kernels->name << ", x = " << in[i];
      ASSERT_NEAR(silus[i], x * sigmoid, 4e-7 * size * sigmoid + 2e-36) << kernels->name << ", x = " << in[i];
    }
  }
}

TEST(Kernels, FunctionsOfWhatIsNoNumber) {
  for (const Kernels* kernels : all_kernels()) {
    const auto value = [&](Activation activation, float x) { return apply(*kernels, activation, {x})[0]; };
    for (const Activation activation : {Activation::kNone, Activation::kGelu, Activation::kTanh, Activation::kGeluTanh,
                                        Activation::kRelu, Activation::kSigmoid, Activation::kSilu}) {
      EXPECT_TRUE(std::isnan(value(activation, std::nanf("")))) << kernels->name;
    }
    for (const Activation activation :
         {Activation::kGelu, Activation::kGeluTanh, Activation::kRelu, Activation::kSilu}) {
      EXPECT_EQ(value(activation, INFINITY), INFINITY) << kernels->name;
      EXPECT_NEAR(value(activation, -INFINITY), 0, 1e-9) << kernels->name;
    }
    EXPECT_EQ(value(Activation::kTanh, -INFINITY), -1) << kernels->name;
    EXPECT_EQ(value(Activation::kTanh, INFINITY), 1) << kernels->name;
    EXPECT_EQ(value(Activation::kSigmoid, INFINITY), 1) << kernels->name;
    EXPECT_NEAR(value(Activation::kSigmoid, -INFINITY), 0, 1e-37) << kernels->name;
  }
}

// Instruction sets that have the FMA give the same bits.
TEST(Kernels, FunctionsGiveTheSameBits) {
  std::vector<float> in = random_floats(2000, 20, 9);
  for (const float x : random_floats(500, 0.01f, 10)) in.push_back(x);
  for (const Activation activation : {Activation::kGelu, Activation::kTanh, Activation::kGeluTanh, Activation::kRelu,
                                      Activation::kSigmoid, Activation::kSilu}) {
    std::vector<float> first;
    for (const char* name : {"avx2", "avxvnni", "avx512", "avx512vnni", "avx512vbmi"}) {
      const Kernels* kernels = find_kernels(name);
      if (kernels == nullptr) continue;
      const std::vector<float> out = apply(*kernels, activation, in);
      if (first.empty()) first = out;
      EXPECT_EQ(out, first) << name << ", function " << static_cast<int>(activation);
    }
  }
}

TEST(Kernels, Linear) {
  for (const int64_t inputs : {1, 5, 64, 300}) {
    for (const int64_t outputs : {1, 16, 45, 130}) {
      const std::vector<float> matrix = random_floats(inputs * outputs, 1, 1);
      std::vector<float> bias = random_floats(outputs, 1, 2);
      bias.resize(static_cast<size_t>(outputs + kPanel), 0.0f);
      for (const int64_t rows : {1, 2, 3, 4, 6, 7, 13, 97}) {
        const int64_t in_stride = inputs + 3, out_stride = outputs + 5;
        const std::vector<float> in = random_floats(rows * in_stride, 1, 3);
        const std::vector<float> before = random_floats(rows * out_stride, 1, 4);
        for (const Kernels* kernels : all_kernels()) {
          std::vector<float> panels(static_cast<size_t>((outputs + kPanel) * inputs), 7.0f), out = before;
          kernels->lay_panels(matrix.data(), inputs, outputs, inputs, panels.data());
          const LinearPlan plan = {in.data(), in_stride,         rows, inputs,     panels.data(), bias.data(),
                                   outputs,   Activation::kNone, true, out.data(), out_stride};
          kernels->linear(plan);
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t o = 0; o < out_stride; ++o) {
              const size_t at = static_cast<size_t>(r * out_stride + o);
              if (o >= outputs) {
                ASSERT_EQ(out[at], before[at]) << "beyond the outputs";
                continue;
              }
              double expected = static_cast<double>(before[at]) + bias[static_cast<size_t>(o)];
              for (int64_t i = 0; i < inputs; ++i) {
                expected += static_cast<double>(matrix[static_cast<size_t>(o * inputs + i)]) *
                            in[static_cast<size_t>(r * in_stride + i)];
              }
              ASSERT_NEAR(out[at], expected, 3e-5)
                  << kernels->name << " " << inputs << " -> " << outputs << ", row " << r << " of " << rows;
            }
          }
        }
      }
    }
  }
}

TEST(Kernels, Attention) {
  for (const int64_t head_size : {1, 13, 16, 64}) {
    for (const int64_t keys : {1, 2, 16, 127, 128, 129, 300}) {
      const int64_t stride = 3 * head_size + 7;
      // Large enough that weights differ widely, and rising along the keys so that the largest score keeps changing.
      std::vector<float> rows = random_floats(keys * stride, 2, 5);
      for (int64_t k = 0; k < keys; ++k) {
        for (int64_t i = 0; i < head_size; ++i) {
          rows[static_cast<size_t>(k * stride + head_size + i)] *= static_cast<float>(1 + k) / 40.0f;
        }
      }
      AttentionPlan plan = {};
      plan.queries = rows.data();
      plan.keys = rows.data() + head_size;
      plan.values = rows.data() + 2 * head_size;
      plan.stride = stride;
      plan.num_queries = keys;
      plan.num_keys = keys;
      plan.head_size = head_size;
      plan.scale = 1 / std::sqrt(static_cast<float>(head_size));
      std::vector<double> expected(static_cast<size_t>(keys * head_size));
      for (int64_t q = 0; q < keys; ++q) {
        std::vector<double> weights(static_cast<size_t>(keys));
        double most = -1e300, sum = 0;
        for (int64_t k = 0; k < keys; ++k) {
          double score = 0;
          for (int64_t i = 0; i < head_size; ++i) {
            score += static_cast<double>(plan.queries[q * stride + i]) * plan.keys[k * stride + i];
          }
          weights[static_cast<size_t>(k)] = score * plan.scale;
          most = std::max(most, score * plan.scale);
        }
        for (double& weight : weights) sum += weight = std::exp(weight - most);
        for (int64_t k = 0; k < keys; ++k) {
          for (int64_t i = 0; i < head_size; ++i) {
            expected[static_cast<size_t>(q * head_size + i)] +=
                weights[static_cast<size_t>(k)] / sum * plan.values[k * stride + i];
          }
        }
      }
      for (const Kernels* kernels : all_kernels()) {
        std::vector<uint8_t> scratch(kernels->attention_scratch(keys, head_size, 0));
        std::vector<float> out(static_cast<size_t>(keys * head_size + 1), 7.0f);
        plan.out = out.data();
        plan.out_stride = head_size;
        kernels->attend(plan, scratch.data());
        for (size_t i = 0; i < expected.size(); ++i) {
          ASSERT_NEAR(out[i], expected[i], 2e-5) << kernels->name << " " << keys << " keys of " << head_size;
        }
        EXPECT_EQ(out.back(), 7.0f);
      }
    }
  }
}

TEST(Kernels, TwoVectors) {
  for (const int64_t size : {0, 1, 7, 31, 32, 33, 64, 100, 384, 70000}) {
    const std::vector<float> a = random_floats(size, 2, 3), b = random_floats(size, 2, 4);
    std::vector<int8_t> c, d;
    for (int64_t i = 0; i < size; ++i) {
      c.push_back(static_cast<int8_t>(size == 70000 ? -128 : std::lround(63 * a[static_cast<size_t>(i)])));
      d.push_back(static_cast<int8_t>(size == 70000 ? -128 : std::lround(63 * b[static_cast<size_t>(i)])));
    }
    double ab = 0, bb = 0, cd = 0, dd = 0;
    int64_t bits = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      ab += double{a[i]} * double{b[i]};
      bb += double{b[i]} * double{b[i]};
      cd += c[i] * d[i];
      dd += d[i] * d[i];
      for (int bit = 0; bit < 8; ++bit) bits += ((c[i] ^ d[i]) >> bit) & 1;
    }
    std::vector<TwoVectors> with_fma;
    for (const Kernels* kernels : all_kernels()) {
      const TwoVectors floats = kernels->compare_f32(a.data(), b.data(), size);
      EXPECT_NEAR(floats.ab, ab, 1e-6 * bb) << kernels->name << " " << size;
      EXPECT_NEAR(floats.bb, bb, 1e-6 * bb) << kernels->name << " " << size;
      if (has_fma(*kernels)) {
        with_fma.push_back(floats);
        EXPECT_EQ(floats.ab, with_fma[0].ab) << kernels->name << " " << size;
        EXPECT_EQ(floats.bb, with_fma[0].bb) << kernels->name << " " << size;
      }
      const TwoVectors bytes = kernels->compare_int8(c.data(), d.data(), size);
      EXPECT_EQ(bytes.ab, cd) << kernels->name << " " << size;
      EXPECT_EQ(bytes.bb, dd) << kernels->name << " " << size;
      EXPECT_EQ(kernels->different_bits(reinterpret_cast<const uint8_t*>(c.data()),
                                        reinterpret_cast<const uint8_t*>(d.data()), size),
                bits);
    }
  }
}

}  // namespace
}  // namespace lffn
