// SPDX-License-Identifier: Apache-2.0
// Vectors as they lie in BLOBs, in the layout that sqlite-vec reads, and how alike two vectors are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lffn::sql {

enum class Form {
  kFloats,  // float32, little endian
  kBytes,   // int8
  kBits     // the first number is the lowest bit of its byte
};

// Bytes of a vector of so many numbers.
size_t bytes_of(Form form, int64_t numbers);

// The cosine of two vectors of `bytes` bytes each; bits count as numbers that are 1 or -1. It is 0 if a vector is all
// zeros, NaN if a vector has a NaN. The result is the same to the bit on each instruction set with fused multiply-add.
double similarity(const void* a, const void* b, size_t bytes, Form form);

// Compares many vectors with one, whose length is computed once. The results have the same bits as similarity(one,
// other).
class Similarity {
 public:
  // `one` must outlive the object.
  Similarity(const void* one, size_t bytes, Form form);
  double to(const void* other) const;

 private:
  const void* one_;
  size_t bytes_;
  Form form_;
  double length_ = 0;  // of numbers, not of bits
};

uint8_t reversed_bits(uint8_t byte);

}  // namespace lffn::sql
