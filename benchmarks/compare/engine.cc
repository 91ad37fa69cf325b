#include "engine.h"

#include <time.h>

#include <chrono>
#include <thread>

#include "engine_lookupffn.h"
#include "engine_torch.h"
#if LFFN_HAVE_ONEDNN
#include "engine_onednn.h"
#endif
#if LFFN_HAVE_OPENBLAS
#include "engine_openblas.h"
#endif
#include "engine_onnxruntime.h"

namespace compare {

const std::vector<EngineKind>& engine_kinds() {
  static const std::vector<EngineKind> kinds = {
    {"lookupffn-f32", true, true, 0, make_lookupffn_f32, lookupffn_version},
    {"lookupffn-bf16", true, false, 0.01, make_lookupffn_bf16, lookupffn_version},
    {"lookupffn-int8-tables", true, false, 0.05, make_lookupffn_int8_tables, lookupffn_version},
    {"lookupffn-int8", true, false, 0.5, make_lookupffn_int8, lookupffn_version},
#if LFFN_HAVE_OPENBLAS
    {"openblas", false, true, 1e-5, make_openblas, openblas_version},
#endif
#if LFFN_HAVE_ONEDNN
    {"onednn", false, true, 1e-5, make_onednn, onednn_version},
#endif
    {"onnxruntime-f32", false, true, 1e-5, make_onnxruntime_f32, onnxruntime_version},
    {"onnxruntime-int8", false, false, 0.05, make_onnxruntime_int8, onnxruntime_version},
    {"pytorch", false, true, 1e-5, make_torch, torch_version},
  };
  return kinds;
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
