// SPDX-License-Identifier: Apache-2.0
// Vectors of texts: how they lie, and how a model makes them.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {

// Vectors of `width` numbers, one after the other.
struct Vectors {
  size_t width = 0;
  std::vector<float> numbers;
  size_t count() const { return width == 0 ? 0 : numbers.size() / width; }
  const float* operator[](size_t i) const { return numbers.data() + i * width; }
};

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

// The vector of each text, scaled to length 1 (zeros stay zeros). What fails names the place of the text.
Vectors embed_pool(const lookupffn::Model& model, const TextPool& pool, const lookupffn::RunOptions& options,
                   const std::string& doing);

// Exactly 1 for equal vectors, which lengths rounded to floats alone would not give; 0 where one is all zeros.
double cosine(const float* a, const float* b, size_t width);

}  // namespace lffn::tools
