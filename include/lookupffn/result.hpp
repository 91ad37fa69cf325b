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

/** What a call returns for several texts: a std::vector whose elements, taken of a temporary one, are values. So a loop
 * over `model.embed_windows(texts)[0]` walks over what it keeps, and not over memory that is gone. */
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
  /** Its contents, valid until it is used again. */
  ResultView view() const& {
    ResultView result;
    check(lffn_result_get(handle_.get(), &result));
    return result;
  }
  /** Not of a temporary, which it would outlive. */
  ResultView view() const&& = delete;
  /** The handle, for functions of the C interface. */
  lffn_result* get() const& noexcept { return handle_.get(); }
  /** Not of a temporary, which it would outlive. */
  lffn_result* get() const&& = delete;
  /** Gives up the handle; the caller frees it. */
  lffn_result* release() noexcept { return handle_.release(); }

 private:
  std::unique_ptr<lffn_result, Free> handle_;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_RESULT_HPP */
