/* run.hpp - inputs and outputs of a model in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RUN_HPP
#define LOOKUPFFN_RUN_HPP

#include <initializer_list>
#include <string_view>
#include <vector>

#include "lookupffn/result.hpp"

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

/** Sequences of token ids, appended one by one. */
struct TokenBatch {
  std::vector<std::int32_t> ids;           /**< All sequences, one after the other. */
  std::vector<std::int64_t> offsets = {0}; /**< Where each begins, and where the last one ends. */
  /** Appends a sequence. */
  void add(Span<const std::int32_t> sequence) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  /** A view of them for Model. */
  Sequences view() const& noexcept { return {ids, offsets}; }
  /** Deleted for a temporary, which the result would outlive. */
  Sequences view() const&& = delete;
};

/** Texts, or pairs of texts, as the C interface takes them. The strings that they refer to must outlive them; a
 * temporary vector of strings is kept. */
class Texts {
 public:
  /** No texts. */
  Texts() = default;
  /** @param texts UTF-8 */
  Texts(const std::vector<std::string>& texts) { add_all(texts); }  // NOLINT(google-explicit-constructor)
  /** @param texts UTF-8 */
  Texts(std::vector<std::string>&& texts)  // NOLINT(google-explicit-constructor)
      : kept_(std::make_shared<const std::vector<std::string>>(std::move(texts))) {
    add_all(*kept_);
  }
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
  /** Deleted for a temporary string, which ends with the statement. */
  template <typename... Strings>
  std::enable_if_t<(std::is_same_v<const Strings, const std::string> || ...)> add(Strings&&... strings) = delete;
  /** How many. */
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(texts_.size()); }
  /** Puts them into arguments of lffn_model_run or lffn_tokenizer_encode.
   * @param args receives them */
  template <typename Args>
  void give(Args& args) const noexcept {
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

  std::shared_ptr<const std::vector<std::string>> kept_;
  std::vector<const char*> texts_, pairs_;
  std::vector<std::size_t> sizes_, pair_sizes_;
};

/** What to do with texts and their vectors. By default everything is as the model's files say, including cutting. */
struct RunOptions {
  std::int64_t max_tokens = LFFN_MAX_TOKENS_MODEL; /**< Cut to this many tokens, or LFFN_MAX_TOKENS_. */
  std::int32_t reading = LFFN_READING_MODEL;       /**< LFFN_READING_. */
  std::int32_t prompt_kind = LFFN_PROMPT_MODEL;    /**< LFFN_PROMPT_. */
  std::string prompt; /**< For LFFN_PROMPT_NAMED and LFFN_PROMPT_TEXT; with another kind it is refused. */
  std::int32_t pooling = LFFN_POOLING_MODEL;       /**< LFFN_POOLING_. */
  std::int32_t normalize = LFFN_NORMALIZE_MODEL;   /**< LFFN_NORMALIZE_. */
  std::int32_t dimensions = 0;                     /**< Keep this many first numbers of each embedding; 0: all. */
  std::int32_t windows = LFFN_WINDOWS_NONE;        /**< LFFN_WINDOWS_: what happens to longer texts. */
  std::int64_t stride = 0;                         /**< Tokens that a window repeats, or LFFN_STRIDE_DEFAULT. */
  std::int32_t max_active = LFFN_MAX_ACTIVE_MODEL; /**< Most weights of a sparse vector, or LFFN_MAX_ACTIVE_. */
  float min_weight = 0;                            /**< Weights of a sparse vector are above it. */
  bool repair_text = false;                        /**< Invalid UTF-8 is read as U+FFFD. */
  std::int32_t num_threads = 0;                    /**< Most threads to use; 0 = as many as the model has. */
  const CancelFlag* cancel = nullptr;              /**< Ends the call from another thread. */
  lffn_run_progress_callback progress = nullptr;   /**< Receives how many texts are done. */
  void* progress_user = nullptr;                   /**< Passed to progress. */

  /** The defaults, except that texts with more tokens than the model can run are refused. */
  static RunOptions uncut() {
    RunOptions options;
    options.max_tokens = LFFN_MAX_TOKENS_NEVER;
    return options;
  }
};

/** How many tokens a text has. */
struct TokenCount {
  std::int64_t run;   /**< As run: cut, and with its prompt. */
  std::int64_t uncut; /**< Without cutting. */
};

/** A part of a text and its embedding. */
struct Window {
  std::size_t begin;            /**< Its first byte in the text. */
  std::size_t end;              /**< The byte after its last one. */
  std::vector<float> embedding; /**< Its embedding. */
};

/** Embeddings as bytes. */
struct Int8Embeddings {
  std::vector<std::int8_t> values; /**< [texts, size]; a number is this times the scale. */
  std::vector<float> scales;       /**< [texts] */
  std::size_t size = 0;            /**< Numbers of each. */
};

/** A text's tokens as vectors, with the bytes that they stand for. */
struct TokenVectors {
  std::vector<float> values;        /**< [tokens, size] */
  std::vector<std::int32_t> ids;    /**< [tokens] */
  std::vector<std::int64_t> begins; /**< [tokens] the first byte of each; 0, as in ends, for added tokens. */
  std::vector<std::int64_t> ends;   /**< [tokens] the byte after each. */
  std::size_t size = 0;             /**< Numbers of each. */
};

/** Texts as several vectors each, for late interaction, either as floats or as bytes. */
struct LateVectors {
  std::vector<float> values;               /**< [vectors, size], or empty. */
  std::vector<std::int8_t> bytes;          /**< Likewise; a number is this times its vector's scale. */
  std::vector<float> scales;               /**< [vectors] the scales of bytes. */
  std::vector<std::int64_t> offsets = {0}; /**< Where each text's vectors begin, and where the last one's end. */
  std::size_t size = 0;                    /**< Numbers of each vector. */
  std::uint32_t max_sim_flags = 0;         /**< How the model's queries are scored. */

  /** How many texts. */
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(offsets.size()) - 1; }
};

/** How max_sim runs. */
struct MaxSimOptions {
  std::int32_t num_threads = 0;       /**< Most threads to use; 0 = as many as the environment allows. */
  const CancelFlag* cancel = nullptr; /**< Ends the call from another thread. */
};

/** The tokens of the vocabulary that a text is about, the largest weights first. */
struct SparseVector {
  std::vector<std::int32_t> ids; /**< Which tokens. */
  std::vector<float> weights;    /**< The weight of each. */
};

/** A token in place of a mask. */
struct Filling {
  std::int32_t id;   /**< Which token. */
  float probability; /**< The model's softmax. */
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_RUN_HPP */
