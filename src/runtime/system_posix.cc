// SPDX-License-Identifier: Apache-2.0
// What Linux and macOS share.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>

#include "runtime/forever.h"
#include "runtime/system.h"

namespace lffn {
namespace {

constexpr size_t kStackBytes = size_t{1} << 20;

void* run_thread(void* start) {
  const ThreadStart& own = *static_cast<const ThreadStart*>(start);
#ifdef __APPLE__
  pthread_setname_np("lookupffn");
#else
  pthread_setname_np(pthread_self(), "lookupffn");
#endif
  own.body(own.context);
  return nullptr;
}

}  // namespace

void* allocate_aligned(size_t size, size_t alignment) {
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
  // Rows are read at random: with small pages each read would miss the TLB. Advice only, so its failure does not
  // matter.
  if (alignment >= kHugePage) madvise(memory, size & ~(kHugePage - 1), MADV_HUGEPAGE);
#endif
  return memory;
}

void free_aligned(void* memory) { std::free(memory); }

bool start_thread(OwnThread* thread, const ThreadStart& start, const CpuSet& cpus) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, kStackBytes);
#ifdef __GLIBC__  // musl and macOS cannot say it
  if (cpus.any()) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t cpu = 0; cpu < cpus.size() && cpu < CPU_SETSIZE; ++cpu) {
      if (cpus[cpu]) CPU_SET(cpu, &set);
    }
    pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
  }
#else
  static_cast<void>(cpus);
#endif
  // A helper that spins must not have a real-time caller's right to a CPU.
  sched_param priority = {};
  if (int policy = 0; pthread_getschedparam(pthread_self(), &policy, &priority) == 0 && policy != SCHED_OTHER &&
                      sched_get_priority_min(policy) > 0) {
    priority.sched_priority = sched_get_priority_min(SCHED_OTHER);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
    pthread_attr_setschedparam(&attributes, &priority);
  }
  // A thread inherits the blocked signals: all except a profiler's and those that its own instructions raise, which the
  // handlers of a virtual machine or a crash reporter must see.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF}) {
    sigdelset(&blocked, number);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  const bool started =
      pthread_create(thread, &attributes, run_thread, const_cast<ThreadStart*>(&start)) == 0;  // only read
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

void join_thread(OwnThread thread) { pthread_join(thread, nullptr); }

int64_t thread_time() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

int forbid_cancellation() {
  int before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}

void restore_cancellation(int before) { pthread_setcancelstate(before, nullptr); }

namespace {

// A thread's text is allocated at its first failure and freed by the key's destructor, which is not code of this
// library: a plugin may be unloaded before the thread ends.
struct TextKey {
  pthread_key_t key;
  bool usable;
};

TextKey make_key() {
  TextKey made = {};
  made.usable = pthread_key_create(&made.key, std::free) == 0;
  return made;
}

const pthread_key_t* text_key() {
  static Forever<const TextKey> made;
  const TextKey& text = made.get(make_key);
  return text.usable ? &text.key : nullptr;
}

}  // namespace

char* find_thread_text() {
  const pthread_key_t* key = text_key();
  return key == nullptr ? nullptr : static_cast<char*>(pthread_getspecific(*key));
}

char* make_thread_text() {
  char* const text = text_key() == nullptr ? nullptr : static_cast<char*>(std::malloc(kThreadTextSize));
  if (text == nullptr || pthread_setspecific(*text_key(), text) == 0) return text;
  std::free(text);
  return nullptr;
}

}  // namespace lffn
