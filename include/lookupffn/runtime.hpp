/* runtime.hpp - whose threads, memory, log and instruction set handles use, in C++17. Included by lookupffn.hpp.
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

/** What handles share, to be named in LoadOptions::runtime by get(). It may end before them. Can be moved, not
 * copied. */
class Runtime {
 public:
  /** @param options see lffn_runtime_options */
  explicit Runtime(const RuntimeOptions& options = {}) { check(lffn_runtime_create(&options, &handle_)); }
  /** As the constructor, but reports a failure by its status.
   * @param options see lffn_runtime_options */
  static Outcome<Runtime> try_create(const RuntimeOptions& options = {}) noexcept {
    lffn_runtime* handle = nullptr;
    const lffn_status status = lffn_runtime_create(&options, &handle);
    return {status, Runtime(handle)};
  }
  /** Takes over a handle of the C interface. */
  explicit Runtime(lffn_runtime* handle) noexcept : handle_(handle) {}
  /** Moves. */
  Runtime(Runtime&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  /** Moves; frees what was held before. */
  Runtime& operator=(Runtime&& other) noexcept {
    Runtime taken(std::move(other));
    std::swap(handle_, taken.handle_);
    return *this;
  }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  /** Frees the runtime; handles that were loaded with it go on. */
  ~Runtime() { lffn_runtime_free(handle_); }

  /** The instruction set of its handles' kernels. */
  std::string_view isa() const noexcept { return lffn_runtime_isa(handle_); }
  /** The handle, for LoadOptions::runtime and for functions of the C interface. */
  lffn_runtime* get() const noexcept { return handle_; }

 private:
  lffn_runtime* handle_ = nullptr;
};

}  // namespace lookupffn

#endif /* LOOKUPFFN_RUNTIME_HPP */
