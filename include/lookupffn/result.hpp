/* result.hpp - room for results in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RESULT_HPP
#define LOOKUPFFN_RESULT_HPP

#include "lookupffn/base.hpp"

namespace lookupffn {

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

#endif /* LOOKUPFFN_RESULT_HPP */
