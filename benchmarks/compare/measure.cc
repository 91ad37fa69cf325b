// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace compare {
namespace {

// One timing lasts at least this long, so that the clock and a late wake-up do not matter.
constexpr double kShortestTiming = 0.02;
// Caches and threads are warm after this long.
constexpr double kWarmUp = 0.005;

struct Plan {
  int64_t calls = 1, warm_up_calls = 1;
};

Plan plan_calls(Engine& engine, Problem& problem, int64_t batch) {
  engine.time_calls(problem, batch, 0, 1);
  const double once = engine.time_calls(problem, batch, 1, 1);
  Plan plan;
  plan.calls = std::max<int64_t>(1, std::llround(kShortestTiming / once));
  // A long call warms itself up.
  plan.warm_up_calls = once > 10 * kShortestTiming ? 0 : std::max<int64_t>(1, std::llround(kWarmUp / once));
  return plan;
}

void add_ratios(Cell& cell) {
  double lowest = INFINITY;
  for (const EngineResult& dense : cell.engines) {
    if (dense.kind->is_ours) continue;
    const double median = distribution(dense.us_per_token).median;
    if (dense.kind->is_float32 && median < lowest) {
      lowest = median;
      cell.fastest_float32 = dense.kind->name;
    }
    for (const EngineResult& lookup : cell.engines) {
      if (!lookup.kind->is_ours) continue;
      std::vector<double> ratios;
      for (size_t round = 0; round < lookup.us_per_token.size(); ++round) {
        ratios.push_back(dense.us_per_token[round] / lookup.us_per_token[round]);
      }
      cell.ratios.push_back({lookup.kind->name, dense.kind->name, distribution(ratios)});
    }
  }
}

}  // namespace

Distribution distribution(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(samples.size() - 1);
    const size_t below = static_cast<size_t>(place), above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (samples[above] - samples[below]) * (place - static_cast<double>(below));
  };
  return {at(0.5), at(0.1), at(0.9)};
}

Cell measure_cell(Problem& problem, int64_t batch, int threads, double seconds,
                  std::vector<Participant>& participants) {
  Cell cell{problem.shape().name, batch, threads, {}, {}, ""};
  std::vector<Plan> plans;
  double round_seconds = 0;
  for (Participant& p : participants) {
    cell.engines.push_back({p.kind, {}});
    wait_until_idle();
    plans.push_back(plan_calls(*p.engine, problem, batch));
    const Plan& plan = plans.back();
    const double timed = p.engine->time_calls(problem, batch, 2, plan.calls);
    round_seconds += timed * (1 + static_cast<double>(plan.warm_up_calls) / static_cast<double>(plan.calls));
  }
  const int rounds = static_cast<int>(std::clamp(seconds / round_seconds, 3.0, 40.0));
  int64_t first = 0;  // every round goes on where the last one stopped in the inputs
  for (int round = 0; round < rounds; ++round) {
    int64_t longest = 1;
    for (size_t i = 0; i < participants.size(); ++i) {
      const size_t turn = (i + static_cast<size_t>(round)) % participants.size();
      Engine& engine = *participants[turn].engine;
      const Plan& plan = plans[turn];
      wait_until_idle();
      if (plan.warm_up_calls > 0) engine.time_calls(problem, batch, first, plan.warm_up_calls);
      const double taken = engine.time_calls(problem, batch, first + plan.warm_up_calls, plan.calls);
      cell.engines[turn].us_per_token.push_back(1e6 * taken / static_cast<double>(plan.calls * batch));
      longest = std::max(longest, plan.warm_up_calls + plan.calls);
    }
    first += longest;
  }
  add_ratios(cell);
  return cell;
}

std::vector<double> check_results(Problem& problem, std::vector<Participant>& participants) {
  const int64_t n = std::min<int64_t>(problem.max_batch(), 64);
  const size_t size = static_cast<size_t>(n * problem.shape().out_columns());
  std::vector<double> differences;
  struct Reference {
    std::vector<float> y;
    double tolerance;
  };
  std::map<Sort, Reference> references;
  for (Participant& p : participants) {
    std::fill_n(problem.y(), size, NAN);
    p.engine->run_once(problem, n);
    // Linear layers all do the same.
    Reference& first = references[problem.shape().is_linear() ? Sort::kLinear : p.kind->sort];
    if (first.y.empty()) first = {{problem.y(), problem.y() + size}, p.kind->tolerance};
    const std::vector<float>& reference = first.y;
    double error = 0, total = 0;
    for (size_t i = 0; i < size; ++i) {
      error += std::pow(static_cast<double>(problem.y()[i]) - reference[i], 2);
      total += std::pow(static_cast<double>(reference[i]), 2);
    }
    differences.push_back(std::sqrt(error / total));
    if (!(differences.back() <= p.kind->tolerance + first.tolerance)) {
      throw std::runtime_error(std::string(p.kind->name) + " differs from the reference by " +
                               std::to_string(differences.back()));
    }
  }
  return differences;
}

}  // namespace compare
