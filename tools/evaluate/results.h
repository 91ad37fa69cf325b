// SPDX-License-Identifier: Apache-2.0
// What a model's vectors are worth on each file, and what `lookupffn evaluate` prints of it.
#pragma once

#include <string>
#include <vector>

#include "evaluate/cases.h"
#include "evaluate/figures.h"
#include "evaluate/search.h"

namespace lffn::tools {

// What a model's vectors are worth on each file.
struct Embedded {
  Vectors texts, queries, documents;
};

// Of one file: its figures, and the cosines of its pairs, or of its queries and candidates. Test texts and training
// texts have too many to be kept; of a collection what was found.
struct Measured {
  std::vector<Figure> figures;
  std::vector<double> cosines;
  std::vector<Hits> found;
};

// One for each file but collections: pairs first, then labels, then rankings. `strength`: of the logistic regression.
std::vector<Measured> measure(const Cases& cases, const Embedded& embedded, const std::string& model, double strength,
                              int32_t num_threads);

// How far two models agree, for each file in the same order: the correlation of their cosines, NaN where there is none;
// for each collection, which come last, the share of first documents that they have in common.
std::vector<double> agreements(const Cases& cases, const Embedded& a_embedded, const std::vector<Measured>& a,
                               const Embedded& b_embedded, const std::vector<Measured>& b, int32_t num_threads);

// What `lookupffn evaluate` prints.
struct NamedEstimate {
  std::string name;
  Estimate estimate;
};

// Of one file, by one model.
struct FileReport {
  std::vector<NamedEstimate> figures;
  std::vector<NamedEstimate> differences;  // from the model that it is compared with; empty: none
  double agreement = 0;                    // with that model
};

struct ModelReport {
  std::string model;
  std::string query_model;        // whose queries its documents are compared with; empty: its own
  std::vector<FileReport> files;  // pairs first, then labels, then rankings, then collections
};

struct Report {
  std::vector<ModelReport> models;
  std::vector<ModelReport> against;  // one, or none
  size_t resamples = 0;
};

// A table in Markdown, figures times 100.
std::string as_table(const Report& report, const Cases& cases);
std::string as_json(const Report& report, const Cases& cases);

}  // namespace lffn::tools
