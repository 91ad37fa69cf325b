// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/tensor_finder.h"

#include <algorithm>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr lffn_status kStatus = LFFN_ERROR_BAD_MODEL;

std::string plain_name(std::string_view name, const Family& family) {
  for (const std::string_view start :
       {std::string_view("model."), std::string_view(family.prefix), std::string_view(family.other_prefix)}) {
    if (starts_with(name, start)) name.remove_prefix(start.size());
  }
  std::string result(name);
  for (const auto& [old_start, start] : family.renamed) {
    if (old_start == nullptr || !starts_with(name, old_start)) continue;
    result.replace(0, std::string_view(old_start).size(), start);
    break;
  }
  // The names in the first versions of BERT's files.
  constexpr struct {
    std::string_view old_end, end;
  } kEnds[] = {{"LayerNorm.gamma", "LayerNorm.weight"},
               {"LayerNorm.beta", "LayerNorm.bias"},
               {".parametrizations.weight.original", ".weight"}};  // beside adapters
  for (const auto& [old_end, end] : kEnds) {
    if (result.size() < old_end.size()) continue;
    const size_t at = result.size() - old_end.size();
    if (result.compare(at, old_end.size(), old_end) == 0) return result.replace(at, old_end.size(), end);
  }
  return result;
}

}  // namespace

TensorFinder::TensorFinder(const std::vector<TensorView>& tensors, const Family& family) {
  for (const TensorView& tensor : tensors) {
    const auto [other, added] = by_name_.emplace(plain_name(tensor.name, family), &tensor);
    if (!added) {
      fail(kStatus, "%s and %s are the same tensor", in_quotes(other->second->name).c_str(),
           in_quotes(tensor.name).c_str());
    }
  }
}

bool TensorFinder::has_any(std::string_view prefix) const {
  const auto first = by_name_.lower_bound(prefix);
  return first != by_name_.end() && starts_with(first->first, prefix);
}

const TensorView* TensorFinder::take(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) fail(kStatus, "%s: this tensor is missing", name.c_str());
  taken_.insert(found->second);
  return found->second;
}

const TensorView* TensorFinder::floats(const std::string& name, const std::vector<int64_t>& shape) {
  const TensorView* tensor = take(name);
  check_tensor(*tensor, shape, {DType::kF32, DType::kF16, DType::kBF16}, kStatus);
  return tensor;
}

WordTensors TensorFinder::words(const std::string& name, int64_t count, int64_t size) {
  if (!has(name + ".scale")) return {floats(name, {count, size}), nullptr};
  const WordTensors words = {take(name), take(name + ".scale")};
  check_tensor(*words.words, {count, size}, {DType::kI8}, kStatus);
  check_tensor(*words.scales, {count}, {DType::kF32}, kStatus);
  return words;
}

NormTensors TensorFinder::norm(const std::string& name, int64_t size, const NormDescription& norm) {
  NormTensors found;
  found.size = size;
  found.eps = norm.eps;
  found.kind = norm.kind;
  found.gain = floats(name + ".weight", {size});
  if (norm.has_shift) found.shift = floats(name + ".bias", {size});
  return found;
}

LinearTensors TensorFinder::linear(const std::string& name, int64_t outputs, int64_t inputs, bool may_be_int8,
                                   bool has_bias) {
  LinearTensors linear;
  linear.inputs = inputs;
  linear.may_be_int8 = may_be_int8;
  add_linear(linear, name, outputs, has_bias);
  return linear;
}

void TensorFinder::add_linear(LinearTensors& linear, const std::string& name, int64_t outputs, bool has_bias) {
  const std::string weight = name + ".weight";
  linear.outputs += outputs;
  if (linear.may_be_int8 && has(weight + ".scale")) {
    linear.weights.push_back(take(weight));
    check_tensor(*linear.weights.back(), {outputs, linear.inputs}, {DType::kI8}, kStatus);
    linear.scales.push_back(take(weight + ".scale"));
    check_tensor(*linear.scales.back(), {outputs}, {DType::kF32}, kStatus);
  } else {
    linear.weights.push_back(floats(weight, {outputs, linear.inputs}));
    linear.scales.push_back(nullptr);
  }
  linear.biases.push_back(has_bias ? floats(name + ".bias", {outputs}) : nullptr);
}

WordRowTensors TensorFinder::word_rows(const std::string& name, int64_t rows, int64_t size) {
  WordRowTensors found;
  found.size = size;
  found.rows = take(name);
  const bool two_in_a_byte = found.rows->dtype == DType::kU8;
  check_tensor(*found.rows, {rows, two_in_a_byte ? (size + 1) / 2 : size},
               {DType::kF32, DType::kF16, DType::kBF16, DType::kI8, DType::kU8}, kStatus);
  if (two_in_a_byte || found.rows->dtype == DType::kI8) {
    found.scales = take(name + ".scale");
    check_tensor(*found.scales, {rows}, {DType::kF32}, kStatus);
  }
  return found;
}

const TensorView* TensorFinder::row_numbers(const std::string& name, int64_t words, int32_t rows) {
  const TensorView* tensor = take(name);
  check_tensor(*tensor, {words}, {DType::kI32}, kStatus);
  int32_t part[1024];
  for (int64_t first = 0; first < words; first += 1024) {
    const int64_t count = std::min<int64_t>(1024, words - first);
    tensor->read(static_cast<size_t>(first) * sizeof(int32_t), static_cast<size_t>(count) * sizeof(int32_t), part);
    for (int64_t i = 0; i < count; ++i) {
      if (part[i] >= 0 && part[i] < rows) continue;
      fail(kStatus, "%s: element %lld is %d, allowed is 0 to %d", name.c_str(), static_cast<long long>(first) + i,
           part[i], rows - 1);
    }
  }
  return tensor;
}

std::vector<TensorView> TensorFinder::lookup(const std::string& prefix, const std::string& norm) {
  std::vector<TensorView> result;
  const auto add = [&](const std::string& name, const char* own_name) {
    if (!has(name)) return;
    result.push_back(*take(name));
    result.back().name = own_name;
  };
  add(norm + ".weight", kNormGain);
  add(norm + ".bias", kNormShift);
  for (const char* name : {kHashWeight, kFoldedWeight, kFoldedScale, kHashBias, kTables, kTablesScale, kBias}) {
    add(prefix + name, name);
  }
  return result;
}

void TensorFinder::refuse_others(const char* const* ignored, size_t count) const {
  for (const auto& [name, tensor] : by_name_) {
    // Adapters' tensors stay unused unless an adapter is chosen.
    bool known = taken_.count(tensor) != 0 || name.find(".parametrizations.weight.0.lora_") != std::string::npos;
    for (size_t i = 0; i < count && !known && ignored[i] != nullptr; ++i) {
      const std::string_view entry = ignored[i];
      known = entry.back() == '.' ? starts_with(name, entry) : name == entry;
    }
    if (!known) fail(kStatus, "%s: a model with this config has no such tensor", in_quotes(tensor->name).c_str());
  }
}

}  // namespace lffn
