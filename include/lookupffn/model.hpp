/* model.hpp - a whole model in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_MODEL_HPP
#define LOOKUPFFN_MODEL_HPP

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "lookupffn/tasks.hpp"
#include "lookupffn/tokenizer.hpp"

namespace lookupffn {

/** lffn_model_shape, lffn_model_heads and lffn_model_costs together. */
struct ModelInfo : lffn_model_shape, lffn_model_heads, lffn_model_costs {
  /** All zero. */
  ModelInfo() noexcept : lffn_model_shape(), lffn_model_heads(), lffn_model_costs() {
    lffn_model_shape_init(static_cast<lffn_model_shape*>(this));
    lffn_model_heads_init(static_cast<lffn_model_heads*>(this));
    lffn_model_costs_init(static_cast<lffn_model_costs*>(this));
  }
};

/** lffn_model_layer_info. */
struct ModelLayerInfo : lffn_model_layer_info {
  /** All zero. */
  ModelLayerInfo() noexcept : lffn_model_layer_info() { lffn_model_layer_info_init(this); }
};

/** lffn_memory_estimate. */
struct MemoryEstimate : lffn_memory_estimate {
  /** All zero. */
  MemoryEstimate() noexcept : lffn_memory_estimate() { lffn_memory_estimate_init(this); }
};

/** A loaded model. Can be moved, not copied. No other thread may use it when it is destroyed. Calling a member of a
 * moved-from model throws InvalidArgument. */
class Model {
 public:
  /** Loads a folder, or a file that save wrote.
   * @param path    UTF-8; a std::filesystem::path converts too
   * @param options see lffn_load_options */
  static Model load(const std::string& path, const LoadOptions& options = {}) {
    return value_of(try_load(path, options));
  }

  /** As load, but reports a failure by its status.
   * @param path    UTF-8
   * @param options see lffn_load_options */
  static Outcome<Model> try_load(const std::string& path, const LoadOptions& options = {}) noexcept {
    lffn_model* handle = nullptr;
    const lffn_status status = lffn_model_load(path.c_str(), &options, &handle);
    return {status, Model(handle)};
  }

  /** Estimates how much memory load would take.
   * @param path    UTF-8
   * @param options see lffn_load_options */
  static MemoryEstimate estimate(const std::string& path, const LoadOptions& options = {}) {
    MemoryEstimate found;
    check(lffn_model_estimate(path.c_str(), &options, &found));
    return found;
  }

  /** Estimates how much memory load_files would take.
   * @param files   see lffn_file; the bytes of a file that save wrote are one, "model.safetensors"
   * @param options see lffn_load_options */
  static MemoryEstimate estimate_files(Span<const lffn_file> files, const LoadOptions& options = {}) {
    MemoryEstimate found;
    check(lffn_model_estimate_files(files.data(), static_cast<std::int64_t>(files.size()), &options, &found));
    return found;
  }

  /** Loads the bytes of a file that save wrote; they may be freed afterwards.
   * @param bytes   a container of char, unsigned char or std::byte
   * @param options see lffn_load_options */
  template <typename Bytes>
  static Model load_memory(const Bytes& bytes, const LoadOptions& options = {}) {
    return value_of(try_load_memory(bytes, options));
  }

  /** As load_memory, but reports a failure by its status.
   * @param bytes   a container of char, unsigned char or std::byte
   * @param options see lffn_load_options */
  template <typename Bytes>
  static Outcome<Model> try_load_memory(const Bytes& bytes, const LoadOptions& options = {}) noexcept {
    static_assert(sizeof(*std::data(bytes)) == 1, "a container of bytes");
    lffn_model* handle = nullptr;
    const lffn_status status = lffn_model_load_memory(std::data(bytes), std::size(bytes), &options, &handle);
    return {status, Model(handle)};
  }

  /** Loads the files of a folder, held in memory; they may be freed afterwards.
   * @param files   see lffn_file
   * @param options see lffn_load_options */
  static Model load_files(Span<const lffn_file> files, const LoadOptions& options = {}) {
    return value_of(try_load_files(files, options));
  }

  /** As load_files, but reports a failure by its status.
   * @param files   see lffn_file
   * @param options see lffn_load_options */
  static Outcome<Model> try_load_files(Span<const lffn_file> files, const LoadOptions& options = {}) noexcept {
    lffn_model* handle = nullptr;
    const lffn_status status =
        lffn_model_load_files(files.data(), static_cast<std::int64_t>(files.size()), &options, &handle);
    return {status, Model(handle)};
  }

  /** No model: calling a member throws InvalidArgument. */
  Model() noexcept = default;
  /** Takes over a handle of the C interface. */
  explicit Model(lffn_model* handle) noexcept : handle_(handle) {
    if (handle == nullptr) return;
    // They fail only where there is no model.
    [[maybe_unused]] const lffn_status told[] = {lffn_model_get_shape(handle, &info_),
                                                 lffn_model_get_heads(handle, &info_),
                                                 lffn_model_get_costs(handle, &info_)};
  }

  /** One vector for each text, [texts, embedding_size].
   * @param texts   UTF-8
   * @param options see RunOptions */
  std::vector<float> embed(const Texts& texts, const RunOptions& options = {}) const {
    lffn_model_run_args args = arguments(options);
    texts.give(args);
    return floats(args, out::embeddings, args.n * width(options));
  }

  /** One vector for each sequence, [sequences, embedding_size].
   * @param sequences of token ids, none of them empty
   * @param options   see RunOptions */
  std::vector<float> embed(const Sequences& sequences, const RunOptions& options = {}) const {
    lffn_model_run_args args = arguments(sequences, options);
    return floats(args, out::embeddings, args.n * width(options));
  }

  /** Like embed, but writes to the caller's memory and reports a failure by its status.
   * @param texts   UTF-8
   * @param out     receives [texts, embedding_size]
   * @param options see RunOptions */
  [[nodiscard]] lffn_status try_embed(const Texts& texts, Span<float> out,
                                      const RunOptions& options = {}) const noexcept {
    lffn_model_run_args args = arguments(options);
    texts.give(args);
    float none = 0;
    const lffn_output output = {LFFN_OUT_EMBEDDINGS, 0, out.empty() ? &none : out.data(),
                                static_cast<std::int64_t>(out.size())};
    args.outputs = &output;
    args.n_outputs = 1;
    return lffn_model_run(handle_.get(), &args);
  }

  /** The parts of each text and their embeddings: one for each window of options.max_tokens that it needs. In
   * model_texts.hpp.
   * @param texts   UTF-8
   * @param options see RunOptions; its windows are not read */
  List<List<Window>> embed_windows(const Texts& texts, const RunOptions& options = {}) const;

  /** One vector of bytes for each text. In model_texts.hpp.
   * @param texts   UTF-8
   * @param options see RunOptions */
  Int8Embeddings embed_int8(const Texts& texts, const RunOptions& options = {}) const;

  /** One bit for each number of an embedding, [texts, ceil(size / 8)]: see LFFN_OUT_BIT_EMBEDDINGS. In model_texts.hpp.
   * @param texts   UTF-8
   * @param options see RunOptions */
  std::vector<std::uint8_t> embed_bits(const Texts& texts, const RunOptions& options = {}) const;

  /** A sparse vector for each text. Whether the texts are queries or documents matters to some models: see
   * RunOptions::prompt_kind. In model_texts.hpp.
   * @param texts   UTF-8
   * @param options see RunOptions */
  List<SparseVector> embed_sparse(const Texts& texts, const RunOptions& options = {}) const;

  /** A vector for each token of each text. In model_texts.hpp.
   * @param texts   UTF-8
   * @param options see RunOptions */
  List<TokenVectors> token_vectors(const Texts& texts, const RunOptions& options = {}) const;

  /** Several vectors for each text, as late interaction compares them: see RunOptions::prompt_kind and max_sim. In
   * late.hpp.
   * @param texts   UTF-8
   * @param options see RunOptions; LFFN_PROMPT_QUERY or LFFN_PROMPT_DOCUMENT says which kind of text they are */
  LateVectors embed_late(const Texts& texts, const RunOptions& options) const;

  /** The same as bytes, which take a quarter of the memory. In late.hpp.
   * @param texts   UTF-8
   * @param options see RunOptions */
  LateVectors embed_late_int8(const Texts& texts, const RunOptions& options) const;

  /** How many tokens each text has, exactly as embed would read it; runs no layer. In model_texts.hpp.
   * @param texts   UTF-8
   * @param options see RunOptions */
  List<TokenCount> count_tokens(const Texts& texts, const RunOptions& options = {}) const;

  /** The raw class scores of each text, [texts, num_classes].
   * @param texts   UTF-8
   * @param options see RunOptions */
  std::vector<float> classify(const Texts& texts, const RunOptions& options = {}) const {
    lffn_model_run_args args = arguments(options);
    texts.give(args);
    return floats(args, out::class_scores, args.n * info().num_classes);
  }

  /** The raw class scores of each sequence, [sequences, num_classes].
   * @param sequences of token ids, none of them empty
   * @param options   see RunOptions */
  std::vector<float> classify(const Sequences& sequences, const RunOptions& options = {}) const {
    lffn_model_run_args args = arguments(sequences, options);
    return floats(args, out::class_scores, args.n * info().num_classes);
  }

  /** The raw scores of each token, [tokens, num_token_classes].
   * @param sequences of token ids
   * @param options   see RunOptions */
  std::vector<float> token_scores(const Sequences& sequences, const RunOptions& options = {}) const;

  /** How well each document answers a query: a reranker's raw scores, or those of a late-interaction model. In
   * late.hpp.
   * @param query     UTF-8
   * @param documents UTF-8
   * @param options   see RunOptions; a late-interaction model takes only max_tokens, repair_text, num_threads and
   * cancel, and refuses others */
  std::vector<float> rerank(std::string_view query, const std::vector<std::string>& documents,
                            const RunOptions& options = {}) const;

  /** Turns raw class scores into probabilities, or into what the model's files ask for, in place. In model_tasks.hpp.
   * @param kind   LFFN_SCORES_
   * @param scores [texts, num_classes] */
  void activate(std::int32_t kind, Span<float> scores) const;

  /** For each mask in the text, the most likely tokens, the best first. In model_tasks.hpp.
   * @param text    UTF-8
   * @param top_k   how many for each
   * @param options see RunOptions; masks in a part that is cut off are lost */
  List<List<Filling>> fill_mask(std::string_view text, std::int32_t top_k,
                                const RunOptions& options = RunOptions::uncut()) const;

  /** The names, places and the like in each text. In model_tasks.hpp.
   * @param texts       UTF-8
   * @param aggregation LFFN_AGGREGATION_
   * @param options     see RunOptions */
  List<List<Entity>> entities(const Texts& texts, std::int32_t aggregation = LFFN_AGGREGATION_SIMPLE,
                              const RunOptions& options = {}) const;

  /** The parts of a context that answer a question, the best first. In model_tasks.hpp.
   * @param question UTF-8
   * @param context  UTF-8
   * @param options  see AnswerOptions */
  List<Answer> answer(std::string_view question, std::string_view context, const AnswerOptions& options = {}) const;

  /** How likely each label is to fit a text, the most likely first. In model_tasks.hpp.
   * @param text    UTF-8
   * @param labels  UTF-8
   * @param options see ZeroShotOptions */
  List<ScoredLabel> zero_shot(std::string_view text, const std::vector<std::string>& labels,
                              const ZeroShotOptions& options = {}) const;

  /** The hidden states, [tokens, hidden_size].
   * @param sequences of token ids
   * @param options   see RunOptions */
  std::vector<float> encode(const Sequences& sequences, const RunOptions& options = {}) const;

  /** The logits at some positions, [positions, vocab_size].
   * @param sequences of token ids
   * @param positions indices in sequences.ids, in any order
   * @param options   see RunOptions */
  std::vector<float> logits(const Sequences& sequences, Span<const std::int64_t> positions,
                            const RunOptions& options = {}) const;

  /** Any outputs of texts, kept in a result: `model.run(texts, {out::embeddings, out::token_ids}, result)`, then
   * `result.get(out::embeddings)`. In model_texts.hpp.
   * @param texts   UTF-8
   * @param outputs which
   * @param result  receives them
   * @param options see RunOptions */
  void run(const Texts& texts, std::initializer_list<AnyOutput> outputs, Result& result,
           const RunOptions& options = {}) const;

  /** Anything that lffn_model_run can do.
   * @param args see lffn_model_run_args */
  void run(const lffn_model_run_args& args) const { check(lffn_model_run(handle_.get(), &args)); }

  /** As run, but reports a failure by its status.
   * @param args see lffn_model_run_args */
  [[nodiscard]] lffn_status try_run(const lffn_model_run_args& args) const noexcept {
    return lffn_model_run(handle_.get(), &args);
  }

  /** Describes the model. */
  ModelInfo info() const&& { return info(); }
  /** Describes the model. */
  const ModelInfo& info() const& {
    if (handle_ == nullptr) throw InvalidArgument("the model is empty or was moved from");
    return info_;
  }

  /** Names what the model's results depend on, to be stored beside vectors; see lffn_model_fingerprint. */
  std::array<std::uint8_t, LFFN_FINGERPRINT_SIZE> fingerprint() const {
    std::array<std::uint8_t, LFFN_FINGERPRINT_SIZE> bytes = {};
    check(lffn_model_fingerprint(handle_.get(), bytes.data()));
    return bytes;
  }

  /** Describes one of its layers.
   * @param layer from 0, below num_layers */
  ModelLayerInfo layer_info(std::int32_t layer) const {
    ModelLayerInfo found;
    check(lffn_model_get_layer_info(handle_.get(), layer, &found));
    return found;
  }

  /** The JSON text of the model's config. Valid as long as the model; so are labels and prompts. */
  std::string_view config() const& {
    const char* const text = lffn_model_config(handle_.get());
    return text == nullptr ? "" : text;
  }
  /** Deleted for a temporary, which the result would outlive. */
  std::string_view config() const&& = delete;

  /** The model's family, such as "bert". */
  std::string_view family() const noexcept { return lffn_model_family(handle_.get()); }

  /** The name of a class.
   * @param index below num_classes, or below num_token_classes */
  std::string_view label(std::int32_t index) const& {
    const char* const text = lffn_model_label(handle_.get(), index);
    if (text == nullptr) throw InvalidArgument("there is no class " + std::to_string(index));
    return text;
  }
  /** Deleted for a temporary, which the result would outlive. */
  std::string_view label(std::int32_t index) const&& = delete;

  /** The text of one of the model's prompts. For any other name, InvalidArgument lists the existing ones. In
   * model_tasks.hpp.
   * @param name of the prompt */
  std::string_view prompt(std::string_view name) const&;
  /** Deleted for a temporary, which the result would outlive. */
  std::string_view prompt(std::string_view name) const&& = delete;

  /** The model's tokenizer, which outlives the model. */
  Tokenizer tokenizer() const {
    lffn_tokenizer* handle = nullptr;
    check(lffn_model_tokenizer(handle_.get(), &handle));
    return Tokenizer(handle);
  }

  /** Writes the model to one file, which appears whole or not at all.
   * @param path    UTF-8
   * @param options see lffn_save_options */
  void save(const std::string& path, const SaveOptions& options = {}) const {
    check(lffn_model_save(handle_.get(), path.c_str(), &options));
  }

  /** Another owner of the same model, which lives until its last owner ends. */
  Model share() const { return Model(lffn_model_retain(handle_.get())); }

  /** The handle, for functions of the C interface. */
  lffn_model* get() const& noexcept { return handle_.get(); }
  /** Deleted for a temporary, which the result would outlive. */
  lffn_model* get() const&& = delete;
  /** Gives up the handle; the caller frees it. */
  lffn_model* release() noexcept { return handle_.release(); }

  /** Arguments of lffn_model_run with these options.
   * @param options must outlive the arguments */
  static lffn_model_run_args arguments(const RunOptions& options) noexcept;
  /** Deleted for a temporary, which the result would outlive. */
  static lffn_model_run_args arguments(const RunOptions&& options) = delete;

 private:
  static lffn_model_run_args arguments(const Sequences& sequences, const RunOptions& options);

  std::int64_t width(const RunOptions& options) const {
    if (options.dimensions > 0) return options.dimensions;
    return options.pooling == LFFN_POOLING_MODEL ? info().embedding_size : info().hidden_size;
  }
  static void keep(lffn_model_run_args& args, const std::vector<lffn_output>& outputs, Result& result) noexcept;
  // The offsets of each text's vectors and max_sim_flags; the rest is left empty.
  LateVectors late_rows(const Result& result) const;

  // Runs with a new vector as the one output.
  std::vector<float> floats(lffn_model_run_args& args, Output<float> output, std::int64_t size) const;

  std::unique_ptr<lffn_model, Free> handle_;
  ModelInfo info_;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_MODEL_HPP */
