// SPDX-License-Identifier: Apache-2.0
// Reads the numbers of a tensor, whatever their stored type: as float32, or as int8 with a scale for each row.
#pragma once

#include <cstdint>
#include <vector>

#include "format/safetensors.h"
#include "lookupffn/base.h"

namespace lffn {

// The product of a shape.
int64_t count_of(const std::vector<int64_t>& shape);

// Fails unless the tensor has exactly this shape, one of these types and finite values.
void check_tensor(const TensorView& tensor, const std::vector<int64_t>& shape, const std::vector<DType>& dtypes,
                  lffn_status status);

// The LFFN_ element type in which a tensor's numbers are held: the wanted one, or for LFFN_DTYPE_AS_STORED the stored
// one (float32 for F16).
int32_t held_as(DType stored, int32_t wanted);

// `count` elements from element `first` of a float tensor, as float32.
void read_floats(const TensorView& tensor, int64_t first, int64_t count, float* out);

// A row of `size` numbers as float32, whatever their stored type. Numbers of int8, and of four bits in U8, are
// multiplied by their row's scale; other types have no scales. Always finite.
void read_row(const TensorView& tensor, const TensorView* scales, int64_t row, int64_t size, float* out);

// Rounds each number to the nearest of 255 values: -127 to 127 times the scale that is returned. Or of fewer, -most to
// most times the scale.
float quantise_row(const float* values, int64_t size, int8_t* out, int32_t most = 127);

// Numbers of four bits, two a byte: -8 to 7 plus 8, the first in the lower bits. `out` has (size + 1) / 2 bytes.
constexpr int32_t kMostInt4 = 7;  // as far from 0 as rounding goes, on both sides
void pack_int4(const int8_t* numbers, int64_t size, uint8_t* out);

// A row as int8; returns its scale. Numbers that are int8 in the tensor stay as they are, so that saving and loading
// change nothing. `floats` has room for the row.
float read_int8_row(const TensorView& tensor, const TensorView* scales, int64_t row, int64_t size, float* floats,
                    int8_t* out);

float float_from_bf16(uint16_t bits);
uint16_t bf16_from_float(float value);  // to nearest, ties to even

}  // namespace lffn
