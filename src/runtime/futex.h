// SPDX-License-Identifier: Apache-2.0
// Sleeping on a number until another thread has changed it: futex_linux.cc, and futex_portable.cc for other systems.
#pragma once

#include <atomic>
#include <cstdint>

namespace lffn {

// Sleeps unless the word has another value than `seen`. May return early.
void futex_wait(const std::atomic<uint32_t>& word, uint32_t seen);

// The same for at most so long.
void futex_wait_for(const std::atomic<uint32_t>& word, uint32_t seen, int64_t nanoseconds);

// Wakes at most so many threads. To be called after the word has changed.
void futex_wake(const std::atomic<uint32_t>& word, int threads);

// Lets a processor rest while a loop waits for another thread.
inline void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

}  // namespace lffn
