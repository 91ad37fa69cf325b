// SPDX-License-Identifier: Apache-2.0
// Rows of bits with a few queries: how many bits differ.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear/two_vectors.h"
#include "kernels/search/search_plans.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

#if defined(__AVX512VPOPCNTDQ__)

// Eight rows at once, each in order: a row of 384 bits is less than one vector.
inline void scan_bits(const ScanPlan& plan) {
  constexpr int kRows = 8;
  constexpr int64_t kStep = 64;
  const int64_t whole = (plan.size - 1) / kStep * kStep, rest = plan.size - whole;
  uint8_t counted[kStep] = {};
  for (int64_t i = 0; i < rest; ++i) counted[i] = i < rest - 1 ? 255 : plan.last;
  const I32 mask = I32::load(reinterpret_cast<const int32_t*>(counted));
  for (int64_t q = 0; q < plan.num_queries; ++q) {
    const uint8_t* const query = plan.queries + q * plan.query_stride;
    const I32 last = load_bytes(query + whole, rest);
    int32_t* const to = reinterpret_cast<int32_t*>(plan.sums) + q * plan.stride;
    for (int64_t first = 0; first < plan.num_rows; first += kRows) {
      const int64_t most = plan.num_rows - first - 1;
      I32 counts[kRows];
      unroll<kRows>([&](auto r) LFFN_INLINE {
        const uint8_t* const row = plan.rows[first + (r < most ? r : most)];
        // The processor does not prefetch by itself for loads of a part of a vector.
        __builtin_prefetch(row + whole + plan.ahead);
        I32 count = count_in_eights((load_bytes(row + whole, rest) ^ last) & mask);
        for (int64_t at = 0; at < whole; at += kStep) {
          __builtin_prefetch(row + at + plan.ahead);
          const I32 mine = I32::load(reinterpret_cast<const int32_t*>(row + at));
          count = count + count_in_eights(mine ^ I32::load(reinterpret_cast<const int32_t*>(query + at)));
        }
        counts[r] = count;
      });
      add_up_eights(counts, to + first);
    }
  }
}

#else

// Rows of kWords whole words: so few that the query's stay in registers, or in the nearest cache.
template <int kWords>
inline void scan_words(const ScanPlan& plan) {
  for (int64_t q = 0; q < plan.num_queries; ++q) {
    uint64_t query[kWords];
    __builtin_memcpy(query, plan.queries + q * plan.query_stride, sizeof query);
    int32_t* const to = reinterpret_cast<int32_t*>(plan.sums) + q * plan.stride;
    for (int64_t r = 0; r < plan.num_rows; ++r) {
      const uint8_t* const row = plan.rows[r];
      for (int64_t at = 0; at < static_cast<int64_t>(sizeof query); at += 64) __builtin_prefetch(row + at + plan.ahead);
      int64_t counts[2] = {};
      unroll<kWords>([&](auto i) LFFN_INLINE {
        uint64_t word;
        __builtin_memcpy(&word, row + 8 * i, sizeof word);
        counts[i % 2] += count_bits(word ^ query[i]);
      });
      to[r] = static_cast<int32_t>(counts[0] + counts[1]);
    }
  }
}

// The last bytes of a row, up to eight, as one number, the last byte highest; bytes that the row lacks are zeros.
inline uint64_t last_bytes(const uint8_t* row, int64_t size) {
  uint64_t word = 0;
  if (size >= 8) {
    __builtin_memcpy(&word, row + size - 8, sizeof word);
    return word;
  }
  for (int64_t i = 0; i < size; ++i) word |= static_cast<uint64_t>(row[i]) << (8 * (8 - size + i));
  return word;
}

inline void scan_bits(const ScanPlan& plan) {
  if (plan.size % 8 == 0 && plan.last == 0xff) {
    switch (plan.size / 8) {  // embeddings of 256 to 1,024 numbers
      case 4:
        return scan_words<4>(plan);
      case 6:
        return scan_words<6>(plan);
      case 8:
        return scan_words<8>(plan);
      case 12:
        return scan_words<12>(plan);
      case 16:
        return scan_words<16>(plan);
      default:
        break;
    }
  }
  // The mask has those of the last bytes that no word before has.
  const int64_t words = (plan.size - 1) / 8, rest = plan.size - 8 * words;
  const uint64_t mask = (static_cast<uint64_t>(plan.last) << 56 | 0x00ffffffffffffffu) >> (64 - 8 * rest)
                                                                                              << (64 - 8 * rest);
  for (int64_t q = 0; q < plan.num_queries; ++q) {
    const uint8_t* const query = plan.queries + q * plan.query_stride;
    const uint64_t last = last_bytes(query, plan.size);
    int32_t* const to = reinterpret_cast<int32_t*>(plan.sums) + q * plan.stride;
    for (int64_t r = 0; r < plan.num_rows; ++r) {
      const uint8_t* const row = plan.rows[r];
      const int64_t count = count_bits((last_bytes(row, plan.size) ^ last) & mask);
      to[r] = static_cast<int32_t>(count + different_bits(query, row, 8 * words));
    }
  }
}

#endif

}  // namespace
}  // namespace lffn
