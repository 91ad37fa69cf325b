// SPDX-License-Identifier: Apache-2.0
#include "runtime/team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <new>
#include <thread>
#include <type_traits>

#include "runtime/board.h"
#include "runtime/cpu_count.h"
#include "runtime/forever.h"
#include "runtime/futex.h"
#include "runtime/neighbours.h"
#include "runtime/system.h"

namespace lffn {
namespace {

constexpr int64_t kSecond = 1000000000;
constexpr int64_t kLookNanoseconds = 50000;  // how long a helper looks for work before it sleeps
constexpr int kPauses = 16;                  // between two looks

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct HelperClock {  // what a helper asks the system
  static int64_t now() { return lffn::now(); }
  static int64_t thread_time() { return lffn::thread_time(); }
  static void yield() { std::this_thread::yield(); }
};

using HelperNeighbours = Neighbours<HelperClock>;

class Team {
 public:
  static constexpr int kBoards = 64;  // calls that can have helpers at once

  constexpr Team() = default;

  // The process's only team, or NULL while it is being made. A forked child gets a new one: no helper came along.
  static Team* instance();

  // Around each call. The number is the call's board, -1 if there is none left.
  int enter();
  void leave(int board);
  void grow(int32_t helpers);
  void run(int board, int64_t n_items, int32_t num_threads, LoopBody body, void* context);
  void shut_down();

 private:
  void serve();
  bool help(HelperNeighbours& neighbours, bool& rest);
  bool anything_to_do() const;
  void invite(int32_t helpers, int32_t num_threads);
  void sleep();
  bool wake();

  std::atomic<uint64_t> boards_used_{0};
  std::atomic<int32_t> callers_{0};
  std::atomic<int32_t> helpers_{0};
  std::atomic<bool> changing_{false};  // one thread at a time starts or ends helpers
  std::atomic<uint32_t> stopping_{0};
  std::atomic<int64_t> grow_again_{0};           // no thread is asked for before this time, as one was refused
  alignas(64) std::atomic<int32_t> looking_{0};  // helpers awake without work
  std::atomic<int32_t> sleeping_{0};             // without those that were sent a ticket to wake up
  std::atomic<uint32_t> tickets_{0};
  Board boards_[kBoards];
  std::atomic<int32_t> board_threads_[kBoards] = {};
  ThreadStart start_ = {[](void* team) { static_cast<Team*>(team)->serve(); }, this};
  OwnThread threads_[kMaxThreads] = {};
};

// Never destroyed: helpers look at it while the process ends.
Team team;
static_assert(std::is_trivially_destructible_v<Team>, "or it would end before its helpers");
std::atomic<int32_t> team_cpus{1};
std::atomic<int32_t> team_owner{0};  // the process that the team belongs to; negative while that process clears it

// Set before any call.
CpuSet bound_places;
int32_t most_cpus = 1;

// Where helpers may run. There may be more CPUs now than when the first handle was loaded: its thread may have been
// bound to one CPU, and so may all other threads at that time. This runs during a call, so it must not throw.
CpuSet helpers_cpus() {
  if (bound_places.any()) return bound_places;
  const CpuSet cpus = process_cpus();
  const int32_t count = std::min(static_cast<int32_t>(cpus.count()), most_cpus);
  int32_t known = team_cpus.load(std::memory_order_relaxed);
  while (count > known && !team_cpus.compare_exchange_weak(known, count, std::memory_order_relaxed)) {
  }
  return cpus;
}

Team* Team::instance() {
  const int32_t process = process_number();
  int32_t owner = team_owner.load(std::memory_order_acquire);
  if (owner == process) return &team;
  if (owner == -process || !team_owner.compare_exchange_strong(owner, -process)) return nullptr;
  if (owner != 0) new (&team) Team;
  team_owner.store(process, std::memory_order_release);
  return &team;
}

int Team::enter() {
  callers_.fetch_add(1, std::memory_order_relaxed);
  uint64_t used = boards_used_.load(std::memory_order_relaxed);
  while (~used != 0) {
    const int board = __builtin_ctzll(~used);
    if (boards_used_.compare_exchange_weak(used, used | uint64_t{1} << board)) return board;
  }
  return -1;
}

void Team::leave(int board) {
  if (board >= 0) boards_used_.fetch_and(~(uint64_t{1} << board));
  callers_.fetch_sub(1, std::memory_order_relaxed);
}

void Team::grow(int32_t helpers) {
  if (helpers_.load(std::memory_order_relaxed) >= helpers || now() < grow_again_.load(std::memory_order_relaxed))
    return;
  if (changing_.exchange(true, std::memory_order_acquire)) return;
  int32_t count = helpers_.load(std::memory_order_relaxed);
  // Wherever the process may run. Otherwise a helper would inherit, for ever, the place that OpenMP bound the program's
  // first thread to, or the CPU that a host bound this caller to.
  const CpuSet cpus = helpers_cpus();
  while (count < helpers && start_thread(&threads_[count], start_, cpus)) ++count;
  helpers_.store(count, std::memory_order_relaxed);
  if (count < helpers) grow_again_.store(now() + kSecond, std::memory_order_relaxed);
  changing_.store(false, std::memory_order_release);
}

void Team::run(int board, int64_t n_items, int32_t num_threads, LoopBody body, void* context) {
  const int32_t most = static_cast<int32_t>(std::min<int64_t>(n_items, num_threads));
  board_threads_[board].store(most, std::memory_order_relaxed);
  boards_[board].run(n_items, most, body, context, [&] { invite(most - 1, most); });
}

// Wakes at most two helpers, which wake others if there are still seats.
void Team::invite(int32_t helpers, int32_t num_threads) {
  constexpr int32_t kMostWakeUps = 2;
  if (sleeping_.load() == 0) return;
  const int32_t cpus = team_cpus.load(std::memory_order_relaxed);
  const int32_t callers = callers_.load(std::memory_order_relaxed);
  if (callers >= cpus) return;
  const int32_t awake = helpers_.load(std::memory_order_relaxed) - sleeping_.load(std::memory_order_relaxed);
  const int32_t missing =
      std::min(helpers - looking_.load(std::memory_order_relaxed), std::max(cpus, num_threads) - callers - awake);
  for (int32_t i = 0; i < std::min(missing, kMostWakeUps) && wake(); ++i) {
  }
}

bool Team::wake() {
  int32_t seen = sleeping_.load();
  while (seen > 0) {
    if (!sleeping_.compare_exchange_weak(seen, seen - 1)) continue;
    tickets_.fetch_add(1, std::memory_order_release);
    futex_wake(tickets_, 1);
    return true;
  }
  return false;
}

void Team::sleep() {
  sleeping_.fetch_add(1);
  if (anything_to_do() || stopping_.load()) {
    int32_t seen = sleeping_.load();
    while (seen > 0) {
      if (sleeping_.compare_exchange_weak(seen, seen - 1)) return;
    }
    // Else a ticket is on its way.
  }
  for (uint32_t seen = tickets_.load();;) {
    if (seen == 0) {
      futex_wait(tickets_, 0);
      seen = tickets_.load();
    } else if (tickets_.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire)) {
      return;
    }
  }
}

bool Team::anything_to_do() const {
  for (uint64_t used = boards_used_.load(); used != 0; used &= used - 1) {
    if (boards_[__builtin_ctzll(used)].wants_help()) return true;
  }
  return false;
}

bool Team::help(HelperNeighbours& neighbours, bool& rest) {
  bool worked = false;
  for (uint64_t used = boards_used_.load(std::memory_order_relaxed); used != 0; used &= used - 1) {
    const int index = __builtin_ctzll(used);
    Board& board = boards_[index];
    bool joined = false;
    worked |= board.help(
        [&] {
          joined = true;
          looking_.fetch_sub(1, std::memory_order_relaxed);
          if (board.wants_help()) invite(2, board_threads_[index].load(std::memory_order_relaxed));
        },
        [&] { return !(rest = neighbours.busy()); });
    if (joined) looking_.fetch_add(1, std::memory_order_relaxed);
    if (rest) break;
  }
  return worked;
}

void Team::serve() {
  HelperNeighbours neighbours;
  neighbours.start();
  looking_.fetch_add(1, std::memory_order_relaxed);
  int64_t idle_since = 0;
  while (stopping_.load(std::memory_order_acquire) == 0) {
    bool rest = false;
    if (help(neighbours, rest)) idle_since = 0;
    if (!rest) {
      for (int i = 0; i < kPauses; ++i) pause_cpu();
      const int64_t time = now();
      if (idle_since == 0) idle_since = time;
      rest = neighbours.busy();
      if (!rest && time - idle_since < kLookNanoseconds) continue;
    }
    looking_.fetch_sub(1, std::memory_order_relaxed);
    if (rest) futex_wait_for(stopping_, 0, neighbours.rest());
    sleep();
    neighbours.start();
    looking_.fetch_add(1, std::memory_order_relaxed);
    idle_since = 0;
  }
  looking_.fetch_sub(1, std::memory_order_relaxed);
}

void Team::shut_down() {
  while (changing_.exchange(true, std::memory_order_acquire)) pause_cpu();
  stopping_.store(1);
  futex_wake(stopping_, INT_MAX);
  while (wake()) {
  }
  const int32_t count = helpers_.load(std::memory_order_relaxed);
  for (int32_t i = 0; i < count; ++i) join_thread(threads_[i]);
  helpers_.store(0, std::memory_order_relaxed);
  stopping_.store(0);
  changing_.store(false, std::memory_order_release);
}

class TeamCall final : public OpenCall {
 public:
  TeamCall(Team& of, int32_t num_threads) : team_(of), board_(of.enter()), num_threads_(num_threads) {}
  ~TeamCall() { team_.leave(board_); }

  void loop(int64_t n_items, int32_t num_threads, LoopBody body, void* context) override {
    if (board_ >= 0 && n_items <= Board::kMostItems) {
      team_.grow(num_threads_ - 1);
      return team_.run(board_, n_items, num_threads, body, context);
    }
    for (int64_t item = 0; item < n_items; ++item) body(context, item, 0);
  }

 private:
  Team& team_;
  int board_;
  int32_t num_threads_;
};

class TeamExecutor final : public Executor {
 public:
  TeamExecutor() {
    bound_places = openmp_places();
    most_cpus = within_quota(kMaxThreads);
    team_cpus.store(usable_cpus(), std::memory_order_relaxed);
    helpers_cpus();
  }
  void call(int32_t num_threads, void (*body)(void*), void* context) override {
    Team* const current = Team::instance();
    if (current == nullptr) {
      const AloneCall alone;
      return body(context);
    }
    const TeamCall open(*current, num_threads);
    body(context);
  }
  int32_t default_threads() const override { return available_threads(); }
};

}  // namespace

std::shared_ptr<Executor> team_executor() {
  static Forever<TeamExecutor> executor;
  return {std::shared_ptr<Executor>(), &executor.get([] { return TeamExecutor(); })};  // nobody owns it
}

void shutdown_team() {
  if (Team* const current = Team::instance()) current->shut_down();
}

}  // namespace lffn
