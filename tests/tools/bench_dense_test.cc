// SPDX-License-Identifier: Apache-2.0
// The vanilla FFN of `lookupffn bench` against the formula in double precision.
#include "bench_dense.h"

#include <gtest/gtest.h>

#include <cmath>

#include "random_tokens.h"

namespace lffn::tools {
namespace {

std::vector<double> reference(const DenseFfn& ffn, const std::vector<float>& x, size_t d, size_t t) {
  std::vector<double> y;
  for (size_t token = 0; token < x.size() / d; ++token) {
    std::vector<double> middle(t);
    for (size_t j = 0; j < t; ++j) {
      double v = ffn.b1()[j];
      for (size_t i = 0; i < d; ++i) v += static_cast<double>(x[token * d + i]) * ffn.w1()[i * t + j];
      middle[j] = 0.5 * v * (1 + std::erf(v * std::sqrt(0.5)));
    }
    for (size_t i = 0; i < d; ++i) {
      double v = ffn.b2()[i];
      for (size_t j = 0; j < t; ++j) v += middle[j] * ffn.w2()[j * d + i];
      y.push_back(v);
    }
  }
  return y;
}

TEST(BenchDense, AgreesWithTheFormula) {
  const size_t d = 67, t = 150;  // no multiples of a panel; 150 inputs take two blocks
  for (const std::string& version : dense_versions()) {
    const DenseFfn ffn(d, t, version);
    for (const int64_t tokens : {1, 5, 13, 401}) {
      const std::vector<float> x = normal_numbers(tokens * static_cast<int64_t>(d), 1.0f, 9);
      std::vector<float> y(x.size());
      ffn.forward(x.data(), tokens, 2, y.data());
      const std::vector<double> expected = reference(ffn, x, d, t);
      for (size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(y[i], expected[i], 1e-5) << version << " " << tokens << " " << i;
    }
  }
}

TEST(BenchDense, RefusesUnknownVersions) { EXPECT_THROW(DenseFfn(8, 8, "mmx"), std::invalid_argument); }

}  // namespace
}  // namespace lffn::tools
