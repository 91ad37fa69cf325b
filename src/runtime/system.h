// SPDX-License-Identifier: Apache-2.0
// What every operating system has in a way of its own: system_posix.cc is what Linux and macOS share, system_linux.cc,
// system_macos.cc and system_windows.cc are the rest. Sleeping is in futex.h, files are in format/system_file.h.
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

// NULL where there is no memory. What is aligned to a huge page is to lie in such pages, where the system has them.
constexpr size_t kHugePage = size_t{2} << 20;
void* allocate_aligned(size_t size, size_t alignment);
void free_aligned(void* memory);

// False where there is no randomness yet, early in a machine's life.
bool random_bytes(void* to, size_t size);

using CpuSet = std::bitset<1024>;  // by the numbers that the system gives them

// How many CPUs the calling thread may run on; 0 where the system does not tell.
int32_t allowed_cpus();
// Those that any thread of the process may run on, as one of them may be bound to few; none where the system does not
// tell.
CpuSet process_cpus();

// Replaces those of the three levels' sizes, in bytes, that the system tells.
void tell_cache_sizes(size_t (&sizes)[3]);

// What instructions alone cannot tell of a CPU: products of bytes on Arm and of matrices of them, and whether AVX-512's
// registers, which are not saved yet, will be once they are used.
bool has_neon_dot();
bool has_neon_i8mm();
bool saves_zmm_when_used();

#ifdef _WIN32
using OwnThread = void*;
#else
using OwnThread = pthread_t;
#endif

// What a thread of the library's own runs. Must stay where it is until the thread has begun.
struct ThreadStart {
  void (*body)(void* context);
  void* context;
};

// A thread with a small stack that blocks all signals but those that its own instructions raise and a profiler's, and
// is called "lookupffn", as far as the system has these. It may run on these CPUs; if there are none in the set, on the
// same as the caller. It is never a real-time thread, though its caller be one. False where the system gives no thread.
bool start_thread(OwnThread* thread, const ThreadStart& start, const CpuSet& cpus);
void join_thread(OwnThread thread);

// Nanoseconds that the calling thread has had a CPU, or that passed, where the system counts the former too coarsely.
int64_t thread_time();

// Keeps pthread_cancel from ending the calling thread, until it is given back what this returned.
int forbid_cancellation();
void restore_cancellation(int before);

// A text of the calling thread's that goes away with it. NULL: it has none yet, or there is no memory for it.
constexpr size_t kThreadTextSize = 1024;
char* find_thread_text();
char* make_thread_text();

// The same for a scope: the library's work is not to be ended in its midst.
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
