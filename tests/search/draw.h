// SPDX-License-Identifier: Apache-2.0
// Searches of drawn shapes.
#pragma once

#include "tests/search/problem.h"

namespace search_tests {

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  int64_t number(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }
  bool chance(int in) { return number(1, in) == 1; }
  float real() { return std::uniform_real_distribution<float>(-1, 1)(random_); }

  Problem problem() {
    Problem made;
    constexpr int32_t kKinds[] = {LFFN_VECTORS_F32, LFFN_VECTORS_INT8, LFFN_VECTORS_BITS};
    made.kind = kKinds[number(0, 2)];
    made.measure = made.kind == LFFN_VECTORS_BITS ? LFFN_MEASURE_HAMMING
                   : chance(3)                    ? LFFN_MEASURE_COSINE
                                                  : LFFN_MEASURE_DOT;
    made.size = chance(20) ? number(1000, 9000) : chance(4) ? 16 * number(1, 40) : number(1, 300);
    const int64_t numbers = made.size > 600 ? 40 : 400;
    made.n_vectors = number(0, numbers);
    made.n_queries = chance(3) ? 1 : number(0, chance(8) ? 300 : 24);
    if (made.n_queries > 24 || made.size > 600) made.n_vectors = std::min<int64_t>(made.n_vectors, 120);
    made.k = chance(4) ? number(1, made.n_vectors + 5) : number(1, 12);
    if (chance(3)) made.query_stride = made.vector_bytes() + number(0, 70);
    if (chance(3)) made.vector_stride = made.vector_bytes() + number(0, 70);
    made.make_room();
    fill(made.queries, made.kind, made.n_queries, made);
    fill(made.vectors, made.kind, made.n_vectors, made);
    if (made.kind == LFFN_VECTORS_INT8) {
      scales(made.query_scales, made.query_scale, made.n_queries);
      scales(made.vector_scales, made.vector_scale, made.n_vectors);
    }
    choose(made);
    return made;
  }

 private:
  void fill(const Guarded& memory, int32_t kind, int64_t count, const Problem& made) {
    // Few values make many equal scores.
    const bool coarse = chance(3);
    for (int64_t i = 0; i < count; ++i) {
      uint8_t* const row = &memory == &made.queries ? made.query(i) : made.vector(i);
      if (kind == LFFN_VECTORS_F32) {
        for (int64_t at = 0; at < made.size; ++at) {
          const float value = coarse ? static_cast<float>(number(-1, 1)) : real();
          std::memcpy(row + 4 * at, &value, sizeof value);
        }
      } else {
        const bool small = coarse && kind == LFFN_VECTORS_INT8;
        for (int64_t at = 0; at < made.vector_bytes(); ++at) {
          row[at] = static_cast<uint8_t>(small ? number(-1, 1) : number(0, 255));
        }
      }
      if (chance(30)) std::memset(row, 0, static_cast<size_t>(made.vector_bytes()));
    }
  }
  void scales(std::vector<float>& each, float& all, int64_t count) {
    if (chance(3)) {
      all = real();
    } else if (chance(2)) {
      for (int64_t i = 0; i < count; ++i) each.push_back(real());
    }
  }
  void choose(Problem& made) {
    if (chance(3)) {
      for (int64_t v = 0; v < made.n_vectors; ++v) made.ids.push_back(3 * v - 50);
      std::shuffle(made.ids.begin(), made.ids.end(), random_);
    } else if (chance(2)) {
      made.first_id = number(-1000, 1000000000000);
    }
    if (chance(4)) {
      const int64_t in = number(1, 20);
      made.taking_part.resize(static_cast<size_t>((made.n_vectors + 7) / 8));
      for (uint8_t& byte : made.taking_part) {
        for (int bit = 0; bit < 8; ++bit) byte = static_cast<uint8_t>(byte | (number(1, in) == 1 ? 1 << bit : 0));
      }
    }
    if (!chance(3)) return;
    made.has_candidates = true;
    const bool own = chance(2) && made.n_queries > 0;
    if (own) made.candidate_offsets.push_back(number(0, 3));
    made.candidates.resize(own ? static_cast<size_t>(made.candidate_offsets[0]) : 0);
    std::vector<int64_t> all;
    for (int64_t v = 0; v < made.n_vectors; ++v) all.push_back(v);
    if (all.empty()) {
      made.candidates.clear();
      made.candidate_offsets.assign(own ? static_cast<size_t>(made.n_queries) + 1 : 0, 0);
      return;
    }
    for (int64_t q = 0; q < (own ? made.n_queries : 1); ++q) {
      std::shuffle(all.begin(), all.end(), random_);
      const int64_t count = number(0, static_cast<int64_t>(all.size()));
      made.candidates.insert(made.candidates.end(), all.begin(), all.begin() + count);
      if (own) made.candidate_offsets.push_back(static_cast<int64_t>(made.candidates.size()));
    }
  }

  std::mt19937 random_;
};

}  // namespace search_tests
