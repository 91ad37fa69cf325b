// SPDX-License-Identifier: Apache-2.0
// What the comparison says while it runs and what it leaves behind.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lookup_weights.h"
#include "measure.h"

namespace compare {

struct Report {
  std::vector<Cell> cells;
  std::map<std::string, CodeSpread> spreads;                         // by shape
  std::map<std::string, std::map<std::string, double>> differences;  // by shape and engine, see check_results
  std::map<std::string, std::string> versions;                       // by engine
  std::map<std::string, std::string> missing;                        // engines left out, with the reason
  double seconds_per_cell;
};

// The processor, its caches, the system.
nlohmann::json machine();
nlohmann::json to_json(const Distribution& distribution);

void print_cell(const Cell& cell);
void write_json(const Report& report, const std::string& path);

// On a terminal only.
void show_progress(size_t done, size_t total, const std::string& what);

}  // namespace compare
