// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

#include "engine.h"
#include "measure.h"
#include "report.h"
#include "spinners.h"

namespace compare {
namespace {

constexpr int kCalls = 500, kBlock = 50;

struct Contestant {
  std::string engine;
  int threads;
  std::unique_ptr<Engine> instance;
  std::vector<double> quiet, beside;  // microseconds of each call
};

void time_block(Problem& problem, int64_t batch, int first, Engine& engine, std::vector<double>& us) {
  wait_until_idle();
  engine.time_calls(problem, batch, first, 5);
  for (int i = first; i < first + kBlock; ++i) us.push_back(1e6 * engine.time_calls(problem, batch, i, 1));
}

// In turns, so that what else the machine does hits all of them.
void time_in_turns(Problem& problem, int64_t batch, std::vector<Contestant>& contestants, Spinners& spinners) {
  for (Contestant& c : contestants) c.quiet.clear(), c.beside.clear();
  for (int first = 0; first < kCalls; first += kBlock) {
    for (Contestant& c : contestants) time_block(problem, batch, first, *c.instance, c.quiet);
    spinners.let(true);
    for (Contestant& c : contestants) time_block(problem, batch, first, *c.instance, c.beside);
    spinners.let(false);
  }
}

std::vector<Contestant> make_contestants(Problem& problem) {
  std::vector<Contestant> contestants;
  for (const int threads : {1, 2}) {
    std::string why;
    contestants.push_back({"lookupffn-int8", threads, make_lookupffn_int8(problem, threads, &why), {}, {}});
    auto rival = make_onnxruntime_int8(problem, threads, &why);
    if (rival == nullptr) {
      std::fprintf(stderr, "without onnxruntime-int8: %s\n", why.c_str());
      continue;
    }
    contestants.push_back({"onnxruntime-int8", threads, std::move(rival), {}, {}});
  }
  return contestants;
}

}  // namespace

void measure_neighbours(int neighbours, const std::string& path) {
  Spinners spinners(neighbours);
  Problem problem(shapes().front(), 512);
  std::vector<Contestant> contestants = make_contestants(problem);
  nlohmann::json rows = nlohmann::json::array();
  for (const int64_t batch : {16, 64, 512}) {
    time_in_turns(problem, batch, contestants, spinners);
    std::map<std::string, double> yardstick;
    for (const Contestant& c : contestants) {
      if (c.threads == 1) yardstick[c.engine] = distribution(c.quiet).median;
    }
    std::printf("int8 layer, batch %lld, beside %d\n", static_cast<long long>(batch), neighbours);
    for (const Contestant& c : contestants) {
      const Distribution quiet = distribution(c.quiet), beside = distribution(c.beside);
      const double ratio = beside.p90 / yardstick[c.engine];
      std::printf("  %-18s %d thread%s  quiet %8.1f (p90 %8.1f)  beside %8.1f (p90 %8.1f) us  p90 against quiet %.2f\n",
                  c.engine.c_str(), c.threads, c.threads == 1 ? " " : "s", quiet.median, quiet.p90, beside.median,
                  beside.p90, ratio);
      rows.push_back({{"what", "layer of " + std::to_string(batch)},
                      {"engine", c.engine},
                      {"threads", c.threads},
                      {"quiet_us", to_json(quiet)},
                      {"beside_us", to_json(beside)},
                      {"p90_against_quiet_one_thread", ratio}});
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
