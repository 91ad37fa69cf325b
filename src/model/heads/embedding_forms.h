// SPDX-License-Identifier: Apache-2.0
// Embeddings in other forms than a model gives them.
#pragma once

#include <cstdint>

namespace lffn {

// Scales a vector to length 1, unless its length is 0.
void scale_to_one(float* values, int64_t size);

// Where embeddings go in other forms: the mean of windows, fewer dimensions, bytes, bits. Forms that are nullptr are
// left out.
struct EmbeddingForms {
  int64_t rows = 0;                      // texts, or sequences
  const int64_t* row_offsets = nullptr;  // [rows + 1] a row is the mean of these embeddings; nullptr: one for each row
  int64_t size = 0;                      // numbers of an embedding
  int64_t dimensions = 0;                // how many of them are kept, from the first on
  bool scales = false;                   // to length 1
  float* floats = nullptr;               // [rows][dimensions]
  int8_t* bytes = nullptr;               // likewise
  float* byte_scales = nullptr;          // [rows]
  uint8_t* bits = nullptr;               // [rows][bit_bytes(dimensions)], the first number's bit the highest
  int8_t* token_bytes = nullptr;         // of token vectors
  float* token_scales = nullptr;         // of each token vector
};

inline int64_t bit_bytes(int64_t numbers) { return (numbers + 7) / 8; }

// `row` has room for one embedding. Throws Error(LFFN_ERROR_CANCELLED).
void make_forms(const float* embeddings, const EmbeddingForms& forms, float* row, const int32_t* cancel);

// Bytes of some vectors, with a scale for each. Throws Error(LFFN_ERROR_CANCELLED).
void make_bytes_of_rows(const float* vectors, int64_t rows, int64_t size, int8_t* to, float* scales,
                        const int32_t* cancel);

}  // namespace lffn
