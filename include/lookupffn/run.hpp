/* run.hpp - what a model is given to run and gives back, in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RUN_HPP
#define LOOKUPFFN_RUN_HPP

#include <initializer_list>
#include <string_view>
#include <vector>

#include "lookupffn/base.hpp"

namespace lookupffn {

/** Sequences of token ids back to back; converts from vectors and arrays of them. */
struct Sequences {
  Span<const std::int32_t> ids;        /**< All sequences, one after the other. */
  Span<const std::int64_t> offsets;    /**< Where each begins, and where the last one ends; the first one is 0. */
  Span<const std::int32_t> types = {}; /**< A token type for each id; empty: all 0. */

  /** How many; InvalidArgument if offsets are empty or do not end where ids do. */
  std::int64_t count() const {
    if (offsets.empty() || offsets[offsets.size() - 1] != static_cast<std::int64_t>(ids.size())) {
      throw InvalidArgument("offsets: the last one must be the number of ids, " + std::to_string(ids.size()));
    }
    if (!types.empty() && types.size() != ids.size()) {
      throw InvalidArgument("types: there are " + std::to_string(types.size()) + " for " + std::to_string(ids.size()) +
                            " ids");
    }
    return static_cast<std::int64_t>(offsets.size()) - 1;
  }
};

/** Sequences of token ids that are put together one by one. */
struct TokenBatch {
  std::vector<std::int32_t> ids;           /**< All sequences, one after the other. */
  std::vector<std::int64_t> offsets = {0}; /**< Where each begins, and where the last one ends. */
  /** Appends a sequence. */
  void add(Span<const std::int32_t> sequence) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  /** A view of them for Model. */
  Sequences view() const noexcept { return {ids, offsets}; }
};

/** Texts, or pairs of texts, as the C interface takes them. What they were made of must stay meanwhile. */
class Texts {
 public:
  /** None. */
  Texts() = default;
  /** @param texts UTF-8 */
  Texts(const std::vector<std::string>& texts) { add_all(texts); }  // NOLINT(google-explicit-constructor)
  /** @param texts UTF-8 */
  Texts(const std::vector<std::string_view>& texts) { add_all(texts); }  // NOLINT(google-explicit-constructor)
  /** @param texts UTF-8 */
  Texts(std::initializer_list<std::string_view> texts) { add_all(texts); }

  /** Appends a text.
   * @param text UTF-8 */
  void add(std::string_view text) {
    texts_.push_back(text.empty() ? "" : text.data());
    sizes_.push_back(text.size());
    if (!pairs_.empty()) {
      pairs_.push_back(nullptr);
      pair_sizes_.push_back(0);
    }
  }
  /** Appends a pair of texts.
   * @param text UTF-8
   * @param pair UTF-8 */
  void add(std::string_view text, std::string_view pair) {
    pairs_.resize(texts_.size(), nullptr);
    pair_sizes_.resize(texts_.size(), 0);
    texts_.push_back(text.empty() ? "" : text.data());
    sizes_.push_back(text.size());
    pairs_.push_back(pair.empty() ? "" : pair.data());
    pair_sizes_.push_back(pair.size());
  }
  /** How many. */
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(texts_.size()); }
  /** Puts them into arguments of lffn_model_run.
   * @param args receives them */
  void give(lffn_model_run_args& args) const noexcept {
    args.n = count();
    args.texts = texts_.data();
    args.text_sizes = sizes_.data();
    args.pairs = pairs_.empty() ? nullptr : pairs_.data();
    args.pair_sizes = pairs_.empty() ? nullptr : pair_sizes_.data();
  }

 private:
  template <typename Container>
  void add_all(const Container& texts) {
    texts_.reserve(texts.size());
    sizes_.reserve(texts.size());
    for (const std::string_view text : texts) add(text);
  }

  std::vector<const char*> texts_, pairs_;
  std::vector<std::size_t> sizes_, pair_sizes_;
};

/** What to do with texts and their vectors. The defaults: as the model means it, longer texts cut where it cuts. */
struct RunOptions {
  std::int64_t max_tokens = LFFN_MAX_TOKENS_MODEL; /**< Cut to so many tokens, or LFFN_MAX_TOKENS_. */
  std::int32_t reading = LFFN_READING_MODEL;       /**< LFFN_READING_. */
  std::int32_t prompt_kind = LFFN_PROMPT_MODEL;    /**< LFFN_PROMPT_. */
  std::string prompt;                              /**< Of LFFN_PROMPT_NAMED and LFFN_PROMPT_TEXT. */
  std::int32_t pooling = LFFN_POOLING_MODEL;       /**< LFFN_POOLING_. */
  std::int32_t normalize = LFFN_NORMALIZE_MODEL;   /**< LFFN_NORMALIZE_. */
  std::int32_t num_threads = 0;                    /**< At most so many threads; 0 = as many as the model has. */
  const CancelFlag* cancel = nullptr;              /**< Ends the call from another thread. */

  /** The defaults, but for texts of more tokens than the model can run, which are refused. */
  static RunOptions uncut() {
    RunOptions options;
    options.max_tokens = LFFN_MAX_TOKENS_NEVER;
    return options;
  }
};

/** A token in place of a mask. */
struct Filling {
  std::int32_t id;   /**< Which token. */
  float probability; /**< The model's softmax. */
};

/** lffn_result_view. */
struct ResultView : lffn_result_view {
  /** All zero. */
  ResultView() noexcept : lffn_result_view() { lffn_result_view_init(this); }
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
  /** What it holds, valid until it is used again. */
  ResultView view() const {
    ResultView result;
    check(lffn_result_get(handle_.get(), &result));
    return result;
  }
  /** The handle, for functions of the C interface. */
  lffn_result* get() const noexcept { return handle_.get(); }
  /** Gives up the handle; the caller frees it. */
  lffn_result* release() noexcept { return handle_.release(); }

 private:
  std::unique_ptr<lffn_result, Free> handle_;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_RUN_HPP */
