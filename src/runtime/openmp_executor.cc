// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_count.h"
#include "runtime/executor.h"

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <exception>

#include "runtime/board.h"
#include "runtime/forever.h"
#include "runtime/futex.h"
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

#ifdef _OPENMP
namespace {

void* pass(void* gate) {
  pthread_mutex_lock(static_cast<pthread_mutex_t*>(gate));
  pthread_mutex_unlock(static_cast<pthread_mutex_t*>(gate));
  return nullptr;
}

// How many of the wanted threads can be started now. If not all can, a quarter is left to others.
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

// An OpenMP runtime ends the process if it cannot start a thread, so a region grows only by as many threads as could
// just be started. The runtime keeps a region's threads for the thread that began it. A region never has fewer threads
// than the one before: libgomp would end the others, and these read memory once more that it frees when the first of
// them ends. Threads that a call does not need sleep in help().
int32_t region_size(int32_t wanted) {
  constexpr int32_t kRegionsToWait = 1000;  // before trying again
  static __attribute__((tls_model("initial-exec"))) thread_local int32_t size = 1, wait = 0;
  if (wanted > size && wait == 0) {
    const int32_t more = startable(wanted - size);
    if (more < wanted - size) wait = kRegionsToWait;
    return size += more;
  }
  if (wait > 0) --wait;
  return size;
}

// ThreadSanitizer does not see inside the OpenMP runtime: these tell it that a region starts after what came before it,
// and ends after all its threads. They do nothing in other builds.
#ifdef LFFN_THREAD_SANITIZER
void happens_before(void* point) { __tsan_release(point); }
void happens_after(void* point) { __tsan_acquire(point); }
#else
void happens_before(void*) {}
void happens_after(void*) {}
#endif

// A call whose thread is the first of a region; the others help it until it ends.
class RegionCall final : public OpenCall {
 public:
  void loop(int64_t n_items, int32_t num_threads, LoopBody body, void* context) override {
    const int32_t most = static_cast<int32_t>(std::min<int64_t>(n_items, num_threads));
    if (n_items <= Board::kMostItems) return board_.run(n_items, most, body, context, [&] { tell(); });
    for (int64_t item = 0; item < n_items; ++item) body(context, item, 0);
  }

  void close() {
    closed_.store(true, std::memory_order_release);
    tell();
  }

  void help() {
    constexpr int kLooks = 1000;
    while (true) {
      const uint32_t seen = told_.load();
      if (closed_.load(std::memory_order_acquire)) return;
      if (board_.help([] {}, [] { return true; })) continue;
      int looks = 0;
      while (looks < kLooks && told_.load() == seen) {
        pause_cpu();
        ++looks;
      }
      if (looks < kLooks) continue;
      sleeping_.fetch_add(1);
      futex_wait(told_, seen);
      sleeping_.fetch_sub(1);
    }
  }

 private:
  void tell() {
    told_.fetch_add(1);
    if (sleeping_.load() > 0) futex_wake(told_, INT_MAX);
  }

  Board board_;
  std::atomic<uint32_t> told_{0};
  std::atomic<int32_t> sleeping_{0};
  std::atomic<bool> closed_{false};
};

// A function of its own: one with a parallel region asks the OpenMP runtime for its thread as it starts, whether or not
// it reaches the region.
__attribute__((noinline)) void run_region(int threads, void (*body)(void*), void* context) {
  RegionCall call;
  std::exception_ptr failure;
  char start = 0, end = 0;
  happens_before(&start);
#pragma omp parallel num_threads(threads)
  {
    happens_after(&start);
    if (omp_get_thread_num() == 0) {
      try {
        body(context);
      } catch (...) {
        failure = std::current_exception();
      }
      call.close();
    } else {
      call.help();
    }
    happens_before(&end);
  }
  happens_after(&end);
  if (failure) std::rethrow_exception(failure);
}

class OpenMpExecutor final : public Executor {
 public:
  void call(int32_t num_threads, void (*body)(void*), void* context) override {
    struct Caller {  // with as many callers as CPUs each works alone
      explicit Caller(std::atomic<int32_t>& of) : count(of), before(of.fetch_add(1, std::memory_order_relaxed)) {}
      ~Caller() { count.fetch_sub(1, std::memory_order_relaxed); }
      Caller(const Caller&) = delete;
      Caller& operator=(const Caller&) = delete;
      std::atomic<int32_t>& count;
      int32_t before;
    } const caller(callers_);
    const int threads = num_threads > 1 && caller.before + 1 < cpus_ ? region_size(num_threads) : 1;
    if (threads > 1) return run_region(threads, body, context);
    const AloneCall open;
    body(context);
  }
  int32_t default_threads() const override { return available_threads(); }

 private:
  const int32_t cpus_ = usable_cpus();
  std::atomic<int32_t> callers_{0};
};

}  // namespace

std::shared_ptr<Executor> openmp_executor() {
  static Forever<OpenMpExecutor> executor;
  return {std::shared_ptr<Executor>(), &executor.get([] { return OpenMpExecutor(); })};  // nobody owns it
}
#else
std::shared_ptr<Executor> openmp_executor() { return nullptr; }
#endif

}  // namespace lffn
