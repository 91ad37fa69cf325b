// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <time.h>

#include <chrono>
#include <thread>

namespace compare {

const std::vector<EngineKind>& engine_kinds() {
  static const std::vector<EngineKind> kinds = {
    {"lookupffn-f32", Sort::kLookup, true, true, 0, make_lookupffn_f32, lookupffn_version},
    {"lookupffn-bf16", Sort::kLookup, true, false, 0.01, make_lookupffn_bf16, lookupffn_version},
    {"lookupffn-int8-tables", Sort::kLookup, true, false, 0.05, make_lookupffn_int8_tables, lookupffn_version},
    {"lookupffn-int8", Sort::kLookup, true, false, 0.5, make_lookupffn_int8, lookupffn_version},
    {"lookupffn-dense-f32", Sort::kDenseLookup, true, true, 0, make_lookupffn_dense_f32, lookupffn_version},
    {"lookupffn-dense-int8", Sort::kDenseLookup, true, false, 0.5, make_lookupffn_dense_int8, lookupffn_version},
    {"lookupffn-linear-f32", Sort::kLinear, true, true, 0, make_linear_f32, lookupffn_version},
    {"lookupffn-linear-int8", Sort::kLinear, true, false, 0.05, make_linear_int8, lookupffn_version},
    {"before-f32", Sort::kLookup, false, false, 1e-4, make_before_f32, before_version},
    {"before-bf16", Sort::kLookup, false, false, 0.01, make_before_bf16, before_version},
    {"before-int8-tables", Sort::kLookup, false, false, 0.05, make_before_int8_tables, before_version},
    {"before-int8", Sort::kLookup, false, false, 0.5, make_before_int8, before_version},
#if LFFN_HAVE_OPENBLAS
    {"openblas", Sort::kVanilla, false, true, 1e-5, make_openblas, openblas_version},
#endif
#if LFFN_HAVE_ONEDNN
    {"onednn", Sort::kVanilla, false, true, 1e-5, make_onednn, onednn_version},
#endif
    {"onnxruntime-f32", Sort::kVanilla, false, true, 1e-5, make_onnxruntime_f32, onnxruntime_version},
    {"onnxruntime-int8", Sort::kVanilla, false, false, 0.05, make_onnxruntime_int8, onnxruntime_version},
    {"pytorch", Sort::kVanilla, false, true, 1e-5, make_torch, torch_version},
  };
  return kinds;
}

bool EngineKind::fits(const Shape& shape) const {
  switch (sort) {
    case Sort::kDenseLookup:
      return shape.with_dense;
    case Sort::kLookup:
      return !shape.is_linear();
    case Sort::kLinear:
      return shape.is_linear();
    case Sort::kVanilla:
      break;
  }
  // The others run feed-forward layers only.
  return !shape.is_linear() || std::string(name).rfind("onnxruntime", 0) == 0;
}

double Engine::time_calls(Problem& problem, int64_t n, int64_t first, int64_t calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < calls; ++i) run(problem.batch(first + i, n), n, problem.y());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void wait_until_idle() {
  const auto cpu_seconds = [] {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  constexpr auto kStep = std::chrono::milliseconds(1);
  for (int i = 0; i < 500; ++i) {
    const double before = cpu_seconds();
    std::this_thread::sleep_for(kStep);
    if (cpu_seconds() - before < 0.0002) return;
  }
}

}  // namespace compare
