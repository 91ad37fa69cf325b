// SPDX-License-Identifier: Apache-2.0
// Rows by word, as they lie in a file, added to what a block has summed so far. Plain loops over a row's columns, each
// column on its own: a product and a sum, rounded one after the other, give the same bits on every instruction set.
#pragma once

#include <cstring>

#include "kernels/kernels.h"

namespace lffn {
namespace {

constexpr int64_t kRowPiece = 128;  // columns whose numbers are unpacked at a time

template <typename Number>
inline Number number_at(const uint8_t* row, int64_t c) {
  Number number;  // a file's numbers may begin anywhere
  std::memcpy(&number, row + c * static_cast<int64_t>(sizeof number), sizeof number);
  return number;
}

inline float float_of_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Adds the columns from `first` on to sums[0..count).
inline void add_row_f32(const uint8_t* row, int64_t first, int64_t count, float, float* __restrict sums) {
  for (int64_t c = 0; c < count; ++c) sums[c] += number_at<float>(row, first + c);
}
inline void add_row_bf16(const uint8_t* row, int64_t first, int64_t count, float, float* __restrict sums) {
  for (int64_t c = 0; c < count; ++c) {
    sums[c] += float_of_bits(static_cast<uint32_t>(number_at<uint16_t>(row, first + c)) << 16);
  }
}
// Files have only finite numbers.
inline void add_row_f16(const uint8_t* row, int64_t first, int64_t count, float, float* __restrict sums) {
  for (int64_t c = 0; c < count; ++c) {
    const uint32_t bits = number_at<uint16_t>(row, first + c);
    const uint32_t sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    const float small = static_cast<float>(static_cast<int32_t>(rest)) * 0x1p-24f;  // zero and denormals
    const float usual = float_of_bits((rest << 13) + (112u << 23));
    const float magnitude = rest < 0x400u ? small : usual;
    uint32_t of_magnitude;
    std::memcpy(&of_magnitude, &magnitude, sizeof of_magnitude);
    sums[c] += float_of_bits(of_magnitude | sign);
  }
}
inline void add_row_int8(const uint8_t* row, int64_t first, int64_t count, float scale, float* __restrict sums) {
  for (int64_t c = 0; c < count; ++c) {
    sums[c] += static_cast<float>(static_cast<int8_t>(row[first + c])) * scale;
  }
}
// Two columns a byte, the lower four bits first, each stored plus 8.
inline void add_row_int4(const uint8_t* row, int64_t first, int64_t count, float scale, float* __restrict sums) {
  alignas(64) uint16_t pairs[kRowPiece / 2];  // one byte for each column, stored so that later loads lie within a store
  const uint8_t* bytes = row + first / 2;
  for (int64_t b = 0; b < (count + 1) / 2; ++b) {
    const uint32_t both = bytes[b];
    pairs[b] = static_cast<uint16_t>((both & 15) | (both & 0xf0) << 4);
  }
  const auto* numbers = reinterpret_cast<const uint8_t*>(pairs);
  for (int64_t c = 0; c < count; ++c) sums[c] += static_cast<float>(static_cast<int32_t>(numbers[c]) - 8) * scale;
}

template <typename AddPiece>
inline void add_rows_of(const WordRowsPlan& plan, AddPiece&& add_piece) {
  // About this many bytes of rows are prefetched while the rows before them are added.
  constexpr int64_t kAheadBytes = 4096;
  const int64_t ahead = plan.asked ? plan.tokens : kAheadBytes / plan.row_bytes + 2;
  const auto row_at = [&](int64_t token) {
    const int64_t word = plan.ids[token];
    return plan.row_of_word == nullptr ? word : int64_t{plan.row_of_word[word]};
  };
  const auto ask = [&](int64_t token) {
    const uint8_t* row = plan.rows + row_at(token) * plan.row_bytes;
    for (int64_t byte = 0; byte < plan.row_bytes; byte += 64) __builtin_prefetch(row + byte);
    __builtin_prefetch(row + plan.row_bytes - 1);
    if (plan.scales != nullptr) __builtin_prefetch(plan.scales + row_at(token));
  };
  for (int64_t t = 0; t < ahead && t < plan.tokens && !plan.asked; ++t) ask(t);
  for (int64_t t = 0; t < plan.tokens; ++t) {
    if (t + ahead < plan.tokens) ask(t + ahead);
    const int64_t at = row_at(t);
    const uint8_t* row = plan.rows + at * plan.row_bytes;
    const float scale = plan.scales == nullptr ? 1.0f : plan.scales[at];
    float* sums = plan.out + t * plan.out_stride;
    int64_t c = 0;
    for (; c + kRowPiece <= plan.columns; c += kRowPiece) add_piece(row, c, kRowPiece, scale, sums + c);
    if (c < plan.columns) add_piece(row, c, plan.columns - c, scale, sums + c);
  }
}

void add_word_rows(const WordRowsPlan& plan) {
  switch (plan.kind) {
    case WordRowKind::kF32:
      return add_rows_of(plan, add_row_f32);
    case WordRowKind::kF16:
      return add_rows_of(plan, add_row_f16);
    case WordRowKind::kBf16:
      return add_rows_of(plan, add_row_bf16);
    case WordRowKind::kInt8:
      return add_rows_of(plan, add_row_int8);
    case WordRowKind::kInt4:
      return add_rows_of(plan, add_row_int4);
  }
}

}  // namespace
}  // namespace lffn
