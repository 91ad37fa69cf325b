// SPDX-License-Identifier: Apache-2.0
// What `lookupffn evaluate` prints.
#pragma once

#include <string>
#include <vector>

#include "evaluate/cases.h"
#include "evaluate/figures.h"

namespace lffn::tools {

struct NamedEstimate {
  std::string name;
  Estimate estimate;
};

// Of one file, by one model.
struct FileReport {
  std::vector<NamedEstimate> figures;
  std::vector<NamedEstimate> differences;  // from the model that it is compared with; empty: none
  double agreement = 0;                    // of its cosines with that model's
};

struct ModelReport {
  std::string model;
  std::vector<FileReport> files;  // pairs first, then labels, then rankings
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
