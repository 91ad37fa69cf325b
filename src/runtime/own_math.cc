// SPDX-License-Identifier: Apache-2.0
#include "runtime/own_math.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace lffn {
namespace {

// 2^n for -1022 <= n <= 1023.
double power_of_two(int n) {
  const uint64_t bits = static_cast<uint64_t>(n + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return power;
}

// exp(x) - 1 for |x| <= ln(2) / 2, by its series.
double exp_less_one(double x) {
  constexpr int kTerms = 14;
  double sum = 1;
  for (int i = kTerms; i > 1; --i) sum = 1 + sum * (x / i);
  return sum * x;
}

constexpr double kHalfLn2 = 0.34657359027997264;

// exp(-x * x) * 2 / sqrt(pi)
double bell(double x) { return own_exp(-x * x) * 1.1283791670955126; }

// erf(x) for 0 <= x < 2: every term is positive, so nothing cancels.
double erf_series(double x) {
  double term = x, sum = 0;
  for (int i = 1; sum + term != sum; ++i) {
    sum += term;
    term *= 2 * x * x / (2 * i + 1);
  }
  return bell(x) * sum;
}

// erfc(x) for x >= 2, a continued fraction from its far end.
double erfc_fraction(double x) {
  constexpr int kLevels = 60;
  double rest = x;
  for (int i = kLevels; i > 0; --i) rest = x + 0.5 * i / rest;
  return 0.5 * bell(x) / rest;
}

}  // namespace

double own_exp(double x) {
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2 = 0x1.62e42feep-1, kLn2Rest = 1.9082149292705877e-10;  // n * kLn2 is exact
  constexpr double kRound = 6755399441055744.0;                                // adding it rounds to an integer
  if (std::isnan(x)) return x;
  if (x > 709.8) return INFINITY;
  if (x < -746) return 0;
  const double rounded = (x * kLog2E + kRound) - kRound;
  const int n = static_cast<int>(rounded);
  const double power = 1 + exp_less_one((x - rounded * kLn2) - rounded * kLn2Rest);
  // In two steps, because 2^n itself may be outside the normal range of a double.
  return power * power_of_two(n / 2) * power_of_two(n - n / 2);
}

double own_log1p(double x) {
  if (!(x <= 1e300)) return x;  // NaN, or as good as infinite
  if (x < 1e-5) return x * (1 - x * (0.5 - x / 3));
  // 1 + x = m * 2^n, and log(m) by the series of 2 * atanh((m - 1) / (m + 1)).
  int n = 0;
  double m = std::frexp(1 + x, &n);
  if (m < 0.70710678118654752) {
    m *= 2;
    n -= 1;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  constexpr int kTerms = 11;
  double sum = 0;
  for (int i = kTerms; i >= 0; --i) sum = sum * square + 1.0 / (2 * i + 1);
  return 2 * s * sum + n * (2 * kHalfLn2);
}

// x = 2^n * m with m near 1: ln(m) = 2 atanh((m - 1) / (m + 1)), by its series.
double own_log(double x) {
  int n = 0;
  double m = std::frexp(x, &n);  // exact
  if (m < 0.70710678118654752) {
    m *= 2;
    --n;
  }
  const double t = (m - 1) / (m + 1), square = t * t;
  double sum = 0;
  for (int i = 27; i >= 1; i -= 2) sum = sum * square + 1.0 / i;
  constexpr double kLn2 = 0x1.62e42feep-1, kLn2Rest = 1.9082149292705877e-10;
  return n * kLn2 + (2 * t * sum + n * kLn2Rest);
}

double own_pow(double x, double y) { return own_exp(y * own_log(x)); }

// Subtracts a multiple of pi / 2 in two parts. The first part has so few digits that its product with the multiple is
// exact.
SineCosine own_sine_cosine(double angle) {
  constexpr double kTwoOverPi = 0.63661977236758134308;
  constexpr double kPart = 1.57079632673412561417, kRest = 6.07710050650619224932e-11;
  const auto quarter = static_cast<int64_t>(std::floor(angle * kTwoOverPi + 0.5));  // angles are 0 and more
  const auto n = static_cast<double>(quarter);
  const double x = (angle - n * kPart) - n * kRest, square = x * x;
  double sine = 0, cosine = 0;
  for (int i = 19; i >= 3; i -= 2) sine = (1 + sine) * (-square / ((i - 1) * i));
  sine = x + x * sine;
  for (int i = 20; i >= 2; i -= 2) cosine = (1 + cosine) * (-square / ((i - 1) * i));
  cosine = 1 + cosine;
  switch (quarter & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

double own_tanh(double x) {
  const double twice = -2 * std::fabs(x);
  const double lowered = twice > -kHalfLn2 ? exp_less_one(twice) : own_exp(twice) - 1;
  return std::copysign(lowered / (2 + lowered), x);
}

double own_erfc(double x) {
  if (std::isnan(x)) return x;
  if (x < 0) return 2 - own_erfc(-x);
  if (x < 2) return 1 - erf_series(x);
  return x > 30 ? 0 : erfc_fraction(x);
}

}  // namespace lffn
