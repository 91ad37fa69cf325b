// SPDX-License-Identifier: Apache-2.0
// The library's kernels through its C interface: the hash by itself, and the gather as what a forward takes beyond it.
#include <benchmark/benchmark.h>
#include <lookupffn/lookupffn.h>
#include <time.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "lookup_weights.h"
#include "problem.h"

namespace {

using compare::LayerKind;
using compare::Problem;
using compare::Shape;

struct Kind {
  const char* name;
  LayerKind layer;
  double table_bytes;  // of one element
};

constexpr Kind kKinds[] = {
    {"f32", {LFFN_DTYPE_F32, LFFN_DTYPE_F32, false}, 4},
    {"bf16", {LFFN_DTYPE_BF16, LFFN_DTYPE_F32, false}, 2},
    {"int8-tables", {LFFN_DTYPE_INT8, LFFN_DTYPE_F32, false}, 1},
    {"int8", {LFFN_DTYPE_INT8, LFFN_DTYPE_INT8, false}, 1},
    {"dense-f32", {LFFN_DTYPE_F32, LFFN_DTYPE_F32, true}, 4},
    {"dense-int8", {LFFN_DTYPE_INT8, LFFN_DTYPE_INT8, true}, 1},
};

// Multiplications and additions that the hash needs per token; for BH with the Hadamard matrix's inner part folded into
// the blocks.
double hash_flop(const lffn_layer_info& info) {
  if (info.projection == LFFN_PROJECTION_DENSE) return 2.0 * info.hidden_size * info.num_tables * info.code_bits;
  double n = 1, outer_stages = 0;
  while (n < info.hidden_size) n *= 2;
  for (double width = info.block_size; width < n; width *= 2) outer_stages++;
  return info.num_chains * info.projection * n * (2.0 * info.block_size + outer_stages);
}

// Of this thread, which is the only one at work: other programs' turns do not count.
double cpu_us() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct FreeLayer {
  void operator()(lffn_layer* layer) const { lffn_layer_free(layer); }
};
using Layers = std::vector<std::unique_ptr<lffn_layer, FreeLayer>>;

// As many layers as a model would have, with the same weights in memory of their own: each finds its tables where the
// layers between its turns left them.
Layers make_layers(Problem& problem, const Kind& kind, int64_t n) {
  Layers layers;
  for (int64_t i = 0; i < n; ++i) layers.emplace_back(problem.lookup_weights().make_layer(kind.layer, 1));
  return layers;
}

void run(benchmark::State& state, const Shape& shape, const Kind& kind, int64_t batch, int64_t in_turn) {
  // Kept from benchmark to benchmark: making the weights takes longer than measuring.
  static std::map<std::string, std::unique_ptr<Problem>> problems;
  static std::string made;
  static Layers layers;
  std::unique_ptr<Problem>& problem = problems[shape.name];
  if (problem == nullptr) problem = std::make_unique<Problem>(shape, 4096);
  const std::string wanted = shape.name + kind.name + std::to_string(in_turn);
  if (wanted != made) {
    layers = make_layers(*problem, kind, in_turn);
    made = wanted;
  }
  if (layers.front() == nullptr) {
    state.SkipWithError(lffn_last_error());
    return;
  }
  const int64_t calls = std::max<int64_t>(in_turn, 64 / batch);  // so that reading the clock costs nothing
  const double tokens = static_cast<double>(batch * calls);
  const auto layer = [&](int64_t i) { return layers[static_cast<size_t>(i % in_turn)].get(); };
  std::vector<double> hash, gather;
  bool failed = false;
  int64_t next = 0;
  for (auto _ : state) {
    const double start = cpu_us();
    for (int64_t i = 0; i < calls; ++i)
      failed |= lffn_layer_hash(layer(i), problem->batch(next + i, batch), batch, nullptr, nullptr) != LFFN_OK;
    const double middle = cpu_us();
    for (int64_t i = 0; i < calls; ++i)
      failed |= lffn_layer_forward(layer(i), problem->batch(next + i, batch), batch, problem->y()) != LFFN_OK;
    const double end = cpu_us();
    hash.push_back((middle - start) / tokens);
    gather.push_back((end - middle) / tokens - hash.back());
    next += calls;
  }
  lffn_layer_info info;
  lffn_layer_info_init(&info);
  failed |= lffn_layer_get_info(layer(0), &info) != LFFN_OK;
  if (failed) return state.SkipWithError(lffn_last_error());
  const double gather_bytes = kind.table_bytes * info.num_tables * info.output_size;
  state.counters["hash_us"] = median(hash);
  state.counters["hash_gflops"] = 1e-3 * hash_flop(info) / median(hash);
  state.counters["gather_us"] = median(gather);
  state.counters["gather_gbytes"] = 1e-3 * gather_bytes / median(gather);
}

void add(const Shape& shape, const Kind& kind, int64_t batch, int64_t in_turn) {
  const std::string name =
      shape.name + "/" + kind.name + "/batch:" + std::to_string(batch) + "/layers:" + std::to_string(in_turn);
  benchmark::RegisterBenchmark(name.c_str(), run, shape, kind, batch, in_turn)->MinTime(0.5)->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int64_t kInTurn = 8;
  for (const Shape& shape : compare::shapes()) {
    if (shape.is_linear()) continue;
    for (const Kind& kind : kKinds) {
      if (kind.layer.dense_hash && !shape.with_dense) continue;
      for (const int64_t batch : {1, 64, 512, 4096}) add(shape, kind, batch, 1);
      if (shape.name != "d512") continue;
      for (const int64_t batch : {1, 64, 512}) add(shape, kind, batch, kInTurn);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("isa", lffn_isa());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
