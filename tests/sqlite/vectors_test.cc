// SPDX-License-Identifier: Apache-2.0
#include "vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace lffn::sql {
namespace {

// In double, one after another.
template <typename Number>
double cosine(const std::vector<Number>& a, const std::vector<Number>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += double(a[i]) * double(b[i]);
    aa += double(a[i]) * double(a[i]);
    bb += double(b[i]) * double(b[i]);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(Vectors, CosinesOfAllLengths) {
  std::mt19937 random(7);
  for (size_t n = 1; n < 150; ++n) {
    std::vector<float> a(n), b(n);
    std::vector<int8_t> c(n), d(n);
    for (size_t i = 0; i < n; ++i) {
      a[i] = static_cast<float>(random() % 2001) / 1000 - 1;
      b[i] = static_cast<float>(random() % 2001) / 1000 - 1;
      c[i] = static_cast<int8_t>(random() % 256);
      d[i] = static_cast<int8_t>(random() % 256);
    }
    if (n > 1) {
      EXPECT_NEAR(similarity(a.data(), b.data(), n * sizeof(float), Form::kFloats), cosine(a, b), 1e-6) << n;
      EXPECT_NEAR(similarity(c.data(), d.data(), n, Form::kBytes), cosine(c, d), 1e-12) << n;
    }
    EXPECT_EQ(bytes_of(Form::kBits, static_cast<int64_t>(n)), (n + 7) / 8);
  }
}

// Of one beside many its length is found once.
TEST(Vectors, OneBesideManyGivesTheSameBits) {
  std::mt19937 random(11);
  std::vector<float> a(384), b(384);
  for (int round = 0; round < 20; ++round) {
    for (float& number : a) number = static_cast<float>(random() % 2001) / 1000 - 1;
    for (float& number : b) number = static_cast<float>(random() % 2001) / 1000 - 1;
    for (const Form form : {Form::kFloats, Form::kBytes, Form::kBits}) {
      const size_t bytes = a.size() * sizeof(float);
      EXPECT_EQ(Similarity(a.data(), bytes, form).to(b.data()), similarity(a.data(), b.data(), bytes, form));
      EXPECT_EQ(similarity(a.data(), b.data(), bytes, form), similarity(b.data(), a.data(), bytes, form));
    }
  }
}

// The largest products that there are, in more numbers than one block has.
TEST(Vectors, BytesDoNotOverflow) {
  const std::vector<int8_t> a((size_t{1} << 20) + 5, -128);
  EXPECT_DOUBLE_EQ(similarity(a.data(), a.data(), a.size(), Form::kBytes), 1);
}

TEST(Vectors, Bits) {
  const std::vector<uint8_t> a(48, 0x0f), b(48, 0xf0), c(48, 0xff);
  EXPECT_EQ(similarity(a.data(), a.data(), a.size(), Form::kBits), 1);
  EXPECT_EQ(similarity(a.data(), b.data(), a.size(), Form::kBits), -1);
  EXPECT_EQ(similarity(a.data(), c.data(), a.size(), Form::kBits), 0);
  EXPECT_EQ(similarity(a.data(), c.data(), 0, Form::kBits), 0);
  EXPECT_EQ(reversed_bits(0x01), 0x80);
  EXPECT_EQ(reversed_bits(0xd2), 0x4b);
}

TEST(Vectors, NoDirectionAndNoNumber) {
  std::vector<float> a(20, 0.0f), b(20, 1.0f);
  EXPECT_EQ(similarity(a.data(), b.data(), 80, Form::kFloats), 0);
  EXPECT_EQ(similarity(a.data(), b.data(), 0, Form::kFloats), 0);
  a[19] = NAN;
  EXPECT_TRUE(std::isnan(similarity(a.data(), b.data(), 80, Form::kFloats)));
}

}  // namespace
}  // namespace lffn::sql
