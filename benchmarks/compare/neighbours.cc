#include "neighbours.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engine_lookupffn.h"
#include "engine_onnxruntime.h"
#include "measure.h"
#include "report.h"

namespace compare {
namespace {

constexpr int kCalls = 500, kBlock = 50;

class Spinners {
 public:
  explicit Spinners(int n) {
    for (int i = 0; i < n; ++i) {
      const pid_t child = fork();
      if (child < 0) throw std::runtime_error("cannot start a process");
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile int64_t turn = 0;;) turn = turn + 1;
      }
      children_.push_back(child);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(n > 0 ? 100 : 0));
  }
  ~Spinners() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  Spinners(const Spinners&) = delete;
  Spinners& operator=(const Spinners&) = delete;

 private:
  std::vector<pid_t> children_;
};

struct Contestant {
  std::string engine;
  int threads;
  std::unique_ptr<Engine> instance;
  std::vector<double> us;  // of each call, while nothing else runs or beside the spinning processes
};

void time_in_turns(Problem& problem, int64_t batch, std::vector<Contestant>& contestants) {
  for (Contestant& c : contestants) c.us.clear();
  for (int first = 0; first < kCalls; first += kBlock) {
    for (Contestant& c : contestants) {
      wait_until_idle();
      c.instance->time_calls(problem, batch, first, 5);
      for (int i = first; i < first + kBlock; ++i) c.us.push_back(1e6 * c.instance->time_calls(problem, batch, i, 1));
    }
  }
}

std::vector<Contestant> make_contestants(Problem& problem) {
  std::vector<Contestant> contestants;
  for (const int threads : {1, 2}) {
    std::string why;
    contestants.push_back({"lookupffn-int8", threads, make_lookupffn_int8(problem, threads, &why), {}});
    auto rival = make_onnxruntime_int8(problem, threads, &why);
    if (rival == nullptr) {
      std::fprintf(stderr, "without onnxruntime-int8: %s\n", why.c_str());
      continue;
    }
    contestants.push_back({"onnxruntime-int8", threads, std::move(rival), {}});
  }
  return contestants;
}

}  // namespace

void measure_neighbours(int neighbours, const std::string& path) {
  Problem problem(shapes().front(), 512);
  std::vector<Contestant> contestants = make_contestants(problem);
  nlohmann::json rows = nlohmann::json::array();
  for (const int64_t batch : {16, 64, 512}) {
    std::map<std::string, double> quiet_call;  // with one thread
    std::map<std::pair<std::string, int>, Distribution> quiet;
    time_in_turns(problem, batch, contestants);
    for (const Contestant& c : contestants) {
      quiet[{c.engine, c.threads}] = distribution(c.us);
      if (c.threads == 1) quiet_call[c.engine] = distribution(c.us).median;
    }
    const Spinners spinners(neighbours);
    time_in_turns(problem, batch, contestants);
    std::printf("int8 layer, batch %lld, beside %d\n", static_cast<long long>(batch), neighbours);
    for (const Contestant& c : contestants) {
      const Distribution beside = distribution(c.us), alone = quiet[{c.engine, c.threads}];
      std::printf("  %-18s %d thread%s  quiet %8.1f (p90 %8.1f)  beside %8.1f (p90 %8.1f) us  p90 against quiet %.2f\n",
                  c.engine.c_str(), c.threads, c.threads == 1 ? " " : "s", alone.median, alone.p90, beside.median,
                  beside.p90, beside.p90 / quiet_call[c.engine]);
      rows.push_back({{"what", "layer of " + std::to_string(batch)},
                      {"engine", c.engine},
                      {"threads", c.threads},
                      {"quiet_us", to_json(alone)},
                      {"beside_us", to_json(beside)},
                      {"p90_against_quiet_one_thread", beside.p90 / quiet_call[c.engine]}});
    }
    std::fflush(stdout);
  }
  if (path.empty()) return;
  std::ofstream file(path);
  file << nlohmann::json{{"machine", machine()}, {"neighbours", neighbours}, {"calls", kCalls}, {"rows", rows}}.dump(1)
       << "\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace compare
