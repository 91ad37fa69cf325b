// SPDX-License-Identifier: Apache-2.0
// The files of judged texts that `lookupffn evaluate` reads: lines of columns with tabs between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evaluate/vectors.h"

namespace lffn::tools {

// Texts and queries are numbers of a pool.
struct Pairs {
  std::string file;
  std::vector<size_t> a, b;
  std::vector<double> scores;
};

struct Labels {
  std::string train_file, test_file;
  size_t classes = 0;  // of the training texts
  std::vector<size_t> train, test;
  std::vector<int32_t> train_classes, test_classes;
  size_t unknown = 0;  // test texts whose class, -1, no training text has
};

struct Query {
  size_t text;
  std::vector<size_t> candidates;
  std::vector<uint8_t> right;  // of each candidate
  size_t rights = 0;
};

struct Ranking {
  std::string file;
  std::vector<Query> queries;  // those that have a right candidate
  size_t without_right = 0;    // how many have none
  size_t candidates = 0;       // of `queries`
};

struct Cases {
  TextPool texts, queries;
  std::vector<Pairs> pairs;
  std::vector<Labels> labels;
  std::vector<Ranking> rankings;
};

// What is wrong with a file throws InvalidArgument, which names file and line. With `header` the first line of each
// file is no case.
Pairs read_pairs(const std::string& file, bool header, TextPool& texts);
Labels read_labels(const std::string& train_file, const std::string& test_file, bool header, TextPool& texts);
Ranking read_ranking(const std::string& file, bool header, TextPool& queries, TextPool& texts);

}  // namespace lffn::tools
