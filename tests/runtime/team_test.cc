// SPDX-License-Identifier: Apache-2.0
// The team's threads: how many, when, what they look like; fork and shutdown.
#include "runtime/team.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/system.h"
#include "runtime/threads.h"

namespace lffn {
namespace {

struct Task {
  std::string id, name;
};

// The process's helper threads. A new thread takes its name as it starts.
std::vector<Task> helpers() {
  std::vector<Task> found;
  DIR* tasks = opendir("/proc/self/task");
  EXPECT_NE(tasks, nullptr);
  for (const dirent* entry; (entry = readdir(tasks)) != nullptr;) {
    Task task = {entry->d_name, ""};
    std::ifstream status("/proc/self/task/" + task.id + "/status");
    for (std::string word; status >> word;) {
      if (word == "Name:") status >> task.name;
    }
    if (task.name == "lookupffn") found.push_back(task);
  }
  closedir(tasks);
  return found;
}

std::vector<Task> named_helpers(size_t expected) {
  for (int wait = 0; wait < 1000 && helpers().size() != expected; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return helpers();
}

int64_t sum_items(int32_t threads) {
  std::atomic<int64_t> sum{0};
  run_call(*default_executor(), threads, [&] {
    for (int loop = 0; loop < 5; ++loop) parallel_for(100, threads, [&](int64_t item, int32_t) { sum += item; });
  });
  return sum;
}
constexpr int64_t kSum = 5 * 4950;

class TeamThreads : public testing::Test {
 protected:
  void SetUp() override { shutdown_team(); }
};

TEST_F(TeamThreads, AreStartedOnceAndNeverEnded) {
  EXPECT_EQ(sum_items(1), kSum);
  EXPECT_EQ(named_helpers(0).size(), 0u);
  EXPECT_EQ(sum_items(8), kSum);
  const std::vector<Task> first = named_helpers(7);
  ASSERT_EQ(first.size(), 7u);
  for (int call = 0; call < 200; ++call) EXPECT_EQ(sum_items(2 + call % 7), kSum);
  const std::vector<Task> later = named_helpers(7);
  ASSERT_EQ(later.size(), 7u);
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(first[i].id, later[i].id);
  EXPECT_EQ(sum_items(10), kSum);
  EXPECT_EQ(named_helpers(9).size(), 9u);
}

TEST_F(TeamThreads, BlockSignalsThatAreNotTheirOwn) {
  // Each tells its own, as an emulator does not show them in /proc.
  std::mutex mutex;
  std::map<std::thread::id, sigset_t> masks;
  const auto known = [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return masks.size();
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (known() < 4 && std::chrono::steady_clock::now() < deadline) {
    run_call(*default_executor(), 4, [&] {
      parallel_for(4, 4, [&](int64_t, int32_t) {
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        {
          const std::lock_guard<std::mutex> lock(mutex);
          masks[std::this_thread::get_id()] = mask;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // and leave items to the others
      });
    });
  }
  EXPECT_EQ(masks.size(), 4u);
  masks.erase(std::this_thread::get_id());
  for (const auto& [id, mask] : masks) {
    // But SIGKILL and SIGSTOP, and the two that the C library keeps for itself.
    for (const int number : {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGUSR2}) {
      EXPECT_EQ(sigismember(&mask, number), 1) << number;
    }
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF}) {
      EXPECT_EQ(sigismember(&mask, number), 0) << number << " is raised by what a helper does, or by a profiler";
    }
  }
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGUSR1), 0) << "the caller's own mask changed";
}

// A thread that is bound to one CPU.
template <typename Body>
void on_one_cpu(Body&& body) {
  std::thread([&] {
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    body();
  }).join();
}

bool one_cpu_only() { return process_cpus().count() < 2; }

TEST_F(TeamThreads, RunWhereTheProcessMay) {
  if (one_cpu_only()) GTEST_SKIP() << "there is one CPU";
  on_one_cpu([] { EXPECT_EQ(sum_items(3), kSum); });
  const std::vector<Task> started = named_helpers(2);
  ASSERT_EQ(started.size(), 2u);
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  for (const Task& task : started) {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(std::stoi(task.id), sizeof set, &set), 0);
    EXPECT_TRUE(CPU_EQUAL(&set, &own)) << "a helper is bound to its first caller's CPU";
  }
}

// By itself this is the process's first call. Helpers that sleep are woken all the same.
TEST_F(TeamThreads, AreWokenThoughTheFirstCallerWasBound) {
  if (one_cpu_only()) GTEST_SKIP() << "there is one CPU";
  on_one_cpu([] { EXPECT_EQ(sum_items(2), kSum); });
  std::atomic<bool> helped{false};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!helped && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // longer than any rest
    run_call(*default_executor(), 2, [&] {
      parallel_for(20, 2, [&](int64_t, int32_t thread) {
        if (thread > 0) helped = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    });
  }
  EXPECT_TRUE(helped);
}

TEST_F(TeamThreads, AreNotRealTimeThreads) {
  bool allowed = false;
  std::thread([&] {
    sched_param priority = {};
    priority.sched_priority = sched_get_priority_min(SCHED_FIFO);
    allowed = pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0;
    if (allowed) {
      EXPECT_EQ(sum_items(3), kSum);
    }
  }).join();
  if (!allowed) GTEST_SKIP() << "this user may not start real-time threads";
  const std::vector<Task> started = named_helpers(2);
  ASSERT_EQ(started.size(), 2u);
  for (const Task& task : started) EXPECT_EQ(sched_getscheduler(std::stoi(task.id)), SCHED_OTHER);
}

TEST_F(TeamThreads, ComeBackAfterAShutdown) {
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(sum_items(4), kSum);
    EXPECT_EQ(named_helpers(3).size(), 3u);
    shutdown_team();
    EXPECT_EQ(named_helpers(0).size(), 0u);  // the system may show a thread for a moment after its end
  }
}

TEST_F(TeamThreads, MayEndWhileCallsRun) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!stop) EXPECT_EQ(sum_items(3), kSum);
    });
  }
  for (int round = 0; round < 50; ++round) shutdown_team();
  stop = true;
  for (std::thread& caller : callers) caller.join();
}

#ifndef LFFN_TEST_SANITIZED  // a sanitizer's runtime does not survive this fork

TEST_F(TeamThreads, AChildForkedAmidCallsHasItsOwn) {
#ifdef LFFN_TEST_EMULATED
  GTEST_SKIP() << "qemu ends a child of a process with several threads as soon as it starts a thread";
#endif
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!stop) EXPECT_EQ(sum_items(3), kSum);
    });
  }
  for (int round = 0; round < 50 && !HasFailure(); ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(120);  // a child that hangs fails; one that waits long for a CPU does not
      const bool right = sum_items(3) == kSum && sum_items(5) == kSum;
      _exit(right ? 0 : 1);
    }
    EXPECT_GT(child, 0);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
}

#endif

#ifdef __linux__
// Both are number 1 of a namespace of their own.
TEST(ProcessNumber, DiffersInAChildOfTheSameId) {
  if (fork() == 0) {
    // 2: not allowed here. Else the child tells of its own child.
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) _exit(2);
    const pid_t child = fork();
    if (child == 0) {
      const int32_t own = process_number();
      if (getpid() != 1 || own != process_number() || unshare(CLONE_NEWPID) != 0) _exit(2);
      const pid_t grandchild = fork();
      if (grandchild == 0) _exit(getpid() != 1 ? 2 : process_number() != own ? 0 : 1);
      int status = 0;
      _exit(waitpid(grandchild, &status, 0) == grandchild && WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
    int status = 0;
    _exit(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 2);
  }
  int status = 0;
  ASSERT_GT(wait(&status), 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no namespaces may be made here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace lffn
