// SPDX-License-Identifier: Apache-2.0
// The functions that decide scores: near the true values, and the same bits wherever this is run.
#include "runtime/own_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace lffn {
namespace {

void expect_near(double found, double expected, double relative, const char* function, double x) {
  EXPECT_NEAR(found, expected, std::fabs(expected) * relative + 1e-320) << function << "(" << x << ")";
}

TEST(OwnMath, IsNearTheTruth) {
  for (double x = -750; x < 709.7; x += 0.09371) expect_near(own_exp(x), std::exp(x), 1e-15, "exp", x);
  for (double x = 1e-300; x < 30; x *= 1.37) {
    expect_near(own_tanh(x), std::tanh(x), 1e-15, "tanh", x);
    expect_near(own_tanh(-x), -std::tanh(x), 1e-15, "tanh", -x);
    expect_near(own_erfc(-x), std::erfc(-x), 1e-15, "erfc", -x);
  }
  for (double x = 0; x < 26; x += 0.00317) expect_near(own_erfc(x), std::erfc(x), 2e-13, "erfc", x);
}

TEST(OwnMath, KnowsTheEnds) {
  EXPECT_EQ(own_exp(0), 1);
  EXPECT_EQ(own_exp(INFINITY), INFINITY);
  EXPECT_EQ(own_exp(-INFINITY), 0);
  EXPECT_EQ(own_tanh(INFINITY), 1);
  EXPECT_EQ(own_tanh(-INFINITY), -1);
  EXPECT_TRUE(std::signbit(own_tanh(-0.0)));
  EXPECT_EQ(own_erfc(INFINITY), 0);
  EXPECT_EQ(own_erfc(-INFINITY), 2);
  for (double (*function)(double) : {own_exp, own_tanh, own_erfc}) EXPECT_TRUE(std::isnan(function(NAN)));
}

TEST(OwnMath, GivesTheSameBitsEverywhere) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (int i = -3000; i <= 3000; ++i) {
    const double x = i / 256.0;
    for (const double value : {own_exp(x), own_tanh(x), own_erfc(x)}) {
      uint64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3u;
    }
  }
  EXPECT_EQ(hash, 11019498627032457596u);
}

}  // namespace
}  // namespace lffn
