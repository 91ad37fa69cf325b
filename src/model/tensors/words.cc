// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/words.h"

#include <algorithm>
#include <cstring>

#include "format/tensor_numbers.h"
#include "model/tensors/linear.h"

namespace lffn {
namespace {

// About 50 microseconds of work.
constexpr int64_t kProductsPerItem = 4 << 20;

}  // namespace

size_t WordMatrix::bytes_for(int64_t words, int64_t size, int32_t dtype) {
  const size_t padded = static_cast<size_t>(round_up(words, kPanel));
  const size_t stride = static_cast<size_t>(round_up(size, dtype == LFFN_DTYPE_INT8 ? kWordStepInt8 : kPartialSums));
  const size_t element = dtype == LFFN_DTYPE_F32 ? 4 : dtype == LFFN_DTYPE_BF16 ? 2 : 1;
  const size_t scales = dtype == LFFN_DTYPE_INT8 ? checked_product(padded, 2 * sizeof(float)) : 0;
  return checked_product(checked_product(padded, stride), element) + scales;
}

WordMatrix::WordMatrix(const TensorView& words, const TensorView* scales, int32_t dtype)
    : num_words_(words.shape[0]), size_(words.shape[1]), dtype_(held_as(words.dtype, dtype)) {
  stride_ = round_up(size_, dtype_ == LFFN_DTYPE_INT8 ? kWordStepInt8 : kPartialSums);
  const size_t padded = static_cast<size_t>(round_up(num_words_, kPanel));
  words_ = Memory(checked_product(checked_product(padded, static_cast<size_t>(stride_)), element_size()));
  if (dtype_ == LFFN_DTYPE_INT8) {
    scales_ = Memory(checked_product(padded, sizeof(float)));
    sums_ = Memory(checked_product(padded, sizeof(int32_t)));
    std::memset(scales_.data(), 0, scales_.size());
    std::memset(sums_.data(), 0, sums_.size());
  }
  std::vector<float> floats(static_cast<size_t>(size_));
  std::vector<int8_t> integers(static_cast<size_t>(size_));
  const size_t size = static_cast<size_t>(size_), row_bytes = static_cast<size_t>(stride_) * element_size();
  for (int64_t w = 0; w < num_words_; ++w) {
    uint8_t* to = row(w);
    if (dtype_ != LFFN_DTYPE_INT8) read_row(words, scales, w, size_, floats.data());
    if (dtype_ == LFFN_DTYPE_F32) {
      std::memcpy(to, floats.data(), size * sizeof(float));
    } else if (dtype_ == LFFN_DTYPE_BF16) {
      std::transform(floats.begin(), floats.end(), reinterpret_cast<uint16_t*>(to), bf16_from_float);
    } else {
      scales_.as<float>()[w] = read_int8_row(words, scales, w, size_, floats.data(), integers.data());
      std::memcpy(to, integers.data(), size);
      for (size_t i = 0; i < size; ++i) sums_.as<int32_t>()[w] += integers[i];
    }
    std::memset(to + size * element_size(), 0, row_bytes - size * element_size());
  }
  std::memset(row(num_words_), 0, (padded - static_cast<size_t>(num_words_)) * row_bytes);
}

void WordMatrix::read(int64_t word, float* out) const {
  if (dtype_ == LFFN_DTYPE_F32) {
    std::memcpy(out, row(word), static_cast<size_t>(size_) * sizeof(float));
  } else if (dtype_ == LFFN_DTYPE_BF16) {
    const uint16_t* from = reinterpret_cast<const uint16_t*>(row(word));
    for (int64_t i = 0; i < size_; ++i) out[i] = float_from_bf16(from[i]);
  } else {
    const int8_t* from = reinterpret_cast<const int8_t*>(row(word));
    const float scale = scales_.as<float>()[word];
    for (int64_t i = 0; i < size_; ++i) out[i] = static_cast<float>(from[i]) * scale;
  }
}

void WordMatrix::add(const Kernels& kernels, const int32_t* ids, const int32_t* row_of_id, int64_t count,
                     float* out) const {
  WordRowsPlan plan = {};
  plan.kind = dtype_ == LFFN_DTYPE_F32    ? WordRowKind::kF32
              : dtype_ == LFFN_DTYPE_BF16 ? WordRowKind::kBf16
                                          : WordRowKind::kInt8;
  plan.rows = row(0);
  plan.row_bytes = stride_ * static_cast<int64_t>(element_size());
  plan.scales = dtype_ == LFFN_DTYPE_INT8 ? scales_.as<float>() : nullptr;
  plan.columns = size_;
  plan.ids = ids;
  plan.row_of_word = row_of_id;
  plan.tokens = count;
  plan.out = out;  // the same for each token, so that the rows add up
  kernels.add_word_rows(plan);
}

void WordMatrix::ask(int64_t word) const {
  constexpr size_t kLine = 64;
  const uint8_t* const from = row(word);
  const size_t size = static_cast<size_t>(size_) * element_size();
  for (size_t byte = 0; byte < size; byte += kLine) __builtin_prefetch(from + byte);
  if (dtype_ == LFFN_DTYPE_INT8) __builtin_prefetch(scales_.as<float>() + word);
}

// The stride of prepared rows, in units of four bytes.
int64_t WordMatrix::scratch_stride() const {
  return dtype_ == LFFN_DTYPE_INT8 ? kRowHeader + stride_ / 2 : stride_ + 16;
}

size_t WordMatrix::scratch_bytes(int64_t rows) const {
  return checked_product(static_cast<size_t>(rows), static_cast<size_t>(scratch_stride()) * sizeof(float));
}

namespace {

constexpr int64_t kMostPanels = 64;  // of words in an item
alignas(64) constexpr float kNoBias[kMostPanels * kPanel] = {};

}  // namespace

// Brings the rows into the form that the kernels read.
void WordMatrix::prepare(const Workers& workers, const Call& call) const {
  const int64_t stride = scratch_stride();
  if (dtype_ == LFFN_DTYPE_INT8) {
    workers.kernels.quantise_rows(call.in.data, call.in.stride, call.rows, size_,
                                  reinterpret_cast<int32_t*>(call.scratch), stride, RowBits::kWords);
    return;
  }
  for (int64_t r = 0; r < call.rows; ++r) {
    float* to = reinterpret_cast<float*>(call.scratch) + r * stride;
    std::fill(std::copy_n(call.in.row(r), size_, to), to + stride, 0.0f);
  }
}

void WordMatrix::score_some(const Workers& workers, const Call& call, int64_t first, int64_t count,
                            const Rows& out) const {
  WordsPlan plan = {};
  plan.kind = dtype_ == LFFN_DTYPE_F32 ? WordKind::kF32 : dtype_ == LFFN_DTYPE_BF16 ? WordKind::kBf16 : WordKind::kInt8;
  plan.words = row(first);
  plan.word_stride = stride_;
  plan.num_words = count;
  if (dtype_ == LFFN_DTYPE_INT8) {
    plan.word_scales = scales_.as<float>() + first;
    plan.word_sums = sums_.as<int32_t>() + first;
    plan.in_int8 = reinterpret_cast<const int32_t*>(call.scratch);
  } else {
    plan.in = reinterpret_cast<const float*>(call.scratch);
  }
  plan.bias = call.bias != nullptr ? call.bias + first : kNoBias;
  plan.in_stride = scratch_stride();
  plan.rows = call.rows;
  plan.out = out.data;
  plan.out_stride = out.stride;
  workers.kernels.score_words(plan);
}

int64_t WordMatrix::words_per_item(int64_t rows) const {
  const int64_t most = std::max<int64_t>(1, kProductsPerItem / (rows * size_ * kPanel));
  return std::min(most, kMostPanels) * kPanel;
}

int64_t WordMatrix::most_scores(int64_t most_rows) const {
  int64_t most = 0;
  for (int64_t rows = 1; rows <= most_rows; ++rows) most = std::max(most, rows * words_per_item(rows));
  return most;
}

void WordMatrix::score(const Workers& workers, const Call& call) const {
  if (call.rows == 0) return;
  prepare(workers, call);
  const int64_t words = words_per_item(call.rows);
  const double flop = 2.0 * static_cast<double>(call.rows) * static_cast<double>(num_parameters());
  workers.run((num_words_ + words - 1) / words, workers.threads_for(flop), [&](int64_t item, int32_t) {
    const int64_t first = item * words;
    score_some(workers, call, first, std::min(words, num_words_ - first), {call.out.data + first, call.out.stride});
  });
}

void WordMatrix::score(const Workers& workers, const Call& call, const Taker& take) const {
  if (call.rows == 0) return;
  prepare(workers, call);
  const int64_t words = words_per_item(call.rows);
  const double flop = 2.0 * static_cast<double>(call.rows) * static_cast<double>(num_parameters());
  workers.run((num_words_ + words - 1) / words, workers.threads_for(flop), [&](int64_t item, int32_t thread) {
    const int64_t first = item * words, count = std::min(words, num_words_ - first);
    const Rows scores = {call.out.row(thread), words};
    score_some(workers, call, first, count, scores);
    take(first, count, scores);
  });
}

int64_t WordMatrix::stored_bytes() const {
  return num_parameters() * static_cast<int64_t>(element_size()) + (dtype_ == LFFN_DTYPE_INT8 ? num_words_ * 4 : 0);
}

void WordMatrix::add_stored(const std::string& name, std::vector<TensorView>& tensors,
                            std::vector<Memory>& memory) const {
  const DType dtype = dtype_ == LFFN_DTYPE_F32 ? DType::kF32 : dtype_ == LFFN_DTYPE_BF16 ? DType::kBF16 : DType::kI8;
  const uint8_t* data = row(0);
  if (stride_ != size_) {
    const size_t row_bytes = static_cast<size_t>(size_) * element_size();
    memory.emplace_back(static_cast<size_t>(num_words_) * row_bytes);
    for (int64_t w = 0; w < num_words_; ++w) {
      std::memcpy(memory.back().as<uint8_t>() + static_cast<size_t>(w) * row_bytes, row(w), row_bytes);
    }
    data = memory.back().as<uint8_t>();
  }
  tensors.push_back(view_of(name + ".weight", dtype, {num_words_, size_}, data));
  if (dtype_ == LFFN_DTYPE_INT8) {
    tensors.push_back(view_of(name + ".weight.scale", DType::kF32, {num_words_}, scales_.as<float>()));
  }
}

}  // namespace lffn
