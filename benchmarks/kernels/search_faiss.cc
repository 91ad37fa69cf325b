// SPDX-License-Identifier: Apache-2.0
// lffn_top_k beside faiss' flat indexes, in turns; one thread, CPU time. Both must find the same vectors. Debian's
// faiss is compiled for any x86-64; with twenty queries and more its float32 runs in the BLAS.
#include <faiss/IndexBinaryFlat.h>
#include <faiss/IndexFlat.h>
#include <faiss/IndexScalarQuantizer.h>
#include <omp.h>
#include <unistd.h>

#include <memory>

#include "kernels/kernels.h"
#include "search_case.h"

namespace {

using namespace search_case;

// Its search, which writes its ids.
using Other = std::function<void(int64_t n_queries, const void* queries, std::vector<int64_t>& ids)>;

Other flat(const Form& form, const uint8_t* vectors) {
  const auto index = std::make_shared<faiss::IndexFlatIP>(kNumbers);
  index->add(form.vectors, reinterpret_cast<const float*>(vectors));
  return [index](int64_t n, const void* queries, std::vector<int64_t>& ids) {
    std::vector<float> scores(ids.size());
    index->search(n, static_cast<const float*>(queries), kPlaces, scores.data(), ids.data());
  };
}

// Bytes whose scale is one for all: what faiss keeps of numbers from -128 to 127.
Other quantized(const Form& form, const uint8_t* vectors) {
  const auto index = std::make_shared<faiss::IndexScalarQuantizer>(kNumbers, faiss::ScalarQuantizer::QT_8bit_uniform,
                                                                   faiss::METRIC_INNER_PRODUCT);
  index->sq.rangestat = faiss::ScalarQuantizer::RS_minmax;
  constexpr int64_t kBlock = 4096;
  std::vector<float> numbers(static_cast<size_t>(kBlock * kNumbers));
  for (int64_t first = 0; first < form.vectors; first += kBlock) {
    const int64_t n = std::min(kBlock, form.vectors - first);
    for (int64_t i = 0; i < n * kNumbers; ++i) {
      numbers[static_cast<size_t>(i)] = static_cast<int8_t>(vectors[first * kNumbers + i]);
    }
    if (first == 0) index->train(n, numbers.data());
    index->add(n, numbers.data());
  }
  return [index](int64_t n, const void* queries, std::vector<int64_t>& ids) {
    std::vector<float> scores(ids.size()), floats(static_cast<size_t>(n * kNumbers));
    for (size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<const int8_t*>(queries)[i];
    index->search(n, floats.data(), kPlaces, scores.data(), ids.data());
  };
}

Other binary(const Form& form, const uint8_t* vectors) {
  const auto index = std::make_shared<faiss::IndexBinaryFlat>(kNumbers);
  index->add(form.vectors, vectors);
  return [index](int64_t n, const void* queries, std::vector<int64_t>& ids) {
    std::vector<int32_t> distances(ids.size());
    index->search(n, static_cast<const uint8_t*>(queries), kPlaces, distances.data(), ids.data());
  };
}

// Of scores that are equal, or differ by rounding, either id may come first: so all but a few must be the same.
double same(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  int64_t count = 0;
  for (size_t query = 0; query < a.size(); query += kPlaces) {
    for (size_t i = query; i < query + kPlaces; ++i) {
      count +=
          std::count(b.begin() + static_cast<int64_t>(query), b.begin() + static_cast<int64_t>(query) + kPlaces, a[i]);
    }
  }
  return static_cast<double>(count) / static_cast<double>(a.size());
}

void compare(const Form& form, const uint8_t* vectors, const Other& other, int64_t n_queries, int turns) {
  const Search search(form, vectors, form.vectors, n_queries, 1);
  std::vector<int64_t> found(search.ids().size());
  std::vector<double> ours, theirs, ratios;
  for (int turn = 0; turn < turns; ++turn) {
    ours.push_back(time_of(1, [&] { search.run(); }));
    theirs.push_back(time_of(1, [&] { other(n_queries, search.queries(), found); }));
    ratios.push_back(theirs.back() / ours.back());
  }
  std::printf("%-8s %7lld %12.2f %12.2f %7.2f %7.3f\n", form.name, static_cast<long long>(n_queries),
              1e3 * median(ours), 1e3 * median(theirs), median(ratios), same(search.ids(), found));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3) {
    std::fprintf(stderr, "usage: %s [TURNS] [MILLIONS OF VECTORS]\n", argv[0]);
    return 2;
  }
  // OpenBLAS reads it when it is loaded.
  const char* const blas_threads = std::getenv("OPENBLAS_NUM_THREADS");
  if (blas_threads == nullptr || std::strcmp(blas_threads, "1") != 0) {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
  }
  omp_set_num_threads(1);
  const int turns = argc > 1 ? std::atoi(argv[1]) : 9;
  const auto vectors = static_cast<int64_t>((argc > 2 ? std::atof(argv[2]) : 1) * 1e6);
  const struct {
    Form form;
    Other (*other)(const Form&, const uint8_t*);
  } ways[] = {{{"float32", LFFN_VECTORS_F32, LFFN_MEASURE_DOT, 4 * kNumbers, vectors}, flat},
              {{"int8", LFFN_VECTORS_INT8, LFFN_MEASURE_DOT, kNumbers, vectors}, quantized},
              {{"bits", LFFN_VECTORS_BITS, LFFN_MEASURE_HAMMING, kNumbers / 8, vectors}, binary}};
  std::printf("%s, %lld vectors of %lld numbers, k %lld, one thread, medians of %d turns\n", lffn::kernels().name,
              static_cast<long long>(vectors), static_cast<long long>(kNumbers), static_cast<long long>(kPlaces),
              turns);
  std::printf("%-8s %7s %12s %12s %7s %7s\n", "", "queries", "lffn_top_k", "faiss, ms", "ratio", "same");
  for (const auto& way : ways) {
    std::vector<uint8_t> memory(static_cast<size_t>(vectors * way.form.bytes));
    fill(way.form, memory.data());
    const Other other = way.other(way.form, memory.data());
    for (const int64_t queries : {1, 8, 64})
      compare(way.form, memory.data(), other, queries, queries > 8 ? std::max(1, turns / 3) : turns);
  }
  return 0;
}
