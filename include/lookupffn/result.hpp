/* result.hpp - room for results in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RESULT_HPP
#define LOOKUPFFN_RESULT_HPP

#include <cstddef>
#include <utility>
#include <vector>

#include "lookupffn/base.hpp"

namespace lookupffn {

/** What a call returns for several texts: a std::vector that gives the elements of a temporary list by value, so that a
 * loop over `model.embed_windows(texts)[0]` does not read freed memory. */
template <typename T>
class List : public std::vector<T> {
  using Base = std::vector<T>;

 public:
  using Base::Base;
  /** The i-th element, unchecked. */
  T& operator[](std::size_t i) & noexcept { return Base::operator[](i); }
  /** The i-th element, unchecked. */
  const T& operator[](std::size_t i) const& noexcept { return Base::operator[](i); }
  /** The i-th element of a temporary list, moved out of it. */
  T operator[](std::size_t i) && noexcept { return std::move(Base::operator[](i)); }
  /** The i-th element; std::out_of_range where there is none. */
  T& at(std::size_t i) & { return Base::at(i); }
  /** The i-th element; std::out_of_range where there is none. */
  const T& at(std::size_t i) const& { return Base::at(i); }
  /** The i-th element of a temporary list, moved out of it; std::out_of_range where there is none. */
  T at(std::size_t i) && { return std::move(Base::at(i)); }
  /** The first element; there must be one. */
  T& front() & noexcept { return Base::front(); }
  /** The first element; there must be one. */
  const T& front() const& noexcept { return Base::front(); }
  /** The first element of a temporary list, moved out of it; there must be one. */
  T front() && noexcept { return std::move(Base::front()); }
  /** The last element; there must be one. */
  T& back() & noexcept { return Base::back(); }
  /** The last element; there must be one. */
  const T& back() const& noexcept { return Base::back(); }
  /** The last element of a temporary list, moved out of it; there must be one. */
  T back() && noexcept { return std::move(Base::back()); }
};

/** An output, and the type of its numbers. */
template <typename Number>
struct Output {
  std::int32_t what; /**< LFFN_OUT_ */
};

/** An output of any type; converts from Output. */
struct AnyOutput {
  /** @param output which */
  template <typename Number>
  constexpr AnyOutput(Output<Number> output) noexcept : what(output.what) {}  // NOLINT(google-explicit-constructor)
  std::int32_t what;                                                          /**< LFFN_OUT_ */
};

/** All outputs; output.h says what they are. */
namespace out {
inline constexpr Output<std::int32_t> token_ids{LFFN_OUT_TOKEN_IDS};             /**< LFFN_OUT_TOKEN_IDS */
inline constexpr Output<std::int32_t> token_types{LFFN_OUT_TOKEN_TYPES};         /**< LFFN_OUT_TOKEN_TYPES */
inline constexpr Output<std::int64_t> token_offsets{LFFN_OUT_TOKEN_OFFSETS};     /**< LFFN_OUT_TOKEN_OFFSETS */
inline constexpr Output<std::int64_t> token_begins{LFFN_OUT_TOKEN_BEGINS};       /**< LFFN_OUT_TOKEN_BEGINS */
inline constexpr Output<std::int64_t> token_ends{LFFN_OUT_TOKEN_ENDS};           /**< LFFN_OUT_TOKEN_ENDS */
inline constexpr Output<std::int8_t> token_sources{LFFN_OUT_TOKEN_SOURCES};      /**< LFFN_OUT_TOKEN_SOURCES */
inline constexpr Output<std::int64_t> text_begins{LFFN_OUT_TEXT_BEGINS};         /**< LFFN_OUT_TEXT_BEGINS */
inline constexpr Output<std::int64_t> text_ends{LFFN_OUT_TEXT_ENDS};             /**< LFFN_OUT_TEXT_ENDS */
inline constexpr Output<std::int64_t> pair_begins{LFFN_OUT_PAIR_BEGINS};         /**< LFFN_OUT_PAIR_BEGINS */
inline constexpr Output<std::int64_t> pair_ends{LFFN_OUT_PAIR_ENDS};             /**< LFFN_OUT_PAIR_ENDS */
inline constexpr Output<std::int64_t> window_offsets{LFFN_OUT_WINDOW_OFFSETS};   /**< LFFN_OUT_WINDOW_OFFSETS */
inline constexpr Output<std::int64_t> uncut_lengths{LFFN_OUT_UNCUT_LENGTHS};     /**< LFFN_OUT_UNCUT_LENGTHS */
inline constexpr Output<std::int32_t> statuses{LFFN_OUT_STATUSES};               /**< LFFN_OUT_STATUSES */
inline constexpr Output<char> messages{LFFN_OUT_MESSAGES};                       /**< LFFN_OUT_MESSAGES */
inline constexpr Output<std::int64_t> message_offsets{LFFN_OUT_MESSAGE_OFFSETS}; /**< LFFN_OUT_MESSAGE_OFFSETS */
inline constexpr Output<std::int64_t> mask_positions{LFFN_OUT_MASK_POSITIONS};   /**< LFFN_OUT_MASK_POSITIONS */
inline constexpr Output<std::int64_t> mask_offsets{LFFN_OUT_MASK_OFFSETS};       /**< LFFN_OUT_MASK_OFFSETS */
inline constexpr Output<float> hidden{LFFN_OUT_HIDDEN};                          /**< LFFN_OUT_HIDDEN */
inline constexpr Output<float> embeddings{LFFN_OUT_EMBEDDINGS};                  /**< LFFN_OUT_EMBEDDINGS */
inline constexpr Output<std::int8_t> int8_embeddings{LFFN_OUT_INT8_EMBEDDINGS};  /**< LFFN_OUT_INT8_EMBEDDINGS */
inline constexpr Output<float> embedding_scales{LFFN_OUT_EMBEDDING_SCALES};      /**< LFFN_OUT_EMBEDDING_SCALES */
inline constexpr Output<std::uint8_t> bit_embeddings{LFFN_OUT_BIT_EMBEDDINGS};   /**< LFFN_OUT_BIT_EMBEDDINGS */
inline constexpr Output<float> token_vectors{LFFN_OUT_TOKEN_VECTORS};            /**< LFFN_OUT_TOKEN_VECTORS */
inline constexpr Output<std::int8_t> int8_token_vectors{
    LFFN_OUT_INT8_TOKEN_VECTORS};                                                 /**< LFFN_OUT_INT8_TOKEN_VECTORS */
inline constexpr Output<float> token_vector_scales{LFFN_OUT_TOKEN_VECTOR_SCALES}; /**< LFFN_OUT_TOKEN_VECTOR_SCALES */
inline constexpr Output<std::int64_t> vector_tokens{LFFN_OUT_VECTOR_TOKENS};      /**< LFFN_OUT_VECTOR_TOKENS */
inline constexpr Output<std::int64_t> vector_offsets{LFFN_OUT_VECTOR_OFFSETS};    /**< LFFN_OUT_VECTOR_OFFSETS */
inline constexpr Output<float> class_scores{LFFN_OUT_CLASS_SCORES};               /**< LFFN_OUT_CLASS_SCORES */
inline constexpr Output<float> token_scores{LFFN_OUT_TOKEN_SCORES};               /**< LFFN_OUT_TOKEN_SCORES */
inline constexpr Output<float> logits{LFFN_OUT_LOGITS};                           /**< LFFN_OUT_LOGITS */
inline constexpr Output<std::int32_t> filling_ids{LFFN_OUT_FILLING_IDS};          /**< LFFN_OUT_FILLING_IDS */
inline constexpr Output<float> filling_probabilities{
    LFFN_OUT_FILLING_PROBABILITIES};                                             /**< LFFN_OUT_FILLING_PROBABILITIES */
inline constexpr Output<std::int32_t> sparse_ids{LFFN_OUT_SPARSE_IDS};           /**< LFFN_OUT_SPARSE_IDS */
inline constexpr Output<float> sparse_weights{LFFN_OUT_SPARSE_WEIGHTS};          /**< LFFN_OUT_SPARSE_WEIGHTS */
inline constexpr Output<std::int64_t> sparse_offsets{LFFN_OUT_SPARSE_OFFSETS};   /**< LFFN_OUT_SPARSE_OFFSETS */
inline constexpr Output<std::int64_t> entity_begins{LFFN_OUT_ENTITY_BEGINS};     /**< LFFN_OUT_ENTITY_BEGINS */
inline constexpr Output<std::int64_t> entity_ends{LFFN_OUT_ENTITY_ENDS};         /**< LFFN_OUT_ENTITY_ENDS */
inline constexpr Output<float> entity_scores{LFFN_OUT_ENTITY_SCORES};            /**< LFFN_OUT_ENTITY_SCORES */
inline constexpr Output<std::int32_t> entity_classes{LFFN_OUT_ENTITY_CLASSES};   /**< LFFN_OUT_ENTITY_CLASSES */
inline constexpr Output<std::int64_t> entity_offsets{LFFN_OUT_ENTITY_OFFSETS};   /**< LFFN_OUT_ENTITY_OFFSETS */
inline constexpr Output<std::int64_t> answer_begins{LFFN_OUT_ANSWER_BEGINS};     /**< LFFN_OUT_ANSWER_BEGINS */
inline constexpr Output<std::int64_t> answer_ends{LFFN_OUT_ANSWER_ENDS};         /**< LFFN_OUT_ANSWER_ENDS */
inline constexpr Output<float> answer_scores{LFFN_OUT_ANSWER_SCORES};            /**< LFFN_OUT_ANSWER_SCORES */
inline constexpr Output<std::int64_t> answer_offsets{LFFN_OUT_ANSWER_OFFSETS};   /**< LFFN_OUT_ANSWER_OFFSETS */
inline constexpr Output<float> label_scores{LFFN_OUT_LABEL_SCORES};              /**< LFFN_OUT_LABEL_SCORES */
inline constexpr Output<std::int64_t> label_order{LFFN_OUT_LABEL_ORDER};         /**< LFFN_OUT_LABEL_ORDER */
inline constexpr Output<float> document_scores{LFFN_OUT_DOCUMENT_SCORES};        /**< LFFN_OUT_DOCUMENT_SCORES */
inline constexpr Output<std::int64_t> document_order{LFFN_OUT_DOCUMENT_ORDER};   /**< LFFN_OUT_DOCUMENT_ORDER */
inline constexpr Output<float> max_sim_scores{LFFN_OUT_MAX_SIM_SCORES};          /**< LFFN_OUT_MAX_SIM_SCORES */
inline constexpr Output<char> decoded{LFFN_OUT_DECODED};                         /**< LFFN_OUT_DECODED */
inline constexpr Output<std::int64_t> decoded_offsets{LFFN_OUT_DECODED_OFFSETS}; /**< LFFN_OUT_DECODED_OFFSETS */
inline constexpr Output<double> stage_seconds{LFFN_OUT_STAGE_SECONDS};           /**< LFFN_OUT_STAGE_SECONDS */
inline constexpr Output<double> layer_seconds{LFFN_OUT_LAYER_SECONDS};           /**< LFFN_OUT_LAYER_SECONDS */
}  // namespace out

/** What a result holds of one output: rows of numbers, one after the other. */
template <typename Number>
struct Rows {
  Span<const Number> values; /**< All numbers. */
  std::size_t columns = 0;   /**< Numbers of each row. */

  /** How many rows. */
  std::size_t count() const noexcept { return columns == 0 ? 0 : values.size() / columns; }
  /** Row i, unchecked. */
  Span<const Number> row(std::size_t i) const noexcept { return {values.data() + i * columns, columns}; }
  /** Number i of all, unchecked. */
  const Number& operator[](std::size_t i) const noexcept { return values[i]; }
};

/** Room for results, reused from call to call. Can be moved, not copied. */
class Result {
 public:
  /** An empty one. */
  Result() {
    lffn_result* handle = nullptr;
    check(lffn_result_create(&handle));
    handle_.reset(handle);
  }
  /** Takes over a handle of the C interface. */
  explicit Result(lffn_result* handle) noexcept : handle_(handle) {}
  /** One output of the last call that used this result, valid until it is used again. It has no rows if it went to the
   * caller's memory or there was too little of that. InvalidArgument if the call did not ask for it.
   * @param output which, such as out::embeddings */
  template <typename Number>
  Rows<Number> get(Output<Number> output) const& {
    lffn_array array = {};
    check(lffn_result_array(handle_.get(), output.what, &array));
    const auto columns = static_cast<std::size_t>(array.columns);
    const auto rows = array.data != nullptr ? static_cast<std::size_t>(array.rows) : 0;
    return {{static_cast<const Number*>(array.data), rows * columns}, columns};
  }
  /** Deleted for a temporary, which the result would outlive. */
  template <typename Number>
  Rows<Number> get(Output<Number> output) const&& = delete;
  /** The handle, for functions of the C interface. */
  lffn_result* get() const& noexcept { return handle_.get(); }
  /** Deleted for a temporary, which the result would outlive. */
  lffn_result* get() const&& = delete;
  /** Gives up the handle; the caller frees it. */
  lffn_result* release() noexcept { return handle_.release(); }

 private:
  std::unique_ptr<lffn_result, Free> handle_;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_RESULT_HPP */
