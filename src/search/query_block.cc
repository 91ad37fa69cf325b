// SPDX-License-Identifier: Apache-2.0
#include "search/query_block.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/layout.h"

namespace lffn {
namespace {

// Four int8 in the order of their bytes, or two int16.
int32_t cell_of(const int8_t* numbers, int64_t count, int64_t cell_inputs) {
  int32_t cell = 0;
  if (cell_inputs == 4) {
    std::memcpy(&cell, numbers, static_cast<size_t>(count));
  } else {
    const auto widened = [](int8_t number) {
      return ((static_cast<uint32_t>(static_cast<uint8_t>(number)) ^ 0x80u) - 0x80u) & 0xffffu;
    };
    cell = static_cast<int32_t>(widened(numbers[0]) | (count > 1 ? widened(numbers[1]) << 16 : 0));
  }
  return cell;
}

}  // namespace

void find_lengths(const Kernels& kernels, const TopK& call, const uint8_t* const* rows, int64_t count, int64_t ahead,
                  float* lengths) {
  ScanPlan plan = {};
  plan.num_queries = 1;
  plan.rows = rows;
  plan.num_rows = count;
  plan.size = call.size;
  plan.ahead = ahead;
  plan.sums = reinterpret_cast<uint8_t*>(lengths);
  const bool whole = call.kind == VectorKind::kInt8;
  (whole ? kernels.scan_int8 : kernels.scan_f32)(plan);
  for (int64_t i = 0; i < count; ++i) {
    int32_t sum;
    std::memcpy(&sum, lengths + i, sizeof sum);
    const float squares = whole ? static_cast<float>(sum) : lengths[i];
    lengths[i] = squares == 0 ? std::numeric_limits<float>::infinity() : std::sqrt(squares);
  }
}

QueryBlock::QueryBlock(const Kernels& kernels, const TopK& call, int64_t most, bool may_be_many)
    : kernels_(kernels),
      call_(call),
      may_be_many_(may_be_many),
      bytes_(vector_bytes(call.kind, call.size)),
      stride_(round_up(bytes_, kScanBytes)),
      cells_((call.size + kernels.hash_cell_inputs - 1) / kernels.hash_cell_inputs) {
  const auto lanes = static_cast<size_t>(round_up(most, kQueryGroup));
  const auto in_lanes = static_cast<size_t>(4 * cells_), in_rows = static_cast<size_t>(stride_);
  numbers_ = Memory(checked_product(lanes, may_be_many ? std::max(in_lanes, in_rows) : in_rows));
  corrections_ = Memory(lanes * sizeof(int32_t));
  factors_ = Memory(lanes * sizeof(float));
  if (!may_be_many) return;
  sums_ = Memory(lanes * sizeof(int32_t));
  const int64_t room = kManyRows * many_cells(call.size, kernels.hash_cell_inputs) * 4;
  zeros_ = Memory(static_cast<size_t>(round_up(call.size, kScanBytes) + room));
  std::fill_n(zeros_.as<uint8_t>(), zeros_.size(), uint8_t{0});
}

void QueryBlock::find_factors() {
  const VectorBlock& queries = call_.queries;
  float* const factors = factors_.as<float>();
  std::fill_n(factors, round_up(count_, kQueryGroup), call_.measure == Measure::kHamming ? -1.0f : queries.scale);
  if (call_.measure == Measure::kCosine) {
    const uint8_t* rows[kPanel];
    for (int64_t q = 0; q < count_; q += kPanel) {
      const int64_t some = std::min(kPanel, count_ - q);
      for (int64_t i = 0; i < some; ++i) rows[i] = queries.data + (first_ + q + i) * queries.stride;
      find_lengths(kernels_, call_, rows, some, 0, factors + q);
    }
  } else if (queries.scales != nullptr) {
    std::copy_n(queries.scales + first_, count_, factors);
  }
}

void QueryBlock::take(int64_t first, int64_t count) {
  first_ = first;
  count_ = count;
  is_many_ = may_be_many_ && count >= kFewQueries;
  find_factors();
  if (is_many_) return lay_lanes();
  for (int64_t q = 0; q < count; ++q) {
    uint8_t* const to = numbers_.as<uint8_t>() + q * stride_;
    std::copy_n(call_.queries.data + (first + q) * call_.queries.stride, bytes_, to);
    std::fill(to + bytes_, to + stride_, uint8_t{0});
  }
}

void QueryBlock::lay_lanes() {
  const int64_t lanes = round_up(count_, kQueryGroup), inputs = kernels_.hash_cell_inputs;
  std::fill_n(numbers_.as<int32_t>(), lanes * cells_, 0);
  std::fill_n(corrections_.as<int32_t>(), lanes, 0);
  for (int64_t q = 0; q < count_; ++q) {
    const auto* const from = reinterpret_cast<const int8_t*>(call_.queries.data + (first_ + q) * call_.queries.stride);
    const int64_t group = q / kQueryGroup * kQueryGroup;
    int32_t* const to = numbers_.as<int32_t>() + group * cells_ + (q - group);
    for (int64_t cell = 0; cell < cells_; ++cell) {
      const int64_t at = cell * inputs;
      to[cell * kQueryGroup] = cell_of(from + at, std::min(inputs, call_.size - at), inputs);
    }
  }
  // The sums of a row of zeros are what raising adds to the sums of every row.
  const auto* const row = static_cast<const uint8_t*>(zeros_.data());
  ManyPlan plan = {};
  tell(0, plan);
  plan.num_queries = lanes;
  plan.rows = &row;
  plan.num_rows = 1;
  plan.size = call_.size;
  plan.room = zeros_.as<int32_t>() + round_up(call_.size, kScanBytes) / 4;
  plan.sums = sums_.as<int32_t>();
  plan.stride = lanes;
  kernels_.multiply_many(plan);
  std::copy_n(plan.sums, lanes, corrections_.as<int32_t>());
}

void QueryBlock::tell(int64_t query, ScanPlan& plan) const {
  plan.queries = numbers_.as<uint8_t>() + query * stride_;
  plan.query_stride = stride_;
}

void QueryBlock::tell(int64_t query, ManyPlan& plan) const {
  plan.queries = numbers_.as<int32_t>() + query * cells_;
  plan.corrections = corrections_.as<int32_t>() + query;
}

}  // namespace lffn
