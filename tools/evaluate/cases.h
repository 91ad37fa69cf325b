// SPDX-License-Identifier: Apache-2.0
// The files of judged texts that `lookupffn evaluate` reads: lines of columns with tabs between them. Also the vectors
// of these texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "evaluate/collection.h"
#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {

// Vectors of texts: how they lie, and how a model makes them.

// Vectors of `width` numbers, one after the other.
struct Vectors {
  size_t width = 0;
  std::vector<float> numbers;
  size_t count() const { return width == 0 ? 0 : numbers.size() / width; }
  const float* operator[](size_t i) const { return numbers.data() + i * width; }
};

// Divides a vector by its length, unless that is 0. Throws BadModel that names the text's place if the vector is not
// finite.
void scale_to_one(float* vector, size_t width, const std::string& place);

// Each text once, with the place where it was first read.
class TextPool {
 public:
  // The text's number.
  size_t add(const std::string& text, const std::string& place);
  size_t size() const { return texts_.size(); }
  const std::string& text(size_t i) const { return texts_[i]; }
  const std::string& place(size_t i) const { return places_[i]; }

 private:
  std::unordered_map<std::string, size_t> numbers_;
  std::vector<std::string> texts_, places_;
};

// The vector of each text, scaled to length 1 (zeros stay zeros). Errors name the text's place.
Vectors embed_pool(const lookupffn::Model& model, const TextPool& pool, const lookupffn::RunOptions& options,
                   const std::string& doing);

// Exactly 1 for equal vectors, even where lengths that were rounded to floats would give less; 0 if one is all zeros.
double cosine(const float* a, const float* b, size_t width);

// The files of judged texts that `lookupffn evaluate` reads: lines of columns with tabs between them.

// Texts and queries are given by their numbers in a pool.
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
  std::vector<Query> queries;  // only those that have a right candidate
  size_t without_right = 0;    // how many have none
  size_t candidates = 0;       // of `queries`
};

struct Cases {
  TextPool texts, queries, documents;  // the last two of rankings
  std::vector<Pairs> pairs;
  std::vector<Labels> labels;
  std::vector<Ranking> rankings;
  std::vector<Collection> collections;
};

// Throws InvalidArgument that names file and line if anything is wrong with a file. With `header` the first line of
// each file is skipped.
Pairs read_pairs(const std::string& file, bool header, TextPool& texts);
Labels read_labels(const std::string& train_file, const std::string& test_file, bool header, TextPool& texts);
Ranking read_ranking(const std::string& file, bool header, TextPool& queries, TextPool& documents);

}  // namespace lffn::tools
