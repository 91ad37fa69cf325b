// SPDX-License-Identifier: Apache-2.0
// Embeddings in other forms than a model gives them.
#pragma once

#include <cstdint>

namespace lffn {

// To length 1, unless it is 0.
void scale_to_one(float* values, int64_t size);

// Where embeddings go in other forms than the model gives them: windows' mean, fewer dimensions, bytes, bits. What is
// nullptr is left out.
struct EmbeddingForms {
  int64_t rows = 0;                      // texts, or sequences
  const int64_t* row_offsets = nullptr;  // [rows + 1] of which embeddings each row is the mean; nullptr: of its own
  int64_t size = 0;                      // numbers of an embedding
  int64_t dimensions = 0;                // of these the first so many
  bool scales = false;                   // to length 1
  float* floats = nullptr;               // [rows][dimensions]
  int8_t* bytes = nullptr;               // likewise
  float* byte_scales = nullptr;          // [rows]
  uint8_t* bits = nullptr;               // [rows][bit_bytes(dimensions)], the first number's bit the highest
  int8_t* token_bytes = nullptr;         // of token vectors, as these
  float* token_scales = nullptr;         // of each of them
};

inline int64_t bit_bytes(int64_t numbers) { return (numbers + 7) / 8; }

// `row` has room for one embedding. Throws Error(LFFN_ERROR_CANCELLED).
void make_forms(const float* embeddings, const EmbeddingForms& forms, float* row, const int32_t* cancel);

// Bytes of some vectors, with a scale for each. Throws Error(LFFN_ERROR_CANCELLED).
void make_bytes_of_rows(const float* vectors, int64_t rows, int64_t size, int8_t* to, float* scales,
                        const int32_t* cancel);

}  // namespace lffn
