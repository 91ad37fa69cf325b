// SPDX-License-Identifier: Apache-2.0
// A text of the calling thread's that goes away with it; thread_text_posix.cc and thread_text_windows.cc keep it.
#pragma once

#include <cstddef>

namespace lffn {

constexpr size_t kThreadTextSize = 1024;
// NULL: it has none yet, or there is no memory for it.
char* find_thread_text();
char* make_thread_text();

}  // namespace lffn
