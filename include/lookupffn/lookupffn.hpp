/* lookupffn.hpp - the C++17 interface of liblookupffn, header-only over lookupffn.h
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * In short:
 *
 *     auto layer = lookupffn::Layer::load("layer.safetensors");
 *     std::vector<float> y = layer.forward(x);  // x: any contiguous container of floats, whole tokens
 *
 * What fails throws a class derived from lookupffn::Error, one per status. Everything else is as in lookupffn.h: a
 * layer never changes once made, and any number of threads may use one at once.
 */
#ifndef LOOKUPFFN_LOOKUPFFN_HPP
#define LOOKUPFFN_LOOKUPFFN_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lookupffn/lookupffn.h"

/** The C++ interface. */
namespace lookupffn {

/** What every failing call throws: the sentence of lffn_last_error() and its status. */
class Error : public std::runtime_error {
 public:
  /** @param status  which LFFN_ERROR_ value
   *  @param message one sentence */
  Error(lffn_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  /** The LFFN_ERROR_ value. */
  lffn_status status() const noexcept { return status_; }

 private:
  lffn_status status_;
};

/** An Error with one fixed status, so that it can be caught by type. */
template <lffn_status Status>
class ErrorOf : public Error {
 public:
  /** @param message one sentence */
  explicit ErrorOf(const std::string& message) : Error(Status, message) {}
};

using InvalidArgument = ErrorOf<LFFN_ERROR_INVALID_ARGUMENT>; /**< The caller passed something that cannot be meant. */
using OutOfMemory = ErrorOf<LFFN_ERROR_OUT_OF_MEMORY>;        /**< An allocation failed. */
using IoError = ErrorOf<LFFN_ERROR_IO>;                       /**< The operating system refused to read or write. */
using BadModel = ErrorOf<LFFN_ERROR_BAD_MODEL>;               /**< Not a valid model. */
using Unsupported = ErrorOf<LFFN_ERROR_UNSUPPORTED>; /**< Valid, but not possible in this build or on this CPU. */
using Cancelled = ErrorOf<LFFN_ERROR_CANCELLED>;     /**< The CancelFlag was set. */
using InternalError = ErrorOf<LFFN_ERROR_INTERNAL>;  /**< A bug in the library; please report it. */

/** Throws the Error that belongs to a status, with this thread's last error text. Does nothing for LFFN_OK. */
inline void check(lffn_status status) {
  switch (status) {
    case LFFN_OK:
      return;
    case LFFN_ERROR_INVALID_ARGUMENT:
      throw InvalidArgument(lffn_last_error());
    case LFFN_ERROR_OUT_OF_MEMORY:
      throw OutOfMemory(lffn_last_error());
    case LFFN_ERROR_IO:
      throw IoError(lffn_last_error());
    case LFFN_ERROR_BAD_MODEL:
      throw BadModel(lffn_last_error());
    case LFFN_ERROR_UNSUPPORTED:
      throw Unsupported(lffn_last_error());
    case LFFN_ERROR_CANCELLED:
      throw Cancelled(lffn_last_error());
    case LFFN_ERROR_INTERNAL:
      throw InternalError(lffn_last_error());
    default:
      throw Error(status, lffn_last_error());
  }
}

/** A view of contiguous elements that somebody else owns, like C++20's std::span, which converts to it. */
template <typename T>
class Span {
 public:
  /** An empty view. */
  constexpr Span() noexcept = default;
  /** @param data the first element
   *  @param size how many */
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  /** A view of any container with data() and size(): vector, array, std::span, another Span. */
  template <typename Container,
            typename = std::enable_if_t<std::is_convertible_v<
                std::remove_pointer_t<decltype(std::data(std::declval<Container&>()))> (*)[], T (*)[]>>>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Span(Container&& container) noexcept : data_(std::data(container)), size_(std::size(container)) {}

  /** The first element. */
  constexpr T* data() const noexcept { return data_; }
  /** How many elements. */
  constexpr std::size_t size() const noexcept { return size_; }
  /** Whether there are none. */
  constexpr bool empty() const noexcept { return size_ == 0; }
  /** The i-th element, unchecked. */
  constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /** For range-for. */
  constexpr T* begin() const noexcept { return data_; }
  /** For range-for. */
  constexpr T* end() const noexcept { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/** A view of tokens: the rows of an array, which may be parts of wider rows.
 * @tparam T float or const float */
template <typename T>
class Tokens {
 public:
  /** Whole rows, one after the other; the layer knows their width.
   * @param floats n_tokens * width of them */
  template <typename Container, typename = std::enable_if_t<std::is_convertible_v<Container&&, Span<T>>>>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Tokens(Container&& floats) noexcept : floats_(std::forward<Container>(floats)) {}
  /** Rows that are `stride` floats apart, the first at floats.data(); the last one may end where its width ends.
   * @param floats   everything from the first row's first float to the last row's last
   * @param n_tokens how many rows
   * @param stride   floats from one row to the next */
  constexpr Tokens(Span<T> floats, std::int64_t n_tokens, std::int64_t stride) noexcept
      : floats_(floats), n_tokens_(n_tokens), stride_(stride) {}

  /** The floats that may be touched. */
  constexpr Span<T> floats() const noexcept { return floats_; }

  /** How many rows of this width the view holds; InvalidArgument if it is not a whole number of them.
   * @param width floats per row
   * @param what  the view's name in the message */
  std::int64_t count(std::int64_t width, const char* what) const {
    const auto size = static_cast<std::int64_t>(floats_.size());
    if (stride_ == 0) {
      if (size % width != 0) {
        throw InvalidArgument(std::string(what) + ": " + std::to_string(size) +
                              " floats are no whole number of tokens of " + std::to_string(width));
      }
      return size / width;
    }
    const bool fits = n_tokens_ == 0 ||
                      (n_tokens_ > 0 && stride_ >= width && size >= width && n_tokens_ - 1 <= (size - width) / stride_);
    if (!fits) {
      throw InvalidArgument(std::string(what) + ": " + std::to_string(n_tokens_) + " tokens of " +
                            std::to_string(width) + " floats, " + std::to_string(stride_) + " apart, do not fit in " +
                            std::to_string(size));
    }
    return n_tokens_;
  }
  /** Floats from one row to the next; 0 when the rows lie one after the other. */
  constexpr std::int64_t stride() const noexcept { return stride_; }

 private:
  Span<T> floats_;
  std::int64_t n_tokens_ = 0;
  std::int64_t stride_ = 0;
};

/** Stops a forward from another thread. Must outlive the calls it is passed to. */
class CancelFlag {
 public:
  /** Calls that have this flag end soon with Cancelled. */
  void cancel() noexcept { value_.store(1, std::memory_order_relaxed); }
  /** Makes the flag usable again. */
  void reset() noexcept { value_.store(0, std::memory_order_relaxed); }
  /** Whether cancel() was called. */
  bool cancelled() const noexcept { return value_.load(std::memory_order_relaxed) != 0; }
  /** For lffn_forward_args. */
  const std::int32_t* address() const noexcept { return reinterpret_cast<const std::int32_t*>(&value_); }

 private:
  static_assert(sizeof(std::atomic<std::int32_t>) == sizeof(std::int32_t) &&
                std::atomic<std::int32_t>::is_always_lock_free);
  std::atomic<std::int32_t> value_{0};
};

/** lffn_load_options with its defaults filled in. */
struct LoadOptions : lffn_load_options {
  /** The defaults. */
  LoadOptions() noexcept : lffn_load_options() { lffn_load_options_init(this); }
};

/** lffn_layer_config with its defaults filled in. */
struct LayerConfig : lffn_layer_config {
  /** The defaults. */
  LayerConfig() noexcept : lffn_layer_config() { lffn_layer_config_init(this); }
};

/** lffn_layer_info. */
struct LayerInfo : lffn_layer_info {
  /** All zero. */
  LayerInfo() noexcept : lffn_layer_info() { lffn_layer_info_init(this); }
};

/** A tensor of the caller's for Layer::create. Name and data must outlive that call. */
struct Tensor : lffn_tensor {
  /** Float32 numbers; the other element types by setting the members of lffn_tensor.
   * @param tensor_name such as "tables"
   * @param numbers     row-major
   * @param dimensions  at most 8 */
  Tensor(const char* tensor_name, Span<const float> numbers, std::initializer_list<std::int64_t> dimensions)
      : lffn_tensor() {
    if (dimensions.size() > std::size(shape))
      throw InvalidArgument(std::string(tensor_name) + ": more than 8 dimensions");
    lffn_tensor_init(this);
    name = tensor_name;
    dtype = LFFN_F32;
    for (const std::int64_t dimension : dimensions) shape[rank++] = dimension;
    data = numbers.data();
    size = numbers.size() * sizeof(float);
  }
};

/** What Layer::hash returns: [n_tokens, num_tables, num_probes] of each. */
struct Hashes {
  std::vector<std::int32_t> codes; /**< Which rows. */
  std::vector<float> scores;       /**< With which weights. */
};

/** A loaded layer. Can be moved, not copied. Calling a member of a moved-from layer throws InvalidArgument. */
class Layer {
 public:
  /** Loads a safetensors file.
   * @param path    UTF-8; a std::filesystem::path converts too
   * @param options see lffn_load_options */
  static Layer load(const std::string& path, const LoadOptions& options = {}) {
    lffn_layer* handle = nullptr;
    check(lffn_layer_load(path.c_str(), &options, &handle));
    return Layer(handle);
  }

  /** Loads the bytes of a safetensors file, which may be freed afterwards.
   * @param bytes   a container of char, unsigned char or std::byte
   * @param options see lffn_load_options */
  template <typename Bytes>
  static Layer load_memory(const Bytes& bytes, const LoadOptions& options = {}) {
    static_assert(sizeof(*std::data(bytes)) == 1, "a container of bytes");
    lffn_layer* handle = nullptr;
    check(lffn_layer_load_memory(std::data(bytes), std::size(bytes), &options, &handle));
    return Layer(handle);
  }

  /** Makes a layer from tensors, which are copied; without tensors one with random weights from config.seed.
   * @param config  the shape
   * @param tensors named as in the file format
   * @param options see lffn_load_options */
  static Layer create(const lffn_layer_config& config, Span<const Tensor> tensors = {},
                      const LoadOptions& options = {}) {
    lffn_layer* handle = nullptr;
    check(lffn_layer_create(&config, tensors.data(), tensors.size(), &options, &handle));
    return Layer(handle);
  }

  /** Takes over a handle of the C interface. */
  explicit Layer(lffn_layer* handle) noexcept : handle_(handle) {}
  /** Moves. */
  Layer(Layer&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  /** Moves; frees what was held before. */
  Layer& operator=(Layer&& other) noexcept {
    Layer taken(std::move(other));
    std::swap(handle_, taken.handle_);
    return *this;
  }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  /** Frees the layer. No other thread may be using it. */
  ~Layer() { lffn_layer_free(handle_); }

  /** y = layer(x) into memory of the caller's.
   * @param x      whole tokens
   * @param y      at least as many tokens; the same memory as x is fine when the sizes are equal
   * @param flags  LFFN_FORWARD_ values; LFFN_FORWARD_ADD adds to what y holds
   * @param cancel nullptr, or a flag that another thread may set */
  void forward(Tokens<const float> x, Tokens<float> y, std::uint32_t flags = 0,
               const CancelFlag* cancel = nullptr) const {
    const LayerInfo sizes = info();
    lffn_forward_args args;
    lffn_forward_args_init(&args);
    args.n_tokens = x.count(sizes.hidden_size, "x");
    const std::int64_t room = y.count(sizes.output_size, "y");
    if (room < args.n_tokens) {
      throw InvalidArgument("y: room for " + std::to_string(room) + " tokens, x has " + std::to_string(args.n_tokens));
    }
    args.x = x.floats().data();
    args.x_stride = x.stride();
    args.y = y.floats().data();
    args.y_stride = y.stride();
    args.flags = flags;
    args.cancel = cancel == nullptr ? nullptr : cancel->address();
    check(lffn_layer_forward_ex(handle_, &args));
  }

  /** layer(x) as a new vector.
   * @param x whole tokens */
  std::vector<float> forward(Tokens<const float> x) const {
    const LayerInfo sizes = info();
    std::vector<float> y(static_cast<std::size_t>(x.count(sizes.hidden_size, "x") * sizes.output_size));
    forward(x, y);
    return y;
  }

  /** Which rows a forward would add up, with which weights.
   * @param x whole tokens, one after the other */
  Hashes hash(Span<const float> x) const {
    const LayerInfo sizes = info();
    const std::int64_t n_tokens = Tokens<const float>(x).count(sizes.hidden_size, "x");
    Hashes hashes;
    hashes.codes.resize(static_cast<std::size_t>(n_tokens * sizes.num_tables * sizes.num_probes));
    hashes.scores.resize(hashes.codes.size());
    check(lffn_layer_hash(handle_, x.data(), n_tokens, hashes.codes.data(), hashes.scores.data()));
    return hashes;
  }

  /** What the layer is and costs. */
  LayerInfo info() const {
    LayerInfo result;
    check(lffn_layer_get_info(handle_, &result));
    return result;
  }

  /** Writes the layer to a file, which appears whole or not at all.
   * @param path UTF-8 */
  void save(const std::string& path) const { check(lffn_layer_save(handle_, path.c_str())); }

  /** The handle, for functions of the C interface. */
  lffn_layer* get() const noexcept { return handle_; }
  /** Gives up the handle; the caller frees it. */
  lffn_layer* release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  lffn_layer* handle_ = nullptr;
};

/** lffn_model_info. */
struct ModelInfo : lffn_model_info {
  /** All zero. */
  ModelInfo() noexcept : lffn_model_info() { lffn_model_info_init(this); }
};

/** Sequences of token ids back to back; converts from vectors and arrays of them. */
struct Sequences {
  Span<const std::int32_t> ids;     /**< All sequences, one after the other. */
  Span<const std::int64_t> offsets; /**< Where each begins, and where the last one ends; the first one is 0. */

  /** How many; InvalidArgument if offsets are empty or do not end where ids do. */
  std::int64_t count() const {
    if (offsets.empty() || offsets[offsets.size() - 1] != static_cast<std::int64_t>(ids.size())) {
      throw InvalidArgument("offsets: the last one must be the number of ids, " + std::to_string(ids.size()));
    }
    return static_cast<std::int64_t>(offsets.size()) - 1;
  }
};

/** A loaded model. Can be moved, not copied. Calling a member of a moved-from model throws InvalidArgument. */
class Model {
 public:
  /** Loads a folder, or a file that save wrote.
   * @param path    UTF-8; a std::filesystem::path converts too
   * @param options see lffn_load_options */
  static Model load(const std::string& path, const LoadOptions& options = {}) {
    lffn_model* handle = nullptr;
    check(lffn_model_load(path.c_str(), &options, &handle));
    return Model(handle);
  }

  /** Loads the bytes of a file that save wrote; they may be freed afterwards.
   * @param bytes   a container of char, unsigned char or std::byte
   * @param options see lffn_load_options */
  template <typename Bytes>
  static Model load_memory(const Bytes& bytes, const LoadOptions& options = {}) {
    static_assert(sizeof(*std::data(bytes)) == 1, "a container of bytes");
    lffn_model* handle = nullptr;
    check(lffn_model_load_memory(std::data(bytes), std::size(bytes), &options, &handle));
    return Model(handle);
  }

  /** Takes over a handle of the C interface. */
  explicit Model(lffn_model* handle) noexcept : handle_(handle) {}
  /** Moves. */
  Model(Model&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  /** Moves; frees what was held before. */
  Model& operator=(Model&& other) noexcept {
    Model taken(std::move(other));
    std::swap(handle_, taken.handle_);
    return *this;
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  /** Frees the model. No other thread may be using it. */
  ~Model() { lffn_model_free(handle_); }

  /** The hidden states, [tokens, hidden_size].
   * @param sequences of token ids
   * @param cancel    nullptr, or a flag that another thread may set */
  std::vector<float> encode(const Sequences& sequences, const CancelFlag* cancel = nullptr) const {
    lffn_model_run_args args = arguments(sequences, cancel);
    std::vector<float> hidden(sequences.ids.size() * size_of(info().hidden_size));
    args.hidden = hidden.data();
    check(lffn_model_run(handle_, &args));
    return hidden;
  }

  /** The logits at some positions, [positions, vocab_size].
   * @param sequences of token ids
   * @param positions places in sequences.ids, in any order
   * @param cancel    nullptr, or a flag that another thread may set */
  std::vector<float> logits(const Sequences& sequences, Span<const std::int64_t> positions,
                            const CancelFlag* cancel = nullptr) const {
    lffn_model_run_args args = arguments(sequences, cancel);
    std::vector<float> logits(positions.size() * size_of(info().vocab_size));
    args.positions = positions.data();
    args.n_positions = static_cast<std::int64_t>(positions.size());
    args.logits = logits.data();
    check(lffn_model_run(handle_, &args));
    return logits;
  }

  /** The class scores, [sequences, num_classes].
   * @param sequences of token ids, none of them empty
   * @param cancel    nullptr, or a flag that another thread may set */
  std::vector<float> classify(const Sequences& sequences, const CancelFlag* cancel = nullptr) const {
    lffn_model_run_args args = arguments(sequences, cancel);
    std::vector<float> scores(size_of(args.n) * size_of(info().num_classes));
    float none = 0;  // so that the library looks for a classifier even where there is nothing to write
    args.class_scores = scores.empty() ? &none : scores.data();
    check(lffn_model_run(handle_, &args));
    return scores;
  }

  /** One vector for each sequence, [sequences, hidden_size].
   * @param sequences of token ids, none of them empty
   * @param pooling   LFFN_POOLING_
   * @param normalize divide each vector by its Euclidean length
   * @param cancel    nullptr, or a flag that another thread may set */
  std::vector<float> embed(const Sequences& sequences, std::int32_t pooling = LFFN_POOLING_MEAN, bool normalize = true,
                           const CancelFlag* cancel = nullptr) const {
    lffn_model_run_args args = arguments(sequences, cancel);
    std::vector<float> embeddings(size_of(args.n) * size_of(info().hidden_size));
    args.pooling = pooling;
    args.normalize = normalize ? 1 : 0;
    args.embeddings = embeddings.data();
    check(lffn_model_run(handle_, &args));
    return embeddings;
  }

  /** What the model is and costs. */
  ModelInfo info() const {
    ModelInfo result;
    check(lffn_model_get_info(handle_, &result));
    return result;
  }

  /** Writes the model to one file, which appears whole or not at all.
   * @param path UTF-8 */
  void save(const std::string& path) const { check(lffn_model_save(handle_, path.c_str())); }

  /** The handle, for functions of the C interface. */
  lffn_model* get() const noexcept { return handle_; }
  /** Gives up the handle; the caller frees it. */
  lffn_model* release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  static std::size_t size_of(std::int64_t number) noexcept { return static_cast<std::size_t>(number); }
  static lffn_model_run_args arguments(const Sequences& sequences, const CancelFlag* cancel) {
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.ids = sequences.ids.data();
    args.offsets = sequences.offsets.data();
    args.n = sequences.count();
    args.cancel = cancel == nullptr ? nullptr : cancel->address();
    return args;
  }

  lffn_model* handle_ = nullptr;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_LOOKUPFFN_HPP */
