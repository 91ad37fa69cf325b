// SPDX-License-Identifier: Apache-2.0
// Processes that do nothing but take CPU time while they are let.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace compare {

class Spinners {
 public:
  // Before the program has threads. They are in its session, where Linux weighs by how nice each process is.
  explicit Spinners(int count, int nice = 0) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpriority(PRIO_PROCESS, 0, nice);
        for (volatile uint64_t n = 0;; n = n + 1) {
        }
      }
      if (child > 0) children_.push_back(child);
    }
    signal_all(SIGSTOP);
  }
  ~Spinners() {
    signal_all(SIGKILL);
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
  }
  Spinners(const Spinners&) = delete;
  Spinners& operator=(const Spinners&) = delete;

  void let(bool run) {
    signal_all(run ? SIGCONT : SIGSTOP);
    usleep(20000);
  }

 private:
  void signal_all(int number) {
    for (const pid_t child : children_) kill(child, number);
  }
  std::vector<pid_t> children_;
};

}  // namespace compare
