/* runtime.hpp - which threads, memory, log and instruction set handles use, in C++17. Included by lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RUNTIME_HPP
#define LOOKUPFFN_RUNTIME_HPP

#include <string_view>

#include "lookupffn/base.hpp"

namespace lookupffn {

/** lffn_runtime_options with its defaults filled in. */
struct RuntimeOptions : lffn_runtime_options {
  /** The defaults. */
  RuntimeOptions() noexcept : lffn_runtime_options() { lffn_runtime_options_init(this); }
};

/** What handles share: pass get() in LoadOptions::runtime. It may be destroyed before the handles. Can be moved, not
 * copied. */
class Runtime {
 public:
  /** No runtime: handles that are loaded with it use the process's settings. */
  Runtime() noexcept = default;
  /** @param options see lffn_runtime_options */
  explicit Runtime(const RuntimeOptions& options) : Runtime(value_of(try_create(options))) {}
  /** As the constructor, but reports a failure by its status.
   * @param options see lffn_runtime_options */
  static Outcome<Runtime> try_create(const RuntimeOptions& options) noexcept {
    lffn_runtime* handle = nullptr;
    const lffn_status status = lffn_runtime_create(&options, &handle);
    return {status, Runtime(handle)};
  }
  /** Takes over a handle of the C interface. */
  explicit Runtime(lffn_runtime* handle) noexcept : handle_(handle) {}

  /** The instruction set of its handles' kernels. */
  std::string_view isa() const noexcept { return lffn_runtime_isa(handle_.get()); }
  /** The handle, for LoadOptions::runtime and for functions of the C interface. */
  lffn_runtime* get() const& noexcept { return handle_.get(); }
  /** Deleted for a temporary, which the result would outlive. */
  lffn_runtime* get() const&& = delete;
  /** Gives up the handle; the caller frees it. */
  lffn_runtime* release() noexcept { return handle_.release(); }

 private:
  std::unique_ptr<lffn_runtime, Free> handle_;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_RUNTIME_HPP */
