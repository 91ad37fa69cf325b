// SPDX-License-Identifier: Apache-2.0
// The command line of the comparison.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace compare {

struct Options {
  std::vector<std::string> engines, sizes;
  std::vector<int64_t> batches;  // empty: those of each size
  std::vector<int64_t> threads = {1, 2};
  double seconds = 4;      // per cell
  int64_t neighbours = 0;  // measure the rows beside so many spinning processes instead
  std::string json;
  bool help = false;
};

const char* usage();

// Throws std::invalid_argument for what it does not understand.
Options parse_options(int argc, char** argv);

}  // namespace compare
