// SPDX-License-Identifier: Apache-2.0
#include "model/statics/static_vectors.h"

#include <algorithm>

#include "format/tensor_numbers.h"
#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr lffn_status kBadVectors = LFFN_ERROR_BAD_MODEL;
constexpr char kRows[] = "embeddings";
constexpr char kSavedRows[] = "embeddings.weight";
constexpr char kSavedScales[] = "embeddings.weight.scale";
constexpr char kWeights[] = "weights";
constexpr char kMapping[] = "mapping";
constexpr int64_t kMostTokens = int64_t{1} << 22;  // the limit of vocabularies

Family make_family() {
  Family family;
  family.name = "static";
  return family;
}

void check_size(const TensorView& tensor) {
  if (tensor.shape.size() == 2 && tensor.shape[0] >= 1 && tensor.shape[0] <= kMostTokens && tensor.shape[1] >= 1 &&
      tensor.shape[1] <= kMaxSize) {
    return;
  }
  fail(kBadVectors, "%s: shape %s, expected rows for 1 to %lld tokens of 1 to %d numbers",
       in_quotes(tensor.name).c_str(), tensor.shape_text().c_str(), static_cast<long long>(kMostTokens), kMaxSize);
}

int64_t length_of(const TensorView& tensor) {
  if (tensor.shape.size() != 1 || tensor.shape[0] < 1 || tensor.shape[0] > kMostTokens) {
    fail(kBadVectors, "%s: shape %s, expected a number for each token", in_quotes(tensor.name).c_str(),
         tensor.shape_text().c_str());
  }
  return tensor.shape[0];
}

// Which row each token has.
std::vector<int32_t> read_mapping(const TensorView& tensor, int64_t rows) {
  std::vector<int32_t> mapping(static_cast<size_t>(tensor.shape[0]));
  for (size_t i = 0; i < mapping.size(); ++i) {
    int64_t row = 0;
    if (tensor.dtype == DType::kI64) {
      tensor.read(i * sizeof row, sizeof row, &row);
    } else {
      int32_t narrow = 0;
      tensor.read(i * sizeof narrow, sizeof narrow, &narrow);
      row = narrow;
    }
    if (row < 0 || row >= rows) {
      fail(kBadVectors, "%s: element %zu is %lld, allowed is 0 to %lld", in_quotes(tensor.name).c_str(), i,
           static_cast<long long>(row), static_cast<long long>(rows - 1));
    }
    mapping[i] = static_cast<int32_t>(row);
  }
  return mapping;
}

// Half of the tokens are as long or longer.
int64_t median_length(const Tokenizer& tokenizer) {
  std::vector<int64_t> lengths;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const auto token = tokenizer.token_of(id);
    if (!token) continue;
    lengths.push_back(std::count_if(token->begin(), token->end(), [](char c) { return (c & 0xC0) != 0x80; }));
  }
  if (lengths.empty()) return 1;
  std::sort(lengths.begin(), lengths.end());
  const size_t half = lengths.size() / 2;
  return lengths.size() % 2 == 1 ? lengths[half] : (lengths[half - 1] + lengths[half]) / 2;
}

}  // namespace

const Family kStaticFamily = make_family();

StaticTensors check_static_tensors(const std::vector<TensorView>& tensors) {
  StaticTensors found;
  for (const TensorView& tensor : tensors) {
    if (tensor.name == kRows || tensor.name == kSavedRows || tensor.name == "embedding.weight") {
      if (!found.empty()) {
        fail(kBadVectors, "%s and %s are the same tensor", in_quotes(found.rows->name).c_str(),
             in_quotes(tensor.name).c_str());
      }
      found.rows = &tensor;
    } else if (tensor.name == kSavedScales) {
      found.scales = &tensor;
    } else if (tensor.name == kWeights) {
      found.weights = &tensor;
    } else if (tensor.name == kMapping) {
      found.mapping = &tensor;
    } else {
      fail(kBadVectors, "%s: a model of static vectors has no such tensor", in_quotes(tensor.name).c_str());
    }
  }
  if (found.empty()) fail(kBadVectors, "%s: this tensor is missing", kRows);
  check_size(*found.rows);
  const std::vector<int64_t>& shape = found.rows->shape;
  check_tensor(*found.rows, shape, {DType::kF32, DType::kF16, DType::kBF16, DType::kI8}, kBadVectors);
  if (found.scales != nullptr) check_tensor(*found.scales, {shape[0]}, {DType::kF32}, kBadVectors);
  int64_t num_tokens = shape[0];
  if (found.mapping != nullptr) {
    num_tokens = length_of(*found.mapping);
    check_tensor(*found.mapping, {num_tokens}, {DType::kI32, DType::kI64}, kBadVectors);
  }
  if (found.weights != nullptr) {
    check_tensor(*found.weights, {num_tokens}, {DType::kF32, DType::kF16, DType::kBF16}, kBadVectors);
  }
  found.num_tokens = static_cast<int32_t>(num_tokens);
  return found;
}

size_t StaticVectors::bytes_for(const StaticTensors& tensors, const ModelLoadOptions& options) {
  const auto tokens = static_cast<size_t>(tensors.num_tokens);
  return WordMatrix::bytes_for(tensors.rows->shape[0], tensors.size(),
                               held_as(tensors.rows->dtype, options.embedding_dtype)) +
         (tensors.weights != nullptr ? tokens * sizeof(float) : 0) +
         (tensors.mapping != nullptr ? tokens * sizeof(int32_t) : 0);
}

StaticVectors::StaticVectors(const StaticSettings& settings, const StaticTensors& tensors,
                             const ModelLoadOptions& options, const Tokenizer* tokenizer)
    : settings_(settings), size_(tensors.size()) {
  const int64_t rows = tensors.rows->shape[0];
  // The int8 numbers in a folder have no scales: each stands for itself.
  const std::vector<float> ones(static_cast<size_t>(rows), 1.0f);
  const TensorView as_they_are = view_of(kSavedScales, DType::kF32, {rows}, ones.data());
  const TensorView* scales = tensors.rows->dtype != DType::kI8 ? nullptr
                             : tensors.scales != nullptr       ? tensors.scales
                                                               : &as_they_are;
  rows_ = WordMatrix(*tensors.rows, scales, options.embedding_dtype);
  if (tensors.mapping != nullptr) mapping_ = read_mapping(*tensors.mapping, rows);
  if (tensors.weights != nullptr) {
    weights_.resize(static_cast<size_t>(tensors.num_tokens));
    read_floats(*tensors.weights, 0, tensors.num_tokens, weights_.data());
  }
  if (!settings_.is_model2vec || tokenizer == nullptr) return;
  unknown_ = tokenizer->unknown_id();
  characters_per_token_ = median_length(*tokenizer);
}

void StaticVectors::read(int32_t id, float* out) const {
  rows_.read(mapping_.empty() ? id : mapping_[static_cast<size_t>(id)], out);
  if (weights_.empty()) return;
  const float weight = weights_[static_cast<size_t>(id)];
  for (int64_t i = 0; i < size_; ++i) out[i] *= weight;
}

void StaticVectors::embed(const Kernels& kernels, const int32_t* ids, int64_t count, float* row, float* out) const {
  std::fill_n(out, size_, 0.0f);
  if (count == 0) return;
  if (weights_.empty()) rows_.add(kernels, ids, mapping_.empty() ? nullptr : mapping_.data(), count, out);
  constexpr int64_t kAskedAhead = 4;  // rows that come from memory while others are summed
  for (int64_t t = 0; t < count && !weights_.empty(); ++t) {
    if (t + kAskedAhead < count) {
      const int32_t next = ids[t + kAskedAhead];
      rows_.ask(mapping_.empty() ? next : mapping_[static_cast<size_t>(next)]);
    }
    read(ids[t], row);
    for (int64_t i = 0; i < size_; ++i) out[i] += row[i];
  }
  const auto divisor = static_cast<float>(count);
  for (int64_t i = 0; i < size_; ++i) out[i] /= divisor;
}

int64_t StaticVectors::num_parameters() const { return rows_.num_parameters() + static_cast<int64_t>(weights_.size()); }

int64_t StaticVectors::stored_bytes() const {
  return rows_.stored_bytes() +
         static_cast<int64_t>(weights_.size() * sizeof(float) + mapping_.size() * sizeof(int32_t));
}

void StaticVectors::add_stored(std::vector<TensorView>& tensors, std::vector<Memory>& memory) const {
  rows_.add_stored(kRows, tensors, memory);
  const auto add = [&](const char* name, DType dtype, const auto& values) {
    if (!values.empty()) tensors.push_back(view_of(name, dtype, {static_cast<int64_t>(values.size())}, values.data()));
  };
  add(kWeights, DType::kF32, weights_);
  add(kMapping, DType::kI32, mapping_);
}

}  // namespace lffn
