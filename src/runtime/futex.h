// Sleeping on a number until another thread has changed it.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace lffn {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "a futex is the number itself");

// Sleeps unless the word has another value than `seen`. May return early.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t seen) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

// The same for at most so long.
inline void futex_wait_for(std::atomic<uint32_t>& word, uint32_t seen, int64_t nanoseconds) {
  const timespec time = {static_cast<time_t>(nanoseconds / 1000000000), static_cast<long>(nanoseconds % 1000000000)};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
}

inline void futex_wake(std::atomic<uint32_t>& word, int threads) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

// Lets a processor rest while a loop waits for another thread.
inline void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

}  // namespace lffn
