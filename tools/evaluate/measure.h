// SPDX-License-Identifier: Apache-2.0
// What a model's vectors are worth on each file.
#pragma once

#include <string>
#include <vector>

#include "evaluate/cases.h"
#include "evaluate/figures.h"
#include "evaluate/vectors.h"

namespace lffn::tools {

struct Embedded {
  Vectors texts, queries;
};

// Of one file: its figures, and the cosines of its pairs, or of its queries and candidates. Test texts and training
// texts have too many to be kept.
struct Measured {
  std::vector<Figure> figures;
  std::vector<double> cosines;
};

// One for each file: pairs first, then labels, then rankings. `strength`: of the logistic regression.
std::vector<Measured> measure(const Cases& cases, const Embedded& embedded, const std::string& model, double strength,
                              int32_t num_threads);

// How far two models agree: the correlation of their cosines, for each file in the same order; NaN where there is none.
std::vector<double> agreements(const Cases& cases, const Embedded& a_embedded, const std::vector<Measured>& a,
                               const Embedded& b_embedded, const std::vector<Measured>& b, int32_t num_threads);

}  // namespace lffn::tools
