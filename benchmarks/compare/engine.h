// SPDX-License-Identifier: Apache-2.0
// What every engine of the comparison is to the program: something that runs a feed-forward layer over a batch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "problem.h"

namespace compare {

class Engine {
 public:
  virtual ~Engine() = default;

  // y = FFN(x) for n tokens.
  virtual void run(const float* x, int64_t n, float* y) = 0;

  // Runs `calls` batches of n tokens, walking through the inputs from batch number `first` on; returns the seconds
  // taken.
  virtual double time_calls(Problem& problem, int64_t n, int64_t first, int64_t calls);

  // Runs the first n input tokens and leaves the result in problem.y().
  virtual void run_once(Problem& problem, int64_t n) { run(problem.x(), n, problem.y()); }
};

// Engines of one sort give the same results, but for rounding.
enum class Sort { kVanilla, kLookup, kDenseLookup, kLinear };

// An engine that can be asked for by name.
struct EngineKind {
  const char* name;
  Sort sort;         // kVanilla runs a linear layer where that is the shape
  bool is_ours;      // liblookupffn
  bool is_float32;   // counts for "the fastest float32 engine"
  double tolerance;  // largest root mean square difference from its reference, relative to the reference's own
  bool fits(const Shape& shape) const;

  // Returns NULL with `why` filled in when this build or this machine does not have the engine.
  std::unique_ptr<Engine> (*make)(Problem& problem, int threads, std::string* why);
  std::string (*version)();
};

const std::vector<EngineKind>& engine_kinds();

// Returns once this process burns no CPU any more, so that threads that one engine leaves spinning cost the next
// nothing.
void wait_until_idle();

}  // namespace compare
