// SPDX-License-Identifier: Apache-2.0
// The k nearest vectors of each query, found by comparing it with all.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/kernels.h"

namespace lffn {

enum class VectorKind { kF32, kInt8, kBits };
enum class Measure { kDot, kCosine, kHamming };

constexpr int64_t kMostNumbers = 65536;  // so that sums of int8 products fit int32

// Vectors that begin anywhere, `stride` bytes apart.
struct VectorBlock {
  const uint8_t* data = nullptr;
  int64_t stride = 0;
  int64_t count = 0;
  const float* scales = nullptr;  // [count]; nullptr: `scale` for all
  float scale = 1;
};

// The lists of several queries, each with k places.
struct FoundLists {
  int64_t* counts = nullptr;
  int64_t* ids = nullptr;
  float* scores = nullptr;
};

struct TopK {
  VectorKind kind;
  Measure measure;
  int64_t size;  // numbers
  VectorBlock queries, vectors;
  const int64_t* ids = nullptr;  // of the vectors; nullptr: from first_id on
  int64_t first_id = 0;
  const uint8_t* taking_part = nullptr;        // bits
  bool has_candidates = false;                 // else all vectors
  const int64_t* candidates = nullptr;         // numbers of vectors, in range
  const int64_t* candidate_offsets = nullptr;  // rising
  int64_t num_candidates = 0;                  // without offsets
  int64_t k;
  FoundLists start;  // nullptr: nothing
  FoundLists out;    // counts may be nullptr
  std::function<void(int64_t done, int64_t all)> progress;
};

// How the call runs.
struct SearchWorkers {
  const Kernels& kernels;
  int32_t threads;
  const int32_t* cancel;
};

// Bytes of one vector.
constexpr int64_t vector_bytes(VectorKind kind, int64_t size) {
  return kind == VectorKind::kF32 ? 4 * size : kind == VectorKind::kInt8 ? size : (size + 7) / 8;
}

// Writes nothing before it has all memory. Throws Error(LFFN_ERROR_CANCELLED).
void find_top_k(const SearchWorkers& workers, const TopK& call);

}  // namespace lffn
