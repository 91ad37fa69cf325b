// SPDX-License-Identifier: Apache-2.0
// What this machine can give at most: multiply-adds in float32 and int8, and rows read at random from each level of
// memory. The kernels' times are to be held against these.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
typedef float Vector __attribute__((vector_size(kVectorBytes)));
constexpr int kLanes = kVectorBytes / 4;

// Enough independent sums to hide the latency of two units, few enough to stay in 16 registers.
constexpr int kSums = 10;

// How many rows ahead of their use the prefetching variants ask for a row.
constexpr int kAhead = 8;

// Runs kSteps rounds of `step` on kSums independent sums, which start at values the compiler cannot see.
template <int kSteps, class Value, class Step>
void run_steps(benchmark::State& state, Step step) {
  Value start[kSums] = {};
  for (auto _ : state) {
    benchmark::DoNotOptimize(start);
    Value sums[kSums];
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = start[i];
    for (int s = 0; s < kSteps; ++s) {
#pragma GCC unroll 12
      for (int i = 0; i < kSums; ++i) step(sums[i]);
    }
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) start[i] = sums[i];
  }
  benchmark::DoNotOptimize(start);
}

constexpr int kSteps = 1000;

void fma_float32(benchmark::State& state) {
  Vector factor = {}, term = {};
  factor += 0.999f;
  term += 0.5f;
  run_steps<kSteps, Vector>(state, [&](Vector& sum) { sum = sum * factor + term; });
  state.counters["FLOP/s"] =
      benchmark::Counter(2.0 * kLanes * kSums * kSteps, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(fma_float32);

#if defined(__AVX2__)
// Four int8 products into each 32-bit sum: one instruction with VNNI, three without.
void dot_int8(benchmark::State& state) {
#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
  constexpr int kBytes = 64;
  const __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(5);
  run_steps<kSteps, __m512i>(state, [&](__m512i& sum) { sum = _mm512_dpbusd_epi32(sum, a, b); });
#else
  constexpr int kBytes = 32;
  typedef int Integers __attribute__((vector_size(32)));
  const __m256i a = _mm256_set1_epi8(3), ones = _mm256_set1_epi16(1);
  static __m256i b = _mm256_set1_epi8(5);
  run_steps<kSteps, Integers>(state, [&](Integers& sum) {
    asm volatile("" : : : "memory");  // or the products, always the same, would be taken out of the loop
    sum += reinterpret_cast<Integers>(_mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
  });
#endif
  state.counters["OP/s"] =
      benchmark::Counter(2.0 * kBytes * kSums * kSteps, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(dot_int8);
#endif

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// Memory of zeros on huge pages where the system gives them.
std::unique_ptr<char, Free> allocate(size_t bytes) {
  constexpr size_t kHugePage = size_t{2} << 20;
  bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  std::unique_ptr<char, Free> memory(static_cast<char*>(std::aligned_alloc(kHugePage, bytes)));
  madvise(memory.get(), bytes, MADV_HUGEPAGE);
  for (size_t i = 0; i < bytes; i += 64) memory.get()[i] = 0;
  return memory;
}

// Adds up rows of kRow bytes in registers, in the order of a list, the way a gather does but without writing anything.
// Eight sums take turns, so that no addition waits for the one before.
template <int kRow, bool kPrefetch>
void add_rows(const char* data, const uint32_t* list, int64_t n, Vector* sums) {
  constexpr int kVectors = kRow / kVectorBytes, kAtOnce = kVectors < 8 ? kVectors : 8, kRows = 8 / kAtOnce;
  Vector sum[8] = {};
  for (int64_t i = 0; i < n; i += kRows) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const char* row = data + size_t{list[i + r]} * kRow;
      if constexpr (kPrefetch) {
        const char* next = data + size_t{list[i + r + kAhead]} * kRow;
#pragma GCC unroll 8
        for (int byte = 0; byte < kRow; byte += 64) __builtin_prefetch(next + byte);
      }
      for (int v = 0; v < kVectors; v += kAtOnce) {
#pragma GCC unroll 8
        for (int k = 0; k < kAtOnce; ++k) {
          sum[r * kAtOnce + k] += *reinterpret_cast<const Vector*>(row + (v + k) * kVectorBytes);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < 8; ++v) sums[v] = sum[v];
}

template <int kRow, bool kPrefetch>
void random_rows(benchmark::State& state) {
  const size_t bytes = static_cast<size_t>(state.range(0)) << 10;
  const auto data = allocate(bytes);
  const size_t rows = bytes / kRow;
  const int64_t n = static_cast<int64_t>(rows < 4096 ? 4096 : rows < (1u << 20) ? rows : 1u << 20);
  std::vector<uint32_t> list(static_cast<size_t>(n + kAhead));
  std::mt19937 random(1);
  for (uint32_t& entry : list) entry = static_cast<uint32_t>(random() % rows);
  Vector sums[8];
  for (auto _ : state) {
    add_rows<kRow, kPrefetch>(data.get(), list.data(), n, sums);
    benchmark::DoNotOptimize(sums);
  }
  state.SetBytesProcessed(state.iterations() * n * kRow);
}

void sequential(benchmark::State& state) {
  constexpr int kRow = 2048;
  const size_t bytes = static_cast<size_t>(state.range(0)) << 10;
  const auto data = allocate(bytes);
  std::vector<uint32_t> list(bytes / kRow);
  for (size_t i = 0; i < list.size(); ++i) list[i] = static_cast<uint32_t>(i);
  Vector sums[8];
  for (auto _ : state) {
    add_rows<kRow, false>(data.get(), list.data(), static_cast<int64_t>(list.size()), sums);
    benchmark::DoNotOptimize(sums);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

// A set of rows that fills about half of a cache of the given level; level 4 is memory.
int64_t working_set_kib(int level) {
  int64_t largest = 16 << 10;
  for (const benchmark::CPUInfo::CacheInfo& cache : benchmark::CPUInfo::Get().caches) {
    if (cache.type == "Instruction") continue;
    if (cache.level == level) return cache.size >> 11;
    largest = std::max<int64_t>(largest, cache.size >> 10);
  }
  return level == 4 ? std::max<int64_t>(largest * 8, 256 << 10) : 0;
}

template <int kRow>
void register_rows(const char* name) {
  for (int level = 1; level <= 4; ++level) {
    const int64_t kib = working_set_kib(level);
    if (kib == 0) continue;
    const std::string place = level == 4 ? "memory" : "L" + std::to_string(level);
    benchmark::RegisterBenchmark((name + ("/" + place)).c_str(), random_rows<kRow, false>)->ArgName("KiB")->Arg(kib);
    benchmark::RegisterBenchmark((name + ("/" + place + "/prefetch")).c_str(), random_rows<kRow, true>)
        ->ArgName("KiB")
        ->Arg(kib);
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_rows<64>("rows_of_64");
  register_rows<128>("rows_of_128");
  register_rows<256>("rows_of_256");
  register_rows<512>("rows_of_512");
  register_rows<2048>("rows_of_2048");
  for (int level = 1; level <= 4; ++level) {
    const int64_t kib = working_set_kib(level);
    if (kib == 0) continue;
    const std::string place = level == 4 ? "memory" : "L" + std::to_string(level);
    benchmark::RegisterBenchmark(("sequential/" + place).c_str(), sequential)->ArgName("KiB")->Arg(kib);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
