/* search.hpp - the nearest of many vectors, in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_SEARCH_HPP
#define LOOKUPFFN_SEARCH_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lookupffn/base.hpp"

namespace lookupffn {

/** A view of vectors that lie one after the other in the caller's memory, such as a mapped file. */
class Vectors {
 public:
  /** float32.
   * @param numbers of all vectors
   * @param size    of each */
  Vectors(Span<const float> numbers, std::int64_t size)
      : Vectors(LFFN_VECTORS_F32, numbers.data(), numbers.size(), size, size) {}
  /** int8 numbers; all vectors share one scale.
   * @param numbers of all vectors
   * @param size    of each
   * @param scale   what a number is multiplied by */
  Vectors(Span<const std::int8_t> numbers, std::int64_t size, float scale = 1)
      : Vectors(LFFN_VECTORS_INT8, numbers.data(), numbers.size(), size, size) {
    if (scale == 0) throw InvalidArgument("a scale is 0, and all products with it");
    scale_ = scale;
  }
  /** int8 numbers; each vector has its own scale.
   * @param numbers of all vectors
   * @param size    of each
   * @param scales  one for each vector */
  Vectors(Span<const std::int8_t> numbers, std::int64_t size, Span<const float> scales)
      : Vectors(LFFN_VECTORS_INT8, numbers.data(), numbers.size(), size, size) {
    if (static_cast<std::int64_t>(scales.size()) != count_) {
      throw InvalidArgument(std::to_string(count_) + " vectors have " + std::to_string(scales.size()) + " scales");
    }
    scales_ = scales.data();
  }
  /** Bits, eight to a byte, the first in the highest bit; each vector begins in a new byte.
   * @param bytes of all vectors
   * @param size  of each, in bits */
  Vectors(Span<const std::uint8_t> bytes, std::int64_t size)
      : Vectors(LFFN_VECTORS_BITS, bytes.data(), bytes.size(), size, size / 8 + (size % 8 > 0 ? 1 : 0)) {}

  /** LFFN_VECTORS_. */
  std::int32_t kind() const noexcept { return kind_; }
  /** How many numbers a vector has. */
  std::int64_t size() const noexcept { return size_; }
  /** How many there are. */
  std::int64_t count() const noexcept { return count_; }
  /** The first vector. */
  const void* data() const noexcept { return data_; }
  /** One scale for each vector, or nullptr. */
  const float* scales() const noexcept { return scales_; }
  /** The scale of all vectors, or 0. */
  float scale() const noexcept { return scale_; }

 private:
  Vectors(std::int32_t kind, const void* data, std::size_t elements, std::int64_t size, std::int64_t elements_of_each)
      : kind_(kind), data_(data), size_(size) {
    if (size < 1) throw InvalidArgument("vectors have " + std::to_string(size) + " numbers, expected 1 or more");
    if (elements % static_cast<std::size_t>(elements_of_each) != 0) {
      throw InvalidArgument(std::to_string(elements) + " elements are no whole number of vectors, which have " +
                            std::to_string(elements_of_each) + " each");
    }
    count_ = static_cast<std::int64_t>(elements) / elements_of_each;
  }

  std::int32_t kind_;
  const void* data_;
  std::int64_t size_;
  std::int64_t count_ = 0;
  const float* scales_ = nullptr;
  float scale_ = 0;
};

/** What is searched for, and how. The views must outlive the call. */
struct SearchOptions {
  std::int64_t k = 10;                         /**< How many to find for each query. */
  std::int32_t measure = LFFN_MEASURE_DOT;     /**< For float32 and int8; bits always have LFFN_MEASURE_HAMMING. */
  std::optional<Span<const std::int64_t>> ids; /**< The id of each vector; without: first_id, first_id + 1 and so on. */
  std::int64_t first_id = 0;                   /**< The first vector's id. */
  std::optional<Span<const std::uint8_t>> taking_part; /**< A bit for each vector, see lffn_top_k_args. */
  /** The vectors that take part, as numbers from 0 on: the same for all queries, or with candidate_offsets each query's
   * own. */
  std::optional<Span<const std::int64_t>> candidates;
  std::optional<Span<const std::int64_t>> candidate_offsets; /**< [queries + 1] where each query's candidates begin. */
  const lffn_runtime* runtime = nullptr;                     /**< nullptr: the process's. */
  std::int32_t num_threads = 0;                  /**< Most threads to use; 0 = as many as the environment allows. */
  const CancelFlag* cancel = nullptr;            /**< Ends the call from another thread. */
  lffn_run_progress_callback progress = nullptr; /**< Receives how many pairs have been compared. */
  void* progress_user = nullptr;                 /**< Passed to progress. */
};

/** What a search found for each query, the nearest first. */
struct Nearest {
  std::int64_t k = 0;               /**< Places for each query. */
  std::vector<std::int64_t> counts; /**< How many each query found. */
  std::vector<std::int64_t> ids;    /**< [queries, k]; -1 after the last one found. */
  std::vector<float> scores;        /**< [queries, k]; NaN after the last one found. */

  /** The ids that a query found. */
  Span<const std::int64_t> ids_of(std::size_t query) const {
    return {ids.data() + query * static_cast<std::size_t>(k), static_cast<std::size_t>(counts[query])};
  }
  /** Their scores. */
  Span<const float> scores_of(std::size_t query) const {
    return {scores.data() + query * static_cast<std::size_t>(k), static_cast<std::size_t>(counts[query])};
  }
};

/** @cond */
namespace detail {
template <typename Element>
const Element* given(const std::optional<Span<const Element>>& array, std::int64_t count, const char* name) {
  if (!array) return nullptr;
  if (static_cast<std::int64_t>(array->size()) != count) {
    throw InvalidArgument(std::string(name) + " has " + std::to_string(array->size()) + " elements, expected " +
                          std::to_string(count));
  }
  static const Element none = {};
  return array->data() == nullptr ? &none : array->data();
}
}  // namespace detail
/** @endcond */

/** Finds the nearest among more vectors and those that were found before; see lffn_top_k.
 * @param queries what to look for
 * @param vectors where
 * @param options the same for all blocks, except the members that describe the vectors
 * @param nearest holds what was found before, nothing at first, and receives what is found */
inline void top_k(const Vectors& queries, const Vectors& vectors, const SearchOptions& options, Nearest& nearest) {
  if (queries.kind() != vectors.kind() || queries.size() != vectors.size()) {
    throw InvalidArgument("queries and vectors must be of one kind and size; they have " +
                          std::to_string(queries.size()) + " and " + std::to_string(vectors.size()) + " numbers");
  }
  lffn_top_k_args args;
  lffn_top_k_args_init(&args);
  args.runtime = options.runtime;
  args.kind = queries.kind();
  args.measure = queries.kind() == LFFN_VECTORS_BITS ? LFFN_MEASURE_HAMMING : options.measure;
  args.size = queries.size();
  args.queries = queries.data();
  args.n_queries = queries.count();
  args.query_scales = queries.scales();
  args.query_scale = queries.scale();
  args.vectors = vectors.data();
  args.n_vectors = vectors.count();
  args.vector_scales = vectors.scales();
  args.vector_scale = vectors.scale();
  args.vector_ids = detail::given(options.ids, vectors.count(), "ids");
  args.first_id = options.first_id;
  args.taking_part = detail::given(options.taking_part, (vectors.count() + 7) / 8, "taking_part");
  if (options.candidates) {
    args.n_candidates = static_cast<std::int64_t>(options.candidates->size());
    args.candidates = detail::given(options.candidates, args.n_candidates, "candidates");
  }
  args.candidate_offsets = detail::given(options.candidate_offsets, queries.count() + 1, "candidate_offsets");
  args.k = options.k;
  // k is checked here, because room for it is made before lffn_top_k can check it.
  const auto queries_there = static_cast<std::size_t>(queries.count());
  const bool is_first = nearest.counts.empty();
  if (options.k < 1) throw InvalidArgument("k is " + std::to_string(options.k) + ", expected 1 or more");
  if (!is_first && (nearest.k != options.k || nearest.counts.size() != queries_there)) {
    throw InvalidArgument("the blocks before had another k or number of queries");
  }
  if (is_first) {
    const auto k = static_cast<std::size_t>(options.k);
    if (queries_there > 0 && k > nearest.ids.max_size() / queries_there)
      throw OutOfMemory("out of memory: k is too large");
    nearest.k = options.k;
    nearest.ids.assign(queries_there * k, -1);
    nearest.scores.assign(queries_there * k, 0);
    nearest.counts.assign(queries_there, 0);
  }
  args.start_counts = nearest.counts.data();
  args.start_ids = nearest.ids.data();
  args.start_scores = nearest.scores.data();
  args.ids = nearest.ids.data();
  args.scores = nearest.scores.data();
  args.capacity = static_cast<std::int64_t>(nearest.ids.size());
  args.counts = nearest.counts.data();
  args.cancel = options.cancel == nullptr ? nullptr : options.cancel->address();
  args.progress = options.progress;
  args.progress_user = options.progress_user;
  args.num_threads = options.num_threads;
  check(lffn_top_k(&args));
}

/** Finds the nearest vectors for each query; see lffn_top_k.
 * @param queries what to look for
 * @param vectors where, all of them are compared
 * @param options see SearchOptions */
inline Nearest top_k(const Vectors& queries, const Vectors& vectors, const SearchOptions& options = {}) {
  Nearest nearest;
  top_k(queries, vectors, options, nearest);
  return nearest;
}

/** The score of two single vectors.
 * @param a       one vector
 * @param b       another one
 * @param measure LFFN_MEASURE_ */
inline float score_of(const Vectors& a, const Vectors& b, std::int32_t measure) {
  if (a.count() != 1 || b.count() != 1) throw InvalidArgument("expected one vector on each side");
  SearchOptions options;
  options.k = 1;
  options.measure = measure;
  options.num_threads = 1;
  return top_k(a, b, options).scores[0];
}

/** The dot product of two vectors: of embeddings with length 1 their cosine. */
inline float dot(Span<const float> a, Span<const float> b) {
  return score_of({a, static_cast<std::int64_t>(a.size())}, {b, static_cast<std::int64_t>(b.size())}, LFFN_MEASURE_DOT);
}

/** The cosine of two vectors, -1 to 1; 0 if one of them is all zeros. */
inline float cosine(Span<const float> a, Span<const float> b) {
  return score_of({a, static_cast<std::int64_t>(a.size())}, {b, static_cast<std::int64_t>(b.size())},
                  LFFN_MEASURE_COSINE);
}

}  // namespace lookupffn

#endif /* LOOKUPFFN_SEARCH_HPP */
