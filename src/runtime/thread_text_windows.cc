// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_text.h"

namespace lffn {
namespace {

// Threads get it when they start, or when the library is loaded, and lose it as they end, without code of ours.
thread_local char thread_text[kThreadTextSize] = "";

}  // namespace

char* find_thread_text() { return thread_text; }
char* make_thread_text() { return thread_text; }

}  // namespace lffn
