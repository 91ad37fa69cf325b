/* layer.hpp - one LookupFFN layer in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_LAYER_HPP
#define LOOKUPFFN_LAYER_HPP

#include <initializer_list>
#include <vector>

#include "lookupffn/base.hpp"

namespace lookupffn {

/** A view of tokens: the rows of an array, or parts of wider rows.
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

/** A tensor that the caller owns, for Layer::create. Name and data must outlive that call. */
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
    dtype = LFFN_DTYPE_F32;
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

/** A loaded layer. Can be moved, not copied. No other thread may use it when it is destroyed. Calling a member of a
 * moved-from layer throws InvalidArgument. */
class Layer {
 public:
  /** Loads a safetensors file.
   * @param path    UTF-8; a std::filesystem::path converts too
   * @param options see lffn_load_options */
  static Layer load(const std::string& path, const LoadOptions& options = {}) {
    return value_of(try_load(path, options));
  }

  /** Loads the bytes of a safetensors file, which may be freed afterwards.
   * @param bytes   a container of char, unsigned char or std::byte
   * @param options see lffn_load_options */
  template <typename Bytes>
  static Layer load_memory(const Bytes& bytes, const LoadOptions& options = {}) {
    return value_of(try_load_memory(bytes, options));
  }

  /** Makes a layer from tensors, which are copied; without tensors one with random weights from config.seed.
   * @param config  the shape
   * @param tensors named as in the file format
   * @param options see lffn_load_options */
  static Layer create(const lffn_layer_config& config, Span<const Tensor> tensors = {},
                      const LoadOptions& options = {}) {
    return value_of(try_create(config, tensors, options));
  }

  /** As create, but reports a failure by its status.
   * @param config  the shape
   * @param tensors named as in the file format
   * @param options see lffn_load_options */
  static Outcome<Layer> try_create(const lffn_layer_config& config, Span<const Tensor> tensors = {},
                                   const LoadOptions& options = {}) noexcept {
    lffn_layer* handle = nullptr;
    const lffn_status status =
        lffn_layer_create(&config, tensors.data(), static_cast<std::int64_t>(tensors.size()), &options, &handle);
    return {status, Layer(handle)};
  }

  /** As load_memory, but reports a failure by its status.
   * @param bytes   a container of char, unsigned char or std::byte
   * @param options see lffn_load_options */
  template <typename Bytes>
  static Outcome<Layer> try_load_memory(const Bytes& bytes, const LoadOptions& options = {}) noexcept {
    static_assert(sizeof(*std::data(bytes)) == 1, "a container of bytes");
    lffn_layer* handle = nullptr;
    const lffn_status status = lffn_layer_load_memory(std::data(bytes), std::size(bytes), &options, &handle);
    return {status, Layer(handle)};
  }

  /** As load, but reports a failure by its status.
   * @param path    UTF-8
   * @param options see lffn_load_options */
  static Outcome<Layer> try_load(const std::string& path, const LoadOptions& options = {}) noexcept {
    lffn_layer* handle = nullptr;
    const lffn_status status = lffn_layer_load(path.c_str(), &options, &handle);
    return {status, Layer(handle)};
  }

  /** No layer: calling a member throws InvalidArgument. */
  Layer() noexcept = default;
  /** Takes over a handle of the C interface. */
  explicit Layer(lffn_layer* handle) noexcept : handle_(handle) {
    if (handle == nullptr) return;
    [[maybe_unused]] const lffn_status told = lffn_layer_get_info(handle, &info_);  // fails without a layer
  }

  /** y = layer(x), written to the caller's memory.
   * @param x      whole tokens
   * @param y      at least as many tokens; may be the same memory as x if the sizes are equal
   * @param flags  LFFN_LAYER_RUN_ values; LFFN_LAYER_RUN_ADD adds to what y holds
   * @param cancel nullptr, or a flag that another thread may set */
  void forward(Tokens<const float> x, Tokens<float> y, std::uint32_t flags = 0,
               const CancelFlag* cancel = nullptr) const {
    check(try_forward(x, y, flags, cancel));
  }

  /** Like forward, but reports errors of the library by a status. Errors in the views themselves still throw.
   * @param x      whole tokens
   * @param y      at least as many tokens
   * @param flags  LFFN_LAYER_RUN_ values
   * @param cancel nullptr, or a flag that another thread may set */
  [[nodiscard]] lffn_status try_forward(Tokens<const float> x, Tokens<float> y, std::uint32_t flags = 0,
                                        const CancelFlag* cancel = nullptr) const {
    const LayerInfo& sizes = info();
    lffn_layer_run_args args;
    lffn_layer_run_args_init(&args);
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
    return lffn_layer_run(handle_.get(), &args);
  }

  /** layer(x) as a new vector.
   * @param x whole tokens */
  std::vector<float> forward(Tokens<const float> x) const {
    const LayerInfo& sizes = info();
    std::vector<float> y(static_cast<std::size_t>(x.count(sizes.hidden_size, "x") * sizes.output_size));
    forward(x, y);
    return y;
  }

  /** Which rows a forward would add, with which weights.
   * @param x whole tokens, one after the other */
  Hashes hash(Span<const float> x) const {
    const LayerInfo& sizes = info();
    const std::int64_t n_tokens = Tokens<const float>(x).count(sizes.hidden_size, "x");
    Hashes hashes;
    hashes.codes.resize(static_cast<std::size_t>(n_tokens * sizes.num_tables * sizes.num_probes));
    hashes.scores.resize(hashes.codes.size());
    check(lffn_layer_hash(handle_.get(), x.data(), n_tokens, hashes.codes.data(), hashes.scores.data()));
    return hashes;
  }

  /** Describes the layer. */
  LayerInfo info() const&& { return info(); }
  /** Describes the layer. */
  const LayerInfo& info() const& {
    if (handle_ == nullptr) throw InvalidArgument("the layer is empty or was moved from");
    return info_;
  }

  /** Writes the layer to a file, which appears whole or not at all.
   * @param path UTF-8 */
  void save(const std::string& path) const { check(lffn_layer_save(handle_.get(), path.c_str(), nullptr)); }

  /** Another owner of the same layer, which lives until its last owner ends. */
  Layer share() const { return Layer(lffn_layer_retain(handle_.get())); }

  /** The handle, for functions of the C interface. */
  lffn_layer* get() const& noexcept { return handle_.get(); }
  /** Deleted for a temporary, which the result would outlive. */
  lffn_layer* get() const&& = delete;
  /** Gives up the handle; the caller frees it. */
  lffn_layer* release() noexcept { return handle_.release(); }

 private:
  std::unique_ptr<lffn_layer, Free> handle_;
  LayerInfo info_;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_LAYER_HPP */
