// SPDX-License-Identifier: Apache-2.0
// Small int8 tables: rows gathered beside rows picked in registers, the gathering alone and the whole layer with its
// int8 hash. Several layers take turns, as in a model. Microseconds per token, medians of interleaved rounds.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "layer/layer.h"

namespace {

using namespace lffn;

double thread_microseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

// What each action takes per token, in turns.
std::vector<double> medians(const std::vector<std::function<void()>>& actions, int64_t tokens, int rounds) {
  std::vector<std::vector<double>> times(actions.size());
  const int64_t calls = std::max<int64_t>(1, 2048 / tokens);
  for (int round = 0; round < rounds; ++round) {
    for (size_t a = 0; a < actions.size(); ++a) {
      actions[a]();
      const double start = thread_microseconds();
      for (int64_t i = 0; i < calls; ++i) actions[a]();
      times[a].push_back((thread_microseconds() - start) / static_cast<double>(calls * tokens));
    }
  }
  std::vector<double> found;
  for (std::vector<double>& of : times) {
    std::nth_element(of.begin(), of.begin() + rounds / 2, of.end());
    found.push_back(of[static_cast<size_t>(rounds / 2)]);
  }
  return found;
}

struct Memories {
  std::vector<Memory> all;
  template <typename Number>
  Number* filled(int64_t count, Number (*number)(int64_t i)) {
    all.emplace_back(static_cast<size_t>(count) * sizeof(Number));
    Number* to = all.back().as<Number>();
    for (int64_t i = 0; i < count; ++i) to[i] = number(i);
    return to;
  }
};

int64_t mixed(int64_t i) { return static_cast<int64_t>((static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u) >> 33); }

// The gathering alone, of `layers` layers in turn.
struct Gathers {
  Gathers(const LayerConfig& config, int64_t tokens, int layers) {
    const int64_t groups = (config.num_tables + kEntryGroup - 1) / kEntryGroup;
    const int64_t columns = round_up(config.output_size, kColumnsInt8);
    GatherPlan plan = {};
    plan.columns = columns;
    plan.num_tables = config.num_tables;
    plan.num_probes = 1;
    plan.stride = token_stride(config.num_tables);
    static int64_t rows;
    rows = config.table_size;
    plan.codes = memories.filled<uint16_t>(tokens * plan.stride,
                                           [](int64_t i) { return static_cast<uint16_t>(mixed(i) % rows); });
    const auto score = [](int64_t i) { return static_cast<uint8_t>(mixed(i) % 128); };
    plan.score_bytes = memories.filled<uint8_t>(tokens * plan.stride, score);
    const int64_t whole = round_up(tokens, kPickRows);
    plan.score_byte_scales = memories.filled<float>(whole, [](int64_t) { return 0.5f; });
    plan.bias = memories.filled<float>(columns, [](int64_t i) { return static_cast<float>(i); });
    plan.num_tokens = tokens;
    plan.y = memories.filled<float>(tokens * columns, [](int64_t) { return 0.0f; });
    plan.y_stride = plan.y_columns = columns;
    const auto words = [&](auto number) {
      return reinterpret_cast<int32_t*>(memories.filled<uint8_t>(groups * whole * 4, number));
    };
    picks = {words([](int64_t i) { return static_cast<uint8_t>(i % 4 * kPickRows + mixed(i) % rows); }),
             words(score),
             const_cast<float*>(plan.score_byte_scales),
             whole,
             nullptr,
             config.table_size};
    const auto byte = [](int64_t i) { return static_cast<uint8_t>(mixed(i)); };
    for (int l = 0; l < layers; ++l) {
      plan.row_bytes = columns;
      plan.table_bytes = columns * config.table_size;
      plan.tables = memories.filled<uint8_t>(plan.table_bytes * config.num_tables, byte);
      by_rows.push_back(plan);
      plan.tables = memories.filled<uint8_t>(columns * groups * kEntryGroup * kPickRows, byte);
      by_picks.push_back(plan);
    }
    for (GatherPlan& one : by_picks) one.picks = &picks;
  }
  Memories memories;
  PickOutput picks;
  std::vector<GatherPlan> by_rows, by_picks;
};

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  if (argc > 6) {
    std::fprintf(stderr, "usage: %s [ROUNDS [COLUMNS [TABLES [ROWS [LAYERS]]]]]\n", argv[0]);
    return 2;
  }
  const Kernels& best = kernels();
  if (best.gather_picked == nullptr) {
    std::fprintf(stderr, "%s: kernels '%s' pick no rows in registers; this needs a CPU with AVX-512 VBMI\n", argv[0],
                 best.name);
    return 1;
  }
  Kernels rows_only = best;
  rows_only.gather_picked = nullptr;
  const int rounds = number(1, 15), layers = number(5, 6);
  LayerConfig config;
  config.hidden_size = config.output_size = number(2, 384);
  config.num_tables = number(3, 128);
  config.table_size = number(4, 16);
  config.projection = LFFN_PROJECTION_DENSE;
  config.layer_norm = false;
  std::vector<Memory> memory;
  const std::vector<TensorView> views = random_weights(config, 1, memory);
  LoadOptions options;
  options.num_threads = 1;
  options.table_dtype = options.hash_dtype = LFFN_DTYPE_INT8;
  std::vector<std::unique_ptr<const Layer>> by_rows, by_picks;
  for (int l = 0; l < layers; ++l) {
    const LayerTensors tensors = check_tensors(config, views, LFFN_ERROR_INVALID_ARGUMENT);
    by_rows.push_back(std::make_unique<const Layer>(config, tensors, options, rows_only));
    by_picks.push_back(std::make_unique<const Layer>(config, tensors, options, best));
  }
  std::printf("%s, %d columns, %d tables of %d rows, %d layers in turn, us per token and layer\n", best.name,
              config.output_size, config.num_tables, config.table_size, layers);
  std::printf("tokens  gather: rows   picks   ratio   layer: rows   picks   ratio\n");
  for (const int64_t tokens : {1, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 512, 4096}) {
    const Gathers gathers(config, tokens, layers);
    Memories memories;
    const int64_t numbers = tokens * config.hidden_size;
    const float* x =
        memories.filled<float>(numbers, [](int64_t i) { return static_cast<float>(mixed(i) % 2001 - 1000) / 500.0f; });
    float* y = memories.filled<float>(numbers, [](int64_t) { return 0.0f; });
    const auto run = [&](const std::vector<std::unique_ptr<const Layer>>& all) {
      ForwardCall call;
      call.x = x;
      call.y = y;
      call.x_stride = call.y_stride = config.hidden_size;
      call.num_tokens = tokens;
      for (const auto& layer : all) layer->forward(call);
    };
    const std::vector<double> took = medians({[&] {
                                                for (const GatherPlan& plan : gathers.by_rows) best.gather_int8(plan);
                                              },
                                              [&] {
                                                for (const GatherPlan& plan : gathers.by_picks)
                                                  best.gather_picked(plan);
                                              },
                                              [&] { run(by_rows); }, [&] { run(by_picks); }},
                                             tokens * layers, rounds);
    std::printf("%6d %13.3f %7.3f %7.2f %13.3f %7.3f %7.2f\n", static_cast<int>(tokens), took[0], took[1],
                took[0] / took[1], took[2], took[3], took[2] / took[3]);
  }
  return 0;
}
