// SPDX-License-Identifier: Apache-2.0
// Functions that the math library of each system would round in its own way: these give the same bits everywhere, from
// additions, multiplications and divisions alone. Within a few units in the last place of a double.
#pragma once

namespace lffn {

double own_exp(double x);
// log(1 + x) for x >= 0.
double own_log1p(double x);
double own_log(double x);            // of x > 0
double own_pow(double x, double y);  // of x > 0
double own_tanh(double x);
// 1 - erf(x), which is small and accurate for large x.
double own_erfc(double x);
// Of angles from 0 to 2^20.
struct SineCosine {
  double sine, cosine;
};
SineCosine own_sine_cosine(double angle);

}  // namespace lffn
