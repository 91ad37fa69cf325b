// SPDX-License-Identifier: Apache-2.0
// How well a model's vectors do on each file, and what `lookupffn evaluate` prints about it.
#pragma once

#include <string>
#include <vector>

#include "evaluate/cases.h"
#include "evaluate/figures.h"
#include "evaluate/search.h"

namespace lffn::tools {

// The vectors of a model, and how well they do on each file.
struct Embedded {
  Vectors texts, queries, documents;
};

// One file's figures, and the cosines of its pairs, or of its queries and candidates. Those of test texts and training
// texts are too many to be kept; for a collection the documents that were found are kept.
struct Measured {
  std::vector<Figure> figures;
  std::vector<double> cosines;
  std::vector<Hits> found;
};

// One for each file except collections: pairs first, then labels, then rankings. `strength`: of the logistic
// regression.
std::vector<Measured> measure(const Cases& cases, const Embedded& embedded, const std::string& model, double strength,
                              int32_t num_threads);

// How far two models agree on each file, in the same order: the correlation of their cosines, NaN if it is undefined.
// Collections come last, with the share of first documents that both models find.
std::vector<double> agreements(const Cases& cases, const Embedded& a_embedded, const std::vector<Measured>& a,
                               const Embedded& b_embedded, const std::vector<Measured>& b, int32_t num_threads);

// What `lookupffn evaluate` prints.
struct NamedEstimate {
  std::string name;
  Estimate estimate;
};

// The figures of one model on one file.
struct FileReport {
  std::vector<NamedEstimate> figures;
  std::vector<NamedEstimate> differences;  // from the model that it is compared with; empty: none
  double agreement = 0;                    // with that model
};

struct ModelReport {
  std::string model;
  std::string query_model;        // the model whose query vectors are compared with its documents; empty: itself
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
