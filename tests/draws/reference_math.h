// SPDX-License-Identifier: Apache-2.0
// The few things that the reference computes with.
#pragma once

#include <algorithm>
#include <cmath>

#include "reference.h"

namespace draws {

inline double activated(Act act, double x) {
  switch (act) {
    case Act::kGelu:
      return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    case Act::kRelu:
      return std::max(x, 0.0);
    case Act::kSilu:
      return x / (1 + std::exp(-x));
    case Act::kGeluTanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Act::kTanh:
      return std::tanh(x);
    default:
      return x;
  }
}

inline Numbers activated(Act act, Numbers x) {
  for (double& value : x) value = activated(act, value);
  return x;
}

inline size_t at(int64_t n) { return static_cast<size_t>(n); }

inline void add(Numbers& to, const Numbers& more) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += more[i];
}

inline double dot(const double* x, const float* w, int64_t size) {
  double a = 0, b = 0;
  int64_t i = 0;
  for (; i + 1 < size; i += 2) {
    a += x[i] * static_cast<double>(w[i]);
    b += x[i + 1] * static_cast<double>(w[i + 1]);
  }
  if (i < size) a += x[i] * static_cast<double>(w[i]);
  return a + b;
}

inline Numbers products(const Tensor& weight, const Tensor* bias, const Numbers& x, int64_t inputs) {
  const int64_t outputs = weight.shape[0], rows = static_cast<int64_t>(x.size()) / inputs;
  Numbers y(at(rows * outputs));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t o = 0; o < outputs; ++o) {
      const double sum = dot(&x[at(r * inputs)], &weight.values[at(o * inputs)], inputs);
      y[at(r * outputs + o)] = sum + (bias != nullptr ? static_cast<double>(bias->values[at(o)]) : 0);
    }
  }
  return y;
}

inline Numbers columns(const Numbers& x, int64_t width, int64_t first, int64_t count) {
  Numbers y;
  for (size_t r = 0; r < x.size(); r += at(width)) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(r) + first;
    y.insert(y.end(), begin, begin + count);
  }
  return y;
}

}  // namespace draws
