#include "runtime/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

#if defined(__SANITIZE_THREAD__)
#define LFFN_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LFFN_THREAD_SANITIZER 1
#endif
#endif
#ifdef LFFN_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace lffn {
namespace {

int32_t affinity_count() {
#ifdef CPU_COUNT
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency()));
}

// The CPUs that a container's quota allows, or 0 where there is none. Version 2 of cgroups has one file, version 1 two.
int32_t quota_count() {
  double quota = 0, period = 0;
  std::ifstream unified("/sys/fs/cgroup/cpu.max");
  if (!(unified >> quota >> period)) {
    std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    std::ifstream period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    if (!(quota_file >> quota) || !(period_file >> period)) return 0;
  }
  if (quota <= 0 || period <= 0) return 0;
  return std::max(1, static_cast<int32_t>(std::min(std::ceil(quota / period), double{kMaxThreads})));
}

// The first number of OMP_NUM_THREADS, which may be a list, or 0.
int32_t openmp_count() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  return text == nullptr ? 0 : static_cast<int32_t>(std::clamp(std::strtol(text, nullptr, 10), 0L, long{kMaxThreads}));
}

#ifdef _OPENMP
// OpenMP keeps the helpers of a parallel region for the thread that started it, asleep, until that thread ends. So each
// calling thread takes what it needs from one budget, once, and it comes back when the thread ends.
class HelperBudget {
 public:
  static HelperBudget& instance() {
    static HelperBudget budget;
    return budget;
  }

  // How many helpers the calling thread may use, at most `wanted`.
  int32_t take(int32_t wanted) {
    if (!usable_) return 0;
    if (held_ >= wanted) return wanted;
    const int32_t more = withdraw(wanted - held_);
    if (more == 0) return held_;
    if (held_ == 0 && pthread_setspecific(key_, &held_) != 0) {
      free_.fetch_add(more);
      return 0;
    }
    held_ += more;
    return held_;
  }

 private:
  // A key: the destructor of a thread_local object is registered in a way that ends the process without memory.
  HelperBudget() : free_(max_helpers()), usable_(pthread_key_create(&key_, give_back) == 0) {}

  static void give_back(void* of_thread) {
    int32_t& count = *static_cast<int32_t*>(of_thread);
    instance().free_.fetch_add(count);
    count = 0;
  }

  int32_t withdraw(int32_t wanted) {
    int32_t seen = free_.load();
    while (seen > 0 && !free_.compare_exchange_weak(seen, seen - std::min(seen, wanted))) {
    }
    return std::min(seen, wanted);
  }

  static thread_local int32_t held_;
  std::atomic<int32_t> free_;
  pthread_key_t key_ = 0;
  bool usable_;
};
thread_local int32_t HelperBudget::held_ = 0;

void* pass(void* gate) {
  pthread_mutex_lock(static_cast<pthread_mutex_t*>(gate));
  pthread_mutex_unlock(static_cast<pthread_mutex_t*>(gate));
  return nullptr;
}

// How many of so many threads can be started now. Where not all, a quarter is left to others.
int32_t startable(int32_t wanted) {
  pthread_t threads[kMaxThreads];
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&gate);
  int32_t started = 0;
  while (started < wanted && pthread_create(&threads[started], nullptr, pass, &gate) == 0) ++started;
  pthread_mutex_unlock(&gate);
  for (int32_t i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
  return started == wanted ? wanted : started * 3 / 4;
}

// An OpenMP runtime ends the process where it cannot start a thread, so a team grows only by what was just tried.
class Team {
 public:
  // How many threads of the `wanted` the calling thread's next region may have.
  static int32_t prepare(int32_t wanted) {
    if (wanted > size_ && wait_ == 0) {
      const int32_t more = startable(wanted - size_);
      if (more < wanted - size_) wait_ = kRegionsToWait;
      return size_ += more;
    }
    if (wait_ > 0) --wait_;
    return size_ = std::min(size_, wanted);  // the runtime ends the threads of a larger team
  }

 private:
  static constexpr int32_t kRegionsToWait = 1000;  // before trying again
  static thread_local int32_t size_, wait_;
};
thread_local int32_t Team::size_ = 1;
thread_local int32_t Team::wait_ = 0;

// ThreadSanitizer does not see inside the OpenMP runtime: these tell it that a region starts after what came before it,
// and ends after all its threads. They are nothing in any other build.
#ifdef LFFN_THREAD_SANITIZER
void happens_before(void* point) { __tsan_release(point); }
void happens_after(void* point) { __tsan_acquire(point); }
#else
void happens_before(void*) {}
void happens_after(void*) {}
#endif
#endif

}  // namespace

int32_t available_threads() {
  int32_t count = affinity_count();
  for (const int32_t limit : {quota_count(), openmp_count()}) {
    if (limit > 0) count = std::min(count, limit);
  }
  return std::clamp(count, 1, kMaxThreads);
}

int32_t max_helpers() {
  static const int32_t most = std::max(64, 4 * available_threads());
  return most;
}

#ifdef _OPENMP
namespace {

// By itself: a function with a parallel region asks the OpenMP runtime for its thread as it starts, whether or not it
// gets as far as the region.
__attribute__((noinline)) void run_region(int64_t n_items, int threads, LoopBody body, void* context) {
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  char start = 0, end = 0;
  happens_before(&start);
#pragma omp parallel num_threads(threads)
  {
    happens_after(&start);
    const int32_t thread = omp_get_thread_num();
    try {
      for (int64_t item; !failed && (item = next.fetch_add(1)) < n_items;) body(context, item, thread);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
    happens_before(&end);
  }
  happens_after(&end);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace
#endif

void parallel_for(int64_t n_items, int32_t num_threads, LoopBody body, void* context) {
#ifdef _OPENMP
  if (n_items > 1 && num_threads > 1) {
    const int32_t wanted = static_cast<int32_t>(std::min<int64_t>(num_threads, n_items));
    const int threads = Team::prepare(1 + HelperBudget::instance().take(wanted - 1));
    if (threads > 1) return run_region(n_items, threads, body, context);
  }
#else
  (void)num_threads;
#endif
  for (int64_t item = 0; item < n_items; ++item) body(context, item, 0);
}

}  // namespace lffn
