/* base.hpp - what all parts of the C++17 interface share: errors, views, options. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_BASE_HPP
#define LOOKUPFFN_BASE_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif

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

using InvalidArgument = ErrorOf<LFFN_ERROR_INVALID_ARGUMENT>; /**< The caller passed an invalid argument. */
using OutOfMemory = ErrorOf<LFFN_ERROR_OUT_OF_MEMORY>;        /**< An allocation failed. */
using IoError = ErrorOf<LFFN_ERROR_IO>;                       /**< The operating system refused to read or write. */
using BadModel = ErrorOf<LFFN_ERROR_BAD_MODEL>;               /**< Not a valid model. */
using Unsupported = ErrorOf<LFFN_ERROR_UNSUPPORTED>; /**< Valid, but not possible in this build or on this CPU. */
using Cancelled = ErrorOf<LFFN_ERROR_CANCELLED>;     /**< The CancelFlag was set. */
using InternalError = ErrorOf<LFFN_ERROR_INTERNAL>;  /**< A bug in the library; please report it. */
using TooSmall = ErrorOf<LFFN_ERROR_TOO_SMALL>;      /**< Too little room for a result. */
using BadText = ErrorOf<LFFN_ERROR_BAD_TEXT>;        /**< A text is not UTF-8. */
using TooLong = ErrorOf<LFFN_ERROR_TOO_LONG>;        /**< A text has more tokens than the model can run. */

/** Throws the Error of a status, with this thread's last error text. Does nothing for LFFN_OK. */
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
    case LFFN_ERROR_TOO_SMALL:
      throw TooSmall(lffn_last_error());
    case LFFN_ERROR_BAD_TEXT:
      throw BadText(lffn_last_error());
    case LFFN_ERROR_TOO_LONG:
      throw TooLong(lffn_last_error());
    default:
      throw Error(status, lffn_last_error());
  }
}

/** What a `try_` function returns: a status, and the value if the status is LFFN_OK. */
template <typename Value>
struct [[nodiscard]] Outcome {
  lffn_status status = LFFN_OK; /**< LFFN_OK or one of the LFFN_ERROR_ values. */
  Value value = {};             /**< What was asked for. */
  /** Whether it succeeded. */
  explicit operator bool() const noexcept { return status == LFFN_OK; }
};

/** The value if it succeeded; throws if it failed. */
template <typename Value>
Value value_of(Outcome<Value>&& outcome) {
  check(outcome.status);
  return std::move(outcome.value);
}

/** What try_call returns: a value, or the error that was thrown. */
template <typename Value>
struct [[nodiscard]] Attempt {
  std::optional<Value> value; /**< What the function returned. */
  std::optional<Error> error; /**< Why it failed. */
  /** Whether it succeeded. */
  explicit operator bool() const noexcept { return value.has_value(); }
  /** LFFN_OK or one of the LFFN_ERROR_ values. */
  lffn_status status() const noexcept { return error ? error->status() : LFFN_OK; }
};

/** A try_ form of anything that returns a value: `auto vectors = try_call([&] { return model.embed(texts); })`. Lets
 * exceptions other than Error and std::bad_alloc pass.
 * @param function takes nothing */
template <typename Function>
auto try_call(Function&& function) -> Attempt<std::decay_t<std::invoke_result_t<Function&>>> {
  try {
    return {function(), std::nullopt};
  } catch (const Error& error) {
    return {std::nullopt, error};
  } catch (const std::bad_alloc&) {
    return {std::nullopt, OutOfMemory("out of memory")};
  }
}

/** Frees the handles of the C interface. */
struct Free {
  /** A layer. */
  void operator()(lffn_layer* handle) const noexcept { lffn_layer_free(handle); }
  /** A model. */
  void operator()(lffn_model* handle) const noexcept { lffn_model_free(handle); }
  /** A result. */
  void operator()(lffn_result* handle) const noexcept { lffn_result_free(handle); }
  /** A runtime. */
  void operator()(lffn_runtime* handle) const noexcept { lffn_runtime_free(handle); }
  /** A tokenizer. */
  void operator()(lffn_tokenizer* handle) const noexcept { lffn_tokenizer_free(handle); }
};

/** A view of contiguous elements that it does not own, like C++20's std::span, which converts to it. */
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
  /** Whether it is empty. */
  constexpr bool empty() const noexcept { return size_ == 0; }
  /** The i-th element, unchecked. */
  constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /** For range-for. */
  constexpr T* begin() const noexcept { return data_; }
  /** For range-for. */
  constexpr T* end() const noexcept { return data_ + size_; }
#if defined(__cpp_lib_span)
  /** Converts to C++20's own view. */
  constexpr operator std::span<T>() const noexcept { return {data_, size_}; }  // NOLINT(google-explicit-constructor)
#endif

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/** Stops calls from another thread. Must outlive the calls it is passed to. */
class CancelFlag {
 public:
  /** Calls that have this flag end soon with Cancelled. */
  void cancel() noexcept { value_.store(1, std::memory_order_relaxed); }
  /** Makes the flag usable again. */
  void reset() noexcept { value_.store(0, std::memory_order_relaxed); }
  /** Whether cancel() was called. */
  bool cancelled() const noexcept { return value_.load(std::memory_order_relaxed) != 0; }
  /** The flag, for lffn_layer_run_args. */
  const std::int32_t* address() const& noexcept { return reinterpret_cast<const std::int32_t*>(&value_); }
  /** Deleted for a temporary, which the result would outlive. */
  const std::int32_t* address() const&& = delete;

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

/** lffn_save_options with its defaults filled in. */
struct SaveOptions : lffn_save_options {
  /** The defaults. */
  SaveOptions() noexcept : lffn_save_options() { lffn_save_options_init(this); }
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_BASE_HPP */
