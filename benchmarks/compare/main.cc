// SPDX-License-Identifier: Apache-2.0
// Times LookupFFN layers against vanilla feed-forward layers on other engines, all in one run; see usage() for options.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "engine.h"
#include "measure.h"
#include "options.h"
#include "report.h"

namespace {

using namespace compare;

std::vector<Participant> make_participants(const Options& options, Problem& problem, int threads, Report& report) {
  std::vector<Participant> participants;
  for (const EngineKind& kind : engine_kinds()) {
    if (!kind.fits(problem.shape())) continue;
    if (std::find(options.engines.begin(), options.engines.end(), kind.name) == options.engines.end()) continue;
    std::string why;
    std::unique_ptr<Engine> engine = kind.make(problem, threads, &why);
    if (engine == nullptr) {
      if (report.missing.emplace(kind.name, why).second)
        std::fprintf(stderr, "without %s: %s\n", kind.name, why.c_str());
      continue;
    }
    report.versions[kind.name] = kind.version();
    participants.push_back({&kind, std::move(engine)});
  }
  if (participants.empty()) throw std::runtime_error("no engine to measure");
  return participants;
}

const std::vector<int64_t>& batches_of(const Options& options, const Shape& shape) {
  return options.batches.empty() ? shape.batches : options.batches;
}

bool asked_for(const Options& options, const Shape& shape) {
  return std::find(options.sizes.begin(), options.sizes.end(), shape.name) != options.sizes.end();
}

void measure_shape(const Options& options, const Shape& shape, size_t total, Report& report) {
  const std::vector<int64_t>& batches = batches_of(options, shape);
  Problem problem(shape, *std::max_element(batches.begin(), batches.end()));
  const std::string weights = shape.name + ": making weights";
  show_progress(report.cells.size(), total, weights);
  if (!shape.is_linear()) {
    lffn_layer* layer = problem.lookup_weights().make_layer({LFFN_DTYPE_F32, LFFN_DTYPE_F32, false}, 1);
    report.spreads[shape.name] = measure_code_spread(layer, problem);
    lffn_layer_free(layer);
  }
  for (const int64_t threads : options.threads) {
    std::vector<Participant> participants = make_participants(options, problem, static_cast<int>(threads), report);
    const std::vector<double> differences = check_results(problem, participants);
    for (size_t i = 0; i < participants.size(); ++i) {
      report.differences[shape.name][participants[i].kind->name] = differences[i];
    }
    for (const int64_t batch : batches) {
      show_progress(report.cells.size(), total,
                    shape.name + ", batch " + std::to_string(batch) + ", threads " + std::to_string(threads));
      report.cells.push_back(measure_cell(problem, batch, static_cast<int>(threads), options.seconds, participants));
      print_cell(report.cells.back());
    }
  }
}

int run(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  if (options.help) {
    std::fputs(usage(), stdout);
    return 0;
  }
  if (options.neighbours > 0) {
    measure_neighbours(static_cast<int>(options.neighbours), options.json);
    return 0;
  }
  Report report;
  report.seconds_per_cell = options.seconds;
  size_t total = 0;
  for (const Shape& shape : shapes()) {
    if (asked_for(options, shape)) total += options.threads.size() * batches_of(options, shape).size();
  }
  for (const Shape& shape : shapes()) {
    if (asked_for(options, shape)) measure_shape(options, shape, total, report);
  }
  if (!options.json.empty()) write_json(report, options.json);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "compare: %s\n\n%s", error.what(), usage());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compare: %s\n", error.what());
    return 1;
  }
}
