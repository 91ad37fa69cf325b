// SPDX-License-Identifier: Apache-2.0
// The one exception type of the library. The C boundary turns it into a status code and a text.
#pragma once

#include <cstdarg>
#include <stdexcept>
#include <string>

#include "lookupffn/base.h"

namespace lffn {

class Error : public std::runtime_error {
 public:
  Error(lffn_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  lffn_status status() const { return status_; }

 private:
  lffn_status status_;
};

// Throws an Error whose text is formatted as by printf.
[[noreturn]] void fail(lffn_status status, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace lffn
