// SPDX-License-Identifier: Apache-2.0
// Times the engines of one cell (a shape, a batch size, a thread count) in turns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine.h"

namespace compare {

struct Participant {
  const EngineKind* kind;
  std::unique_ptr<Engine> engine;
};

struct Distribution {
  double median, p10, p90;
};

Distribution distribution(std::vector<double> samples);

struct EngineResult {
  const EngineKind* kind;
  std::vector<double> us_per_token;  // one per round
};

// How many times faster one engine is than another, from the ratio in each round.
struct Ratio {
  std::string engine, against;
  Distribution times_faster;
};

struct Cell {
  std::string shape;
  int64_t batch;
  int threads;
  std::vector<EngineResult> engines;
  std::vector<Ratio> ratios;    // each LookupFFN against each vanilla engine
  std::string fastest_float32;  // the vanilla float32 engine with the lowest median, "" without one
};

// Interleaves the engines run by run for about `seconds`, at least 3 rounds.
Cell measure_cell(Problem& problem, int64_t batch, int threads, double seconds, std::vector<Participant>& participants);

// Compares every engine with the first of its sort (vanilla, lookup) on the same tokens: the root mean square of the
// difference relative to that of the reference. Throws when one is off by more than its tolerance.
std::vector<double> check_results(Problem& problem, std::vector<Participant>& participants);

// What calls cost while other processes keep the CPUs busy: times our int8 layer and ONNX Runtime's on a quiet machine,
// then beside so many spinning processes. Prints what it found and writes it to a file of JSON, unless `json` is empty.
void measure_neighbours(int neighbours, const std::string& json);

}  // namespace compare
