// SPDX-License-Identifier: Apache-2.0
// Search beside a plain read of the same vectors: in turns, so that what else the machine does meets both; CPU time of
// one thread, else the time that passes. Prints medians, and the median of the turns' ratios. With many queries the
// limit is the product itself, from the caches.
#include "kernels/kernels.h"
#include "runtime/memory.h"
#include "runtime/threads.h"
#include "search_case.h"

namespace {

using namespace search_case;

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
  std::printf("%s, %lld numbers, k %lld, medians of %d turns\n", lffn::kernels().name, static_cast<long long>(kNumbers),
              static_cast<long long>(kPlaces), turns);
  std::printf("%-8s %7s %7s %9s %9s %12s %12s %7s\n", "", "queries", "threads", "read GB/s", "GB/s", "M pairs/s",
              "G products/s", "share");
  for (const Form& form : forms) {
    fill(form, memory.as<uint8_t>());
    for (const int32_t threads : {1, 2}) compare(form, memory.as<uint8_t>(), 1, threads, turns);
    compare(form, memory.as<uint8_t>(), 64, 1, std::max(1, turns / 5));
    compare_threads(form, memory.as<uint8_t>(), turns);
  }
  return 0;
}
