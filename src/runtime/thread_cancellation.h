// SPDX-License-Identifier: Apache-2.0
// Keeps pthread_cancel from ending the calling thread in the midst of the library's work.
#pragma once

#include "runtime/system.h"

namespace lffn {

class NoCancellation {
 public:
  NoCancellation() : before_(forbid_cancellation()) {}
  ~NoCancellation() { restore_cancellation(before_); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  const int before_;
};

}  // namespace lffn
