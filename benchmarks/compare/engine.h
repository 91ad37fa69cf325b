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

// What makes each engine; those of other projects where they are installed.
std::unique_ptr<Engine> make_linear_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_linear_int8(Problem& problem, int threads, std::string* why);

std::unique_ptr<Engine> make_lookupffn_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_bf16(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_int8_tables(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_int8(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_dense_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_lookupffn_dense_int8(Problem& problem, int threads, std::string* why);
std::string lookupffn_version();

// Another build of the library, see Library::before().
std::unique_ptr<Engine> make_before_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_before_bf16(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_before_int8_tables(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_before_int8(Problem& problem, int threads, std::string* why);
std::string before_version();

std::unique_ptr<Engine> make_onednn(Problem& problem, int threads, std::string* why);
std::string onednn_version();

std::unique_ptr<Engine> make_onnxruntime_f32(Problem& problem, int threads, std::string* why);
std::unique_ptr<Engine> make_onnxruntime_int8(Problem& problem, int threads, std::string* why);
std::string onnxruntime_version();

std::unique_ptr<Engine> make_openblas(Problem& problem, int threads, std::string* why);
std::string openblas_version();

std::unique_ptr<Engine> make_torch(Problem& problem, int threads, std::string* why);
std::string torch_version();

// v = gelu(v + bias) for one row: the exact (erf) GELU, vectorised, for engines that have none of their own.
void add_bias_gelu(float* v, const float* bias, int64_t n);

}  // namespace compare
