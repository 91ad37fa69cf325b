/* tokenizer.hpp - a tokenizer in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_TOKENIZER_HPP
#define LOOKUPFFN_TOKENIZER_HPP

#include <optional>
#include <string_view>
#include <vector>

#include "lookupffn/run.hpp"

namespace lookupffn {

/** lffn_tokenizer_info. */
struct TokenizerInfo : lffn_tokenizer_info {
  /** All zero. */
  TokenizerInfo() noexcept : lffn_tokenizer_info() { lffn_tokenizer_info_init(this); }
};

/** How a text is turned into tokens. */
struct TokenizeOptions {
  std::optional<std::string> pair; /**< The second text of a pair. */
  bool special = true;             /**< Whether to add special tokens. */
  std::int64_t max_tokens =
      LFFN_MAX_TOKENS_NEVER;          /**< Cut to this many, including special ones; or LFFN_MAX_TOKENS_. */
  bool repair_text = false;           /**< Invalid UTF-8 is read as U+FFFD. */
  std::int32_t num_threads = 0;       /**< Most threads for a batch; 0 = as many as the tokenizer has. */
  const CancelFlag* cancel = nullptr; /**< Ends the call from another thread. */
};

/** A text's tokens. */
struct Encoding {
  std::vector<std::int32_t> ids;    /**< The tokens. */
  std::vector<std::int32_t> types;  /**< The template's type of each. */
  std::vector<std::int64_t> begins; /**< The first byte of the text that each stands for. */
  std::vector<std::int64_t> ends;   /**< The byte after each. */
  std::int64_t uncut = 0;           /**< How many tokens there would be without cutting. */
};

/** A loaded tokenizer. Can be moved, not copied. No other thread may use it when it is destroyed. */
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

  /** Loads the files of a folder from memory.
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
    TokenizeOptions others = options;
    others.pair.reset();
    return encode_batch(texts_of(text, options), others)[0];
  }

  /** The tokens of several texts, on several threads.
   * @param texts   UTF-8, with their pairs
   * @param options see TokenizeOptions; its pair is refused, as texts have pairs of their own */
  List<Encoding> encode_batch(const Texts& texts, const TokenizeOptions& options = {}) const {
    if (options.pair) throw InvalidArgument("a pair is given in the options; add it to the texts");
    constexpr lffn_output kOutputs[] = {
        {LFFN_OUT_TOKEN_IDS, 0, nullptr, 0},     {LFFN_OUT_TOKEN_TYPES, 0, nullptr, 0},
        {LFFN_OUT_TOKEN_BEGINS, 0, nullptr, 0},  {LFFN_OUT_TOKEN_ENDS, 0, nullptr, 0},
        {LFFN_OUT_TOKEN_OFFSETS, 0, nullptr, 0}, {LFFN_OUT_UNCUT_LENGTHS, 0, nullptr, 0},
    };
    Result result;
    lffn_tokenizer_encode_args args = arguments(texts, options);
    args.outputs = kOutputs;
    args.n_outputs = 6;
    args.result = result.get();
    check(lffn_tokenizer_encode(handle_.get(), &args));
    const auto ids = result.get(out::token_ids), types = result.get(out::token_types);
    const auto begins = result.get(out::token_begins), ends = result.get(out::token_ends);
    const auto offsets = result.get(out::token_offsets), uncut = result.get(out::uncut_lengths);
    List<Encoding> found(uncut.count());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::int64_t begin = offsets[i], end = offsets[i + 1];
      found[i].ids.assign(ids.values.data() + begin, ids.values.data() + end);
      found[i].types.assign(types.values.data() + begin, types.values.data() + end);
      found[i].begins.assign(begins.values.data() + begin, begins.values.data() + end);
      found[i].ends.assign(ends.values.data() + begin, ends.values.data() + end);
      found[i].uncut = uncut[i];
    }
    return found;
  }

  /** How many tokens a text has.
   * @param text    UTF-8
   * @param options see TokenizeOptions */
  std::int64_t count(std::string_view text, const TokenizeOptions& options = {}) const {
    std::int64_t offsets[2] = {};
    const lffn_output output = {LFFN_OUT_TOKEN_OFFSETS, 0, offsets, 2};
    const Texts texts = texts_of(text, options);
    lffn_tokenizer_encode_args args = arguments(texts, options);
    args.outputs = &output;
    args.n_outputs = 1;
    check(lffn_tokenizer_encode(handle_.get(), &args));
    return offsets[1];
  }

  /** The text of ids.
   * @param ids   of the vocabulary
   * @param flags LFFN_DECODE_ values */
  std::string decode(Span<const std::int32_t> ids, std::uint32_t flags = 0) const {
    const std::int64_t offsets[] = {0, static_cast<std::int64_t>(ids.size())};
    return decode_batch({ids, offsets}, flags)[0];
  }

  /** The texts of sequences of ids.
   * @param sequences of the vocabulary
   * @param flags     LFFN_DECODE_ values */
  List<std::string> decode_batch(const Sequences& sequences, std::uint32_t flags = 0) const {
    constexpr lffn_output kOutputs[] = {{LFFN_OUT_DECODED, 0, nullptr, 0}, {LFFN_OUT_DECODED_OFFSETS, 0, nullptr, 0}};
    Result result;
    lffn_tokenizer_decode_args args;
    lffn_tokenizer_decode_args_init(&args);
    args.n = sequences.count();
    args.ids = sequences.ids.data();
    args.offsets = sequences.offsets.data();
    args.flags = flags;
    args.outputs = kOutputs;
    args.n_outputs = 2;
    args.result = result.get();
    check(lffn_tokenizer_decode(handle_.get(), &args));
    const char* const decoded = result.get(out::decoded).values.data();
    const auto offsets = result.get(out::decoded_offsets);
    List<std::string> texts;
    for (std::size_t i = 0; i + 1 < offsets.count(); ++i) {
      texts.emplace_back(decoded + offsets[i], decoded + offsets[i + 1] - 1);
    }
    return texts;
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
  std::string_view token(std::int32_t id) const& {
    const char* text = nullptr;
    std::size_t size = 0;
    check(lffn_tokenizer_token(handle_.get(), id, &text, &size));
    return {text, size};
  }
  /** Deleted for a temporary, which the result would outlive. */
  std::string_view token(std::int32_t id) const&& = delete;

  /** Describes the tokenizer. */
  TokenizerInfo info() const {
    TokenizerInfo result;
    check(lffn_tokenizer_get_info(handle_.get(), &result));
    return result;
  }

  /** Another owner of the same tokenizer, which lives until its last owner ends. */
  Tokenizer share() const { return Tokenizer(lffn_tokenizer_retain(handle_.get())); }

  /** The handle, for functions of the C interface. */
  lffn_tokenizer* get() const& noexcept { return handle_.get(); }
  /** Deleted for a temporary, which the result would outlive. */
  lffn_tokenizer* get() const&& = delete;
  /** Gives up the handle; the caller frees it. */
  lffn_tokenizer* release() noexcept { return handle_.release(); }

 private:
  static Texts texts_of(std::string_view text, const TokenizeOptions& options) {
    Texts texts;
    if (options.pair) {
      texts.add(text, *options.pair);
    } else {
      texts.add(text);
    }
    return texts;
  }
  static lffn_tokenizer_encode_args arguments(const Texts& texts, const TokenizeOptions& options) noexcept {
    lffn_tokenizer_encode_args args;
    lffn_tokenizer_encode_args_init(&args);
    texts.give(args);
    args.max_tokens = options.max_tokens;
    args.flags = (options.special ? 0 : std::uint32_t{LFFN_ENCODE_SKIP_SPECIAL}) |
                 (options.repair_text ? std::uint32_t{LFFN_ENCODE_REPAIR_TEXT} : 0);
    args.num_threads = options.num_threads;
    args.cancel = options.cancel == nullptr ? nullptr : options.cancel->address();
    return args;
  }

  std::unique_ptr<lffn_tokenizer, Free> handle_;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_TOKENIZER_HPP */
