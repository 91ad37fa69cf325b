// SPDX-License-Identifier: Apache-2.0
// What each operating system does in its own way: system_posix.cc has what Linux and macOS share, system_linux.cc,
// system_macos.cc and system_windows.cc have the rest. Sleeping is in futex.h, files are in format/system_file.h.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace lffn {

// A number of the process, above 0; another one in a forked child.
int32_t process_number();

// NULL if there is no memory. A block that is aligned to a huge page should lie in huge pages, where the system has
// them.
constexpr size_t kHugePage = size_t{2} << 20;
void* allocate_aligned(size_t size, size_t alignment);
void free_aligned(void* memory);

// False where there is no randomness yet, early in a machine's life.
bool random_bytes(void* to, size_t size);

using CpuSet = std::bitset<1024>;  // by the numbers that the system gives them

// How many CPUs the calling thread may run on; 0 where the system does not tell.
int32_t allowed_cpus();
// The CPUs that any thread of the process may run on, because a single thread may be bound to few; none if the system
// does not tell.
CpuSet process_cpus();

// Replaces those of the three cache sizes, in bytes, that the system tells.
void tell_cache_sizes(size_t (&sizes)[3]);

// What instructions alone cannot tell of a CPU: whether an Arm CPU has products of bytes and of matrices of bytes, and
// whether the system, which does not save AVX-512's registers yet, will save them once they are used.
bool has_neon_dot();
bool has_neon_i8mm();
bool saves_zmm_when_used();

#ifdef _WIN32
using OwnThread = void*;
#else
using OwnThread = pthread_t;
#endif

// What one of the library's own threads runs. It must stay where it is until the thread has begun.
struct ThreadStart {
  void (*body)(void* context);
  void* context;
};

// Starts a thread with a small stack, called "lookupffn", that blocks all signals except a profiler's and those that
// its own instructions raise, as far as the system supports these. The thread may run on these CPUs; if the set is
// empty, on the same as the caller. It is never a real-time thread, even if its caller is one. False if the system
// gives no thread.
bool start_thread(OwnThread* thread, const ThreadStart& start, const CpuSet& cpus);
void join_thread(OwnThread thread);

// For how many nanoseconds the calling thread has had a CPU. If the system counts these too coarsely, the time that
// passed.
int64_t thread_time();

// Keeps pthread_cancel from ending the calling thread until restore_cancellation() gets what this returned.
int forbid_cancellation();
void restore_cancellation(int before);

// A text of the calling thread, which lives as long as the thread. NULL: it has none yet, or there is no memory for it.
constexpr size_t kThreadTextSize = 1024;
char* find_thread_text();
char* make_thread_text();

// Forbids cancellation for a scope: the library's work must not be ended halfway.
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
