// SPDX-License-Identifier: Apache-2.0
#include "model/word_rows.h"

#include <algorithm>

namespace lffn {
namespace {

constexpr int64_t kTokensPerItem = 64;

WordRowKind kind_of(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return WordRowKind::kF16;
    case DType::kBF16:
      return WordRowKind::kBf16;
    case DType::kI8:
      return WordRowKind::kInt8;
    case DType::kU8:
      return WordRowKind::kInt4;
    default:
      return WordRowKind::kF32;
  }
}

Memory read_all(const TensorView& tensor) {
  Memory memory(tensor.size);
  tensor.read(0, tensor.size, memory.data());
  return memory;
}

}  // namespace

RowNumbers::RowNumbers(const TensorView& tensor) : values_(read_all(tensor)) {}

void RowNumbers::add_stored(const std::string& name, std::vector<TensorView>& tensors) const {
  tensors.push_back(
      view_of(name, DType::kI32, {static_cast<int64_t>(values_.size() / sizeof(int32_t))}, values_.data()));
}

size_t WordRows::bytes_for(const WordRowTensors& tensors) {
  const size_t scales = tensors.scales == nullptr ? 0 : tensors.scales->size;
  return scales + (tensors.rows->can_map() ? 0 : tensors.rows->size);
}

WordRows::WordRows(const WordRowTensors& tensors)
    : num_rows_(tensors.rows->shape[0]),
      size_(tensors.size),
      row_bytes_(tensors.rows->shape[1] * static_cast<int64_t>(dtype_size(tensors.rows->dtype))),
      dtype_(tensors.rows->dtype) {
  mapped_ = tensors.rows->map();
  if (mapped_ == nullptr) read_ = read_all(*tensors.rows);
  if (tensors.scales != nullptr) scales_ = read_all(*tensors.scales);
}

void WordRows::add(const Workers& workers, const int32_t* ids, const RowNumbers& row_of_word, int64_t tokens,
                   const Rows& out) const {
  const double flop = 8.0 * static_cast<double>(tokens * size_);
  workers.run((tokens + kTokensPerItem - 1) / kTokensPerItem, workers.threads_for(flop), [&](int64_t item, int32_t) {
    const int64_t first = item * kTokensPerItem;
    WordRowsPlan plan = {};
    plan.kind = kind_of(dtype_);
    plan.rows = rows();
    plan.row_bytes = row_bytes_;
    plan.scales = scales_.as<float>();
    plan.columns = size_;
    plan.ids = ids + first;
    plan.row_of_word = row_of_word.data();
    plan.tokens = std::min(kTokensPerItem, tokens - first);
    plan.out = out.row(first);
    plan.out_stride = out.stride;
    workers.kernels.add_word_rows(plan);
  });
}

void WordRows::add_stored(const std::string& name, std::vector<TensorView>& tensors) const {
  tensors.push_back(view_of(name, dtype_, {num_rows_, row_bytes_ / static_cast<int64_t>(dtype_size(dtype_))}, rows()));
  if (scales_.size() > 0) tensors.push_back(view_of(name + ".scale", DType::kF32, {num_rows_}, scales_.data()));
}

}  // namespace lffn
