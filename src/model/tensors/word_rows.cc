// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/word_rows.h"

#include <algorithm>
#include <cstring>

#include "format/tensor_numbers.h"

namespace lffn {
namespace {

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

// How rows are kept: in the type that is wanted, or in that of the file.
DType kept_as(DType stored, int32_t wanted) {
  switch (wanted) {
    case LFFN_DTYPE_F32:
      return DType::kF32;
    case LFFN_DTYPE_BF16:
      return DType::kBF16;
    case LFFN_DTYPE_INT8:
      return DType::kI8;
    case LFFN_DTYPE_INT4:
      return DType::kU8;
    default:
      return stored;
  }
}

bool has_scales(DType dtype) { return dtype == DType::kI8 || dtype == DType::kU8; }

int64_t bytes_of_row(DType dtype, int64_t size) {
  return dtype == DType::kU8 ? (size + 1) / 2 : size * static_cast<int64_t>(dtype_size(dtype));
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

size_t WordRows::bytes_for(const WordRowTensors& tensors, int32_t dtype) {
  const DType kept = kept_as(tensors.rows->dtype, dtype);
  const auto rows = static_cast<size_t>(tensors.rows->shape[0]);
  const size_t scales = has_scales(kept) ? checked_product(rows, sizeof(float)) : 0;
  if (kept == tensors.rows->dtype && tensors.rows->can_map()) return scales;
  return scales + checked_product(rows, static_cast<size_t>(bytes_of_row(kept, tensors.size)));
}

WordRows::WordRows(const WordRowTensors& tensors, int32_t dtype)
    : num_rows_(tensors.rows->shape[0]), size_(tensors.size), dtype_(kept_as(tensors.rows->dtype, dtype)) {
  row_bytes_ = bytes_of_row(dtype_, size_);
  if (dtype_ != tensors.rows->dtype) {
    convert(tensors);
    return;
  }
  mapped_ = tensors.rows->map();
  if (mapped_ == nullptr) read_ = read_all(*tensors.rows);
  if (tensors.scales != nullptr) scales_ = read_all(*tensors.scales);
}

void WordRows::convert(const WordRowTensors& tensors) {
  read_ = Memory(checked_product(static_cast<size_t>(num_rows_), static_cast<size_t>(row_bytes_)));
  if (has_scales(dtype_)) scales_ = Memory(checked_product(static_cast<size_t>(num_rows_), sizeof(float)));
  std::vector<float> floats(static_cast<size_t>(size_));
  std::vector<int8_t> numbers(static_cast<size_t>(size_));
  for (int64_t row = 0; row < num_rows_; ++row) {
    read_row(*tensors.rows, tensors.scales, row, size_, floats.data());
    uint8_t* to = read_.as<uint8_t>() + row * row_bytes_;
    if (dtype_ == DType::kF32) {
      std::memcpy(to, floats.data(), static_cast<size_t>(row_bytes_));
    } else if (dtype_ == DType::kBF16) {
      std::transform(floats.begin(), floats.end(), reinterpret_cast<uint16_t*>(to), bf16_from_float);
    } else {
      const bool int4 = dtype_ == DType::kU8;
      scales_.as<float>()[row] = quantise_row(floats.data(), size_, numbers.data(), int4 ? kMostInt4 : 127);
      if (int4) {
        pack_int4(numbers.data(), size_, to);
      } else {
        std::memcpy(to, numbers.data(), static_cast<size_t>(size_));
      }
    }
  }
}

int32_t WordRows::dtype() const {
  switch (dtype_) {
    case DType::kF16:
      return LFFN_DTYPE_F16;
    case DType::kBF16:
      return LFFN_DTYPE_BF16;
    case DType::kI8:
      return LFFN_DTYPE_INT8;
    case DType::kU8:
      return LFFN_DTYPE_INT4;
    default:
      return LFFN_DTYPE_F32;
  }
}

void WordRows::add(const Kernels& kernels, const int32_t* ids, const RowNumbers& row_of_word, int64_t tokens,
                   const Rows& out, bool asked) const {
  WordRowsPlan plan = {};
  plan.kind = kind_of(dtype_);
  plan.rows = rows();
  plan.row_bytes = row_bytes_;
  plan.scales = scales_.as<float>();
  plan.columns = size_;
  plan.ids = ids;
  plan.row_of_word = row_of_word.data();
  plan.tokens = tokens;
  plan.asked = asked;
  plan.out = out.data;
  plan.out_stride = out.stride;
  kernels.add_word_rows(plan);
}

void WordRows::ask(const int32_t* ids, const RowNumbers& row_of_word, int64_t tokens) const {
  constexpr int64_t kLine = 64;
  const uint8_t* first = rows();
  const float* scales = scales_.as<float>();
  const int32_t* row_numbers = row_of_word.data();
  for (int64_t t = 0; t < tokens; ++t) {
    const int64_t number = row_numbers == nullptr ? ids[t] : row_numbers[ids[t]];
    const uint8_t* row = first + number * row_bytes_;
    for (int64_t byte = 0; byte < row_bytes_; byte += kLine) __builtin_prefetch(row + byte);
    __builtin_prefetch(row + row_bytes_ - 1);
    if (scales != nullptr) __builtin_prefetch(scales + number);
  }
}

void WordRows::add_stored(const std::string& name, std::vector<TensorView>& tensors) const {
  tensors.push_back(view_of(name, dtype_, {num_rows_, row_bytes_ / static_cast<int64_t>(dtype_size(dtype_))}, rows()));
  if (scales_.size() > 0) tensors.push_back(view_of(name + ".scale", DType::kF32, {num_rows_}, scales_.data()));
}

}  // namespace lffn
