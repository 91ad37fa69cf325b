// SPDX-License-Identifier: Apache-2.0
// Search beside a plain read of the same vectors: in turns, so that what else the machine does meets both; CPU time of
// one thread, else the time that passes. Prints medians, and the median of the turns' ratios. With many queries the
// limit is the product itself, from the caches.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "kernels/kernels.h"
#include "lookupffn/lookupffn.h"
#include "runtime/memory.h"
#include "runtime/threads.h"

namespace {

// Of one thread its CPU time, so that other programs count less.
double seconds(int32_t threads) {
  timespec now;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + static_cast<int64_t>(numbers.size() / 2), numbers.end());
  return numbers[numbers.size() / 2];
}

// Whole cache lines, as fast as one can: the compiler makes vectors of it.
uint64_t read_part(const uint8_t* from, int64_t bytes) {
  uint64_t sums[32] = {};
  for (int64_t at = 0; at + 256 <= bytes; at += 256) {
    uint64_t words[32];
    std::memcpy(words, from + at, sizeof words);
    for (int i = 0; i < 32; ++i) sums[i] ^= words[i];
  }
  uint64_t all = 0;
  for (const uint64_t sum : sums) all ^= sum;
  return all;
}

volatile uint64_t read_result;

void read_all(const uint8_t* from, int64_t bytes, int32_t threads) {
  constexpr int64_t kPart = 1 << 19;
  const int64_t parts = (bytes + kPart - 1) / kPart;
  lffn::run_call(*lffn::default_executor(), threads, [&] {
    lffn::parallel_for(parts, threads, [&](int64_t part, int32_t) {
      const int64_t begin = part * kPart;
      read_result = read_part(from + begin, std::min(kPart, bytes - begin));
    });
  });
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

double time_of(int32_t threads, const std::function<void()>& action) {
  const double start = seconds(threads);
  action();
  return seconds(threads) - start;
}

void compare(const Form& form, const uint8_t* vectors, int64_t n_queries, int32_t threads, int turns) {
  const int64_t bytes = form.vectors * form.bytes;
  const Search search(form, vectors, form.vectors, n_queries, threads);
  std::vector<double> reads, scans, shares;
  for (int turn = 0; turn < turns; ++turn) {
    reads.push_back(time_of(threads, [&] { read_all(vectors, bytes, threads); }));
    scans.push_back(time_of(threads, [&] { search.run(); }));
    shares.push_back(reads.back() / scans.back());
  }
  const double gigabytes = 1e-9 * static_cast<double>(bytes),
               pairs = 1e-6 * static_cast<double>(form.vectors * n_queries);
  std::printf("%-8s %7lld %7d %9.1f %9.1f %12.1f %12.1f %7.2f\n", form.name, static_cast<long long>(n_queries), threads,
              gigabytes / median(reads), gigabytes / median(scans), pairs / median(scans),
              pairs * kNumbers * 1e-3 / median(scans), median(shares));
}

double process_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One thread and two in turns: how much sooner they end, and how much CPU time both take together.
void compare_threads(const Form& form, const uint8_t* vectors, int turns) {
  const Search one(form, vectors, form.vectors, 1, 1), two(form, vectors, form.vectors, 1, 2);
  const int64_t bytes = form.vectors * form.bytes;
  std::vector<double> ratios, limits, costs;
  for (int turn = 0; turn < turns; ++turn) {
    double cpu[3] = {process_seconds()};
    const double alone = time_of(2, [&] { one.run(); });
    cpu[1] = process_seconds();
    ratios.push_back(alone / time_of(2, [&] { two.run(); }));
    cpu[2] = process_seconds();
    costs.push_back((cpu[2] - cpu[1]) / (cpu[1] - cpu[0]));
    limits.push_back(time_of(2, [&] { read_all(vectors, bytes, 1); }) /
                     time_of(2, [&] { read_all(vectors, bytes, 2); }));
  }
  std::printf("%-8s %.2f times as fast with two threads, a read %.2f times; %.2f times the CPU time\n", form.name,
              median(ratios), median(limits), median(costs));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3) {
    std::fprintf(stderr, "usage: %s [TURNS] [MILLIONS OF VECTORS]\n", argv[0]);
    return 2;
  }
  const int turns = argc > 1 ? std::atoi(argv[1]) : 15;
  const auto vectors = static_cast<int64_t>((argc > 2 ? std::atof(argv[2]) : 1) * 1e6);
  const Form forms[] = {
      {"float32", LFFN_VECTORS_F32, LFFN_MEASURE_DOT, 4 * kNumbers, vectors},
      {"int8", LFFN_VECTORS_INT8, LFFN_MEASURE_DOT, kNumbers, vectors},
      {"cosine", LFFN_VECTORS_INT8, LFFN_MEASURE_COSINE, kNumbers, vectors},
      {"bits", LFFN_VECTORS_BITS, LFFN_MEASURE_HAMMING, kNumbers / 8, 8 * vectors},
  };
  const lffn::Memory memory(static_cast<size_t>(vectors * 4 * kNumbers));
  std::mt19937 random(1);
  std::vector<float> drawn(1 << 16);
  for (float& number : drawn) number = std::uniform_real_distribution<float>(-1, 1)(random);
  std::printf("%s, %lld numbers, k %lld, medians of %d turns\n", lffn::kernels().name, static_cast<long long>(kNumbers),
              static_cast<long long>(kPlaces), turns);
  std::printf("%-8s %7s %7s %9s %9s %12s %12s %7s\n", "", "queries", "threads", "read GB/s", "GB/s", "M pairs/s",
              "G products/s", "share");
  for (const Form& form : forms) {
    if (form.kind == LFFN_VECTORS_F32) {
      // Turned by some numbers each time, so that no two vectors are alike for long.
      for (int64_t i = 0; i < vectors * kNumbers; ++i) {
        memory.as<float>()[i] = drawn[static_cast<size_t>((i + i / 65536 * 7) % 65536)];
      }
    } else {
      for (int64_t i = 0; i < vectors * kNumbers / 8; ++i) {
        const uint64_t word = (static_cast<uint64_t>(random()) << 32) | random();
        std::memcpy(memory.as<uint8_t>() + 8 * i, &word, sizeof word);
      }
    }
    for (const int32_t threads : {1, 2}) compare(form, memory.as<uint8_t>(), 1, threads, turns);
    compare(form, memory.as<uint8_t>(), 64, 1, std::max(1, turns / 5));
    compare_threads(form, memory.as<uint8_t>(), turns);
  }
  return 0;
}
