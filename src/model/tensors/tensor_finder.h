// SPDX-License-Identifier: Apache-2.0
// Finds a model's tensors by name, and knows which of them nobody asked for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/tensors/model_tensors.h"

namespace lffn {

class TensorFinder {
 public:
  // All functions throw Error(LFFN_ERROR_BAD_MODEL). They take names without the family's prefix and without "model."
  // before it, as the family renames them, and with "weight" and "bias" for the "gamma" and "beta" of a LayerNorm.
  TensorFinder(const std::vector<TensorView>& tensors, const Family& family);

  bool has(const std::string& name) const { return by_name_.count(name) != 0; }
  bool has_any(std::string_view prefix) const;

  // Does not check the values: the caller looks at shape and type first.
  const TensorView* take(const std::string& name);
  const TensorView* floats(const std::string& name, const std::vector<int64_t>& shape);
  // The vectors of all words, which may be I8 with a scale for each.
  WordTensors words(const std::string& name, int64_t count, int64_t size);
  NormTensors norm(const std::string& name, int64_t size, const NormDescription& norm);
  LinearTensors linear(const std::string& name, int64_t outputs, int64_t inputs, bool may_be_int8,
                       bool has_bias = true);
  // Adds another layer that reads the same input.
  void add_linear(LinearTensors& linear, const std::string& name, int64_t outputs, bool has_bias);
  WordRowTensors word_rows(const std::string& name, int64_t rows, int64_t size);
  // A row for each of so many words.
  const TensorView* row_numbers(const std::string& name, int64_t words, int32_t rows);
  // All tensors of one lookup layer, named as in a layer's file; its layer norm may lie elsewhere.
  std::vector<TensorView> lookup(const std::string& prefix, const std::string& norm);

  // Throws for a tensor that was not taken, unless one of these names or beginnings ("pooler.") covers it.
  void refuse_others(const char* const* ignored, size_t count) const;

 private:
  std::map<std::string, const TensorView*, std::less<>> by_name_;
  std::unordered_set<const TensorView*> taken_;
};

}  // namespace lffn
