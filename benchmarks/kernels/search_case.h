// SPDX-License-Identifier: Apache-2.0
// Searches that are measured: the vectors, a call of lffn_top_k, and the time.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "lookupffn/lookupffn.h"

namespace search_case {

// Of one thread its CPU time, so that other programs count less.
inline double seconds(int32_t threads) {
  timespec now;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + static_cast<int64_t>(numbers.size() / 2), numbers.end());
  return numbers[numbers.size() / 2];
}

struct Form {
  const char* name;
  int32_t kind, measure;
  int64_t bytes;    // of a vector
  int64_t vectors;  // so many that no cache holds them
};

constexpr int64_t kNumbers = 384;
constexpr int64_t kPlaces = 10;

class Search {
 public:
  Search(const Form& form, const uint8_t* vectors, int64_t n_vectors, int64_t n_queries, int32_t threads)
      : ids_(static_cast<size_t>(n_queries * kPlaces)), scores_(ids_.size()) {
    lffn_top_k_args_init(&args_);
    args_.kind = form.kind;
    args_.measure = form.measure;
    args_.size = kNumbers;
    args_.queries = vectors + 1000 * form.bytes;
    args_.n_queries = n_queries;
    args_.vectors = vectors;
    args_.n_vectors = n_vectors;
    args_.k = kPlaces;
    args_.ids = ids_.data();
    args_.scores = scores_.data();
    args_.capacity = static_cast<int64_t>(ids_.size());
    args_.num_threads = threads;
  }
  const std::vector<int64_t>& ids() const { return ids_; }
  const void* queries() const { return args_.queries; }
  void run() const {
    if (lffn_top_k(&args_) == LFFN_OK) return;
    std::fprintf(stderr, "%s\n", lffn_last_error());
    std::exit(1);
  }

 private:
  lffn_top_k_args args_;
  std::vector<int64_t> ids_;
  std::vector<float> scores_;
};

inline double time_of(int32_t threads, const std::function<void()>& action) {
  const double start = seconds(threads);
  action();
  return seconds(threads) - start;
}

// Random vectors, the same each time.
inline void fill(const Form& form, uint8_t* to) {
  std::mt19937 random(1);
  if (form.kind != LFFN_VECTORS_F32) {
    for (int64_t i = 0; i < form.vectors * form.bytes / 8; ++i) {
      const uint64_t word = (static_cast<uint64_t>(random()) << 32) | random();
      std::memcpy(to + 8 * i, &word, sizeof word);
    }
    return;
  }
  std::vector<float> drawn(1 << 16);
  for (float& number : drawn) number = std::uniform_real_distribution<float>(-1, 1)(random);
  // Turned by some numbers each time, so that no two vectors are alike for long.
  for (int64_t i = 0; i < form.vectors * kNumbers; ++i) {
    const float number = drawn[static_cast<size_t>((i + i / 65536 * 7) % 65536)];
    std::memcpy(to + i * static_cast<int64_t>(sizeof number), &number, sizeof number);
  }
}

}  // namespace search_case
