/* tokenizer.hpp - a tokenizer in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_TOKENIZER_HPP
#define LOOKUPFFN_TOKENIZER_HPP

#include <optional>
#include <string_view>
#include <vector>

#include "lookupffn/base.hpp"

namespace lookupffn {

/** lffn_tokenizer_info. */
struct TokenizerInfo : lffn_tokenizer_info {
  /** All zero. */
  TokenizerInfo() noexcept : lffn_tokenizer_info() { lffn_tokenizer_info_init(this); }
};

/** How a text is turned into tokens. */
struct TokenizeOptions {
  std::optional<std::string_view> pair;            /**< The second text of a pair. */
  bool special = true;                             /**< Whether special tokens are put around. */
  std::int64_t max_tokens = LFFN_MAX_TOKENS_NEVER; /**< Cut to so many, special ones counted; or LFFN_MAX_TOKENS_. */
  const CancelFlag* cancel = nullptr;              /**< Ends the call from another thread. */
};

/** A text's tokens. */
struct Encoding {
  std::vector<std::int32_t> ids;    /**< The tokens. */
  std::vector<std::int32_t> types;  /**< The template's type of each. */
  std::vector<std::int64_t> begins; /**< The first byte of the text that each stands for. */
  std::vector<std::int64_t> ends;   /**< The byte behind each. */
  std::int64_t uncut = 0;           /**< How many there would be without cutting. */
};

/** A loaded tokenizer. Can be moved, not copied, and ends when no other thread uses it. */
class Tokenizer {
 public:
  /** Loads a folder, a tokenizer.json, or a file that Model::save wrote.
   * @param path    UTF-8
   * @param options see lffn_tokenizer_load */
  static Tokenizer load(const std::string& path, const LoadOptions& options = {}) {
    return value_of(try_load(path, options));
  }

  /** As load, but reports a failure by its status.
   * @param path    UTF-8
   * @param options see lffn_tokenizer_load */
  static Outcome<Tokenizer> try_load(const std::string& path, const LoadOptions& options = {}) noexcept {
    lffn_tokenizer* handle = nullptr;
    const lffn_status status = lffn_tokenizer_load(path.c_str(), &options, &handle);
    return {status, Tokenizer(handle)};
  }

  /** Loads the files of such a folder from memory.
   * @param files   see lffn_file
   * @param options see lffn_tokenizer_load */
  static Tokenizer load_files(Span<const lffn_file> files, const LoadOptions& options = {}) {
    return value_of(try_load_files(files, options));
  }

  /** As load_files, but reports a failure by its status.
   * @param files   see lffn_file
   * @param options see lffn_tokenizer_load */
  static Outcome<Tokenizer> try_load_files(Span<const lffn_file> files, const LoadOptions& options = {}) noexcept {
    lffn_tokenizer* handle = nullptr;
    const lffn_status status =
        lffn_tokenizer_load_files(files.data(), static_cast<std::int64_t>(files.size()), &options, &handle);
    return {status, Tokenizer(handle)};
  }

  /** No tokenizer: calling a member throws InvalidArgument. */
  Tokenizer() noexcept = default;
  /** Takes over a handle of the C interface. */
  explicit Tokenizer(lffn_tokenizer* handle) noexcept : handle_(handle) {}

  /** A text's tokens, with types and places.
   * @param text    UTF-8
   * @param options see TokenizeOptions */
  Encoding encode(std::string_view text, const TokenizeOptions& options = {}) const {
    Encoding result;
    std::int64_t n_ids = 0;
    lffn_tokenize_args args = arguments(text, options);
    args.n_ids = &n_ids;
    args.n_uncut = &result.uncut;
    const auto give_room = [&](std::size_t size) {
      result.ids.resize(size);
      result.types.resize(size);
      result.begins.resize(size);
      result.ends.resize(size);
      args.ids = result.ids.data();
      args.types = result.types.data();
      args.begins = result.begins.data();
      args.ends = result.ends.data();
      args.capacity = static_cast<std::int64_t>(size);
    };
    // Tokens are mostly longer than two bytes. The second time there is room for all.
    give_room((text.size() + (options.pair ? options.pair->size() : 0)) / 2 + 16);
    lffn_status status = lffn_tokenizer_encode(handle_.get(), &args);
    if (status == LFFN_ERROR_TOO_SMALL) {
      give_room(static_cast<std::size_t>(n_ids));
      status = lffn_tokenizer_encode(handle_.get(), &args);
    }
    check(status);
    give_room(static_cast<std::size_t>(n_ids));
    return result;
  }

  /** How many tokens a text has.
   * @param text    UTF-8
   * @param options see TokenizeOptions */
  std::int64_t count(std::string_view text, const TokenizeOptions& options = {}) const {
    std::int64_t n_ids = 0;
    lffn_tokenize_args args = arguments(text, options);
    args.n_ids = &n_ids;
    check(lffn_tokenizer_encode(handle_.get(), &args));
    return n_ids;
  }

  /** The text of ids.
   * @param ids   of the vocabulary
   * @param flags LFFN_DETOKENIZE_ values */
  std::string decode(Span<const std::int32_t> ids, std::uint32_t flags = 0) const {
    std::size_t n_bytes = 0;
    const auto n_ids = static_cast<std::int64_t>(ids.size());
    std::string text(8 * ids.size() + 64, '\0');
    lffn_status status =
        lffn_tokenizer_decode(handle_.get(), ids.data(), n_ids, flags, text.data(), text.size(), &n_bytes);
    if (status == LFFN_ERROR_TOO_SMALL) {
      text.resize(n_bytes);
      status = lffn_tokenizer_decode(handle_.get(), ids.data(), n_ids, flags, text.data(), text.size(), &n_bytes);
    }
    check(status);
    text.resize(n_bytes);
    return text;
  }

  /** The id of a token of the vocabulary, or -1.
   * @param token written as in the vocabulary */
  std::int32_t find(std::string_view token) const {
    std::int32_t id = -1;
    check(lffn_tokenizer_find(handle_.get(), token.data(), token.size(), &id));
    return id;
  }

  /** How the vocabulary writes a token; valid as long as the tokenizer.
   * @param id below vocab_size */
  std::string_view token(std::int32_t id) const {
    const char* text = nullptr;
    std::size_t size = 0;
    check(lffn_tokenizer_token(handle_.get(), id, &text, &size));
    return {text, size};
  }

  /** What the tokenizer is. */
  TokenizerInfo info() const {
    TokenizerInfo result;
    check(lffn_tokenizer_get_info(handle_.get(), &result));
    return result;
  }

  /** The handle, for functions of the C interface. */
  lffn_tokenizer* get() const noexcept { return handle_.get(); }
  /** Gives up the handle; the caller frees it. */
  lffn_tokenizer* release() noexcept { return handle_.release(); }

 private:
  static lffn_tokenize_args arguments(std::string_view text, const TokenizeOptions& options) noexcept {
    lffn_tokenize_args args;
    lffn_tokenize_args_init(&args);
    args.text = text.empty() ? "" : text.data();
    args.text_size = text.size();
    if (options.pair) {
      args.pair = options.pair->empty() ? "" : options.pair->data();
      args.pair_size = options.pair->size();
    }
    args.max_tokens = options.max_tokens;
    args.flags = options.special ? std::uint32_t{LFFN_TOKENIZE_SPECIAL} : 0;
    args.cancel = options.cancel == nullptr ? nullptr : options.cancel->address();
    return args;
  }

  std::unique_ptr<lffn_tokenizer, Free> handle_;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_TOKENIZER_HPP */
