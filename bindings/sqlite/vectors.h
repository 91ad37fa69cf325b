// SPDX-License-Identifier: Apache-2.0
// Vectors as BLOBs have them, in the order that sqlite-vec reads, and how alike two are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lffn::sql {

enum class Form {
  kFloats,  // float32, little endian
  kBytes,   // int8
  kBits     // the first one the lowest of its byte
};

// Bytes of a vector of so many numbers.
size_t bytes_of(Form form, int64_t numbers);

// The cosine, of bits as of numbers that are 1 or -1: 0 where one has no direction, NaN where one has NaN. `bytes` are
// those of each. The bits are the same on each instruction set with fused multiply-add.
double similarity(const void* a, const void* b, size_t bytes, Form form);

// Many vectors beside one, whose length is found once: the bits of similarity(one, other).
class Similarity {
 public:
  // `one` stays where it is.
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
