// SPDX-License-Identifier: Apache-2.0
#include "runtime/error.h"

#include <cstdio>

namespace lffn {

void fail(lffn_status status, const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  throw Error(status, text);
}

}  // namespace lffn
