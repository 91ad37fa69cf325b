// SPDX-License-Identifier: Apache-2.0
// A vanilla FFN in PyTorch, in a Python process of its own that times itself.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "engine.h"

namespace compare {
namespace {

std::string& last_seen_version() {
  static std::string version;
  return version;
}

class TorchEngine : public Engine {
 public:
  TorchEngine(Problem& problem, int threads) {
    std::signal(SIGPIPE, SIG_IGN);  // a worker that died is an error to report, not the end of this program
    const Shape& shape = problem.shape();
    std::vector<std::string> arguments = {python(), LFFN_TORCH_WORKER, problem.file()};
    for (const int64_t n : {shape.d, shape.t, problem.pool_tokens(), problem.max_batch(), int64_t{threads}}) {
      arguments.push_back(std::to_string(n));
    }
    // PyTorch does not hand its thread count on to OpenBLAS.
    setenv("OPENBLAS_NUM_THREADS", std::to_string(threads).c_str(), 1);
    start(arguments);
    last_seen_version() = ask("version");
  }

  ~TorchEngine() override {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(process_, nullptr, 0);
  }

  void run(const float*, int64_t, float*) override {
    throw std::logic_error("PyTorch works on the shared inputs only");
  }
  void run_once(Problem&, int64_t n) override { ask("once " + std::to_string(n)); }
  double time_calls(Problem&, int64_t n, int64_t first, int64_t calls) override {
    return std::stod(ask("time " + std::to_string(n) + " " + std::to_string(first) + " " + std::to_string(calls)));
  }

  static std::string python() {
    const char* named = std::getenv("LFFN_PYTHON");
    return named != nullptr ? named : "python3";
  }

 private:
  void start(const std::vector<std::string>& arguments) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const int failure = posix_spawnp(&process_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    if (failure != 0) throw std::runtime_error("cannot start " + arguments[0]);
    to_ = fdopen(to[1], "w");
    from_ = fdopen(from[0], "r");
  }

  std::string ask(const std::string& line) {
    char answer[256];
    std::fprintf(to_, "%s\n", line.c_str());
    if (std::fflush(to_) != 0 || std::fgets(answer, sizeof(answer), from_) == nullptr) {
      throw std::runtime_error("the PyTorch process ended");
    }
    std::string text = answer;
    text.pop_back();
    return text;
  }

  pid_t process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace

std::unique_ptr<Engine> make_torch(Problem& problem, int threads, std::string* why) {
  if (std::system((TorchEngine::python() + " -c 'import numpy, torch' 2>/dev/null").c_str()) != 0) {
    *why = TorchEngine::python() + " cannot import torch";
    return nullptr;
  }
  return std::make_unique<TorchEngine>(problem, threads);
}

std::string torch_version() { return last_seen_version(); }

}  // namespace compare
