// SPDX-License-Identifier: Apache-2.0
// lookupffn bench: where a layer's time goes on this machine, beside a vanilla FFN.
#include "bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench_dense.h"
#include "command.h"
#include "layer_options.h"
#include "progress.h"
#include "random_tokens.h"

namespace lffn::tools {
namespace {

constexpr int64_t kDistinctTokens = 4096;  // fewer tokens, run again and again, would find their rows in the cache
constexpr double kTimingSeconds = 0.02;    // one timing is as many calls as fill this
constexpr size_t kMinRounds = 3;
constexpr const char* kVanillaEngine = "this command's own f32 FFN in portable C++, not a tuned library";

struct BenchOptions {
  lookupffn::LayerConfig config;
  lookupffn::LoadOptions load;
  int64_t intermediate = 2048;
  int64_t batch = 4096;
  double seconds = 1;
  bool json = false;
  bool costs = false;
  ModelBench model;
  ShapeOptions shape;
};

struct BenchFigures {
  lookupffn::LayerInfo info;
  std::string vanilla_isa;
  size_t rounds = 0;
  // Microseconds per token, medians over the rounds.
  double layer = 0, hash = 0, gather = 0, vanilla = 0, speedup = 0;
  // Per token: operations in 10^3, and bytes of rows.
  double hash_kflop = 0, gather_kflop = 0, vanilla_kflop = 0, row_bytes = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Multiplications and additions, with the inner part of the Hadamard matrix folded into the blocks as the kernels do.
double hash_flop(const lffn_layer_info& info) {
  if (info.projection == LFFN_PROJECTION_DENSE) return 2.0 * info.hidden_size * info.num_tables * info.code_bits;
  double n = 1, stages = 0;
  while (n < info.hidden_size) n *= 2;
  for (double width = info.block_size; width < n; width *= 2) ++stages;
  return info.num_chains * info.projection * n * (2.0 * info.block_size + stages);
}

double row_bytes(const lffn_layer_info& info) {
  const double number = info.table_dtype == LFFN_DTYPE_F32 ? 4 : info.table_dtype == LFFN_DTYPE_BF16 ? 2 : 1;
  return number * info.num_tables * info.num_probes * info.output_size;
}

// Calls work(x) for batch after batch, and tells the microseconds per token.
class Stopwatch {
 public:
  Stopwatch(const std::vector<float>& tokens, int64_t hidden_size, int64_t batch)
      : tokens_(tokens), hidden_(hidden_size), batch_(batch) {}

  template <typename Work>
  double time(const Work& work) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    double seconds = 0;
    int64_t calls = 0;
    for (int64_t together = 1; seconds < kTimingSeconds; together *= 2) {
      for (int64_t i = 0; i < together; ++i) work(next());
      calls += together;
      seconds = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return 1e6 * seconds / static_cast<double>(calls * batch_);
  }

 private:
  lookupffn::Span<const float> next() {
    const auto size = static_cast<size_t>(batch_ * hidden_);
    if (at_ + size > tokens_.size()) at_ = 0;
    const lookupffn::Span<const float> batch(tokens_.data() + at_, size);
    at_ += size;
    return batch;
  }

  const std::vector<float>& tokens_;
  const int64_t hidden_, batch_;
  size_t at_ = 0;
};

BenchFigures measure(const BenchOptions& options) {
  const auto layer = [&] {
    const Progress progress("making a layer");
    return lookupffn::Layer::create(options.config, {}, options.load);
  }();
  BenchFigures figures;
  figures.info = layer.info();
  const lookupffn::LayerInfo& info = figures.info;
  const std::vector<float> tokens =
      normal_numbers(std::max(options.batch, kDistinctTokens) * info.hidden_size, 1.0f, 1);
  std::vector<float> y(static_cast<size_t>(options.batch * info.output_size));
  std::unique_ptr<DenseFfn> vanilla;
  if (options.intermediate > 0) {
    figures.vanilla_isa = dense_versions().back();
    vanilla = std::make_unique<DenseFfn>(info.hidden_size, options.intermediate, figures.vanilla_isa);
  }

  const auto run_hash = [&](lookupffn::Span<const float> x) {
    lookupffn::check(lffn_layer_hash(layer.get(), x.data(), options.batch, nullptr, nullptr));
  };
  const auto run_layer = [&](lookupffn::Span<const float> x) {
    lookupffn::check(lffn_layer_forward(layer.get(), x.data(), options.batch, y.data()));
  };
  const auto run_vanilla = [&](lookupffn::Span<const float> x) {
    vanilla->forward(x.data(), options.batch, info.num_threads, y.data());
  };

  Stopwatch hash_watch(tokens, info.hidden_size, options.batch), layer_watch = hash_watch, vanilla_watch = hash_watch;
  std::vector<double> hash, whole, gather, dense, speedup;
  using Clock = std::chrono::steady_clock;
  Progress progress("measuring", static_cast<int64_t>(1000 * options.seconds));
  const Clock::time_point start = Clock::now();
  double elapsed = 0;
  // The first round only warms up. Each round runs everything, so that other work on the machine slows all alike.
  for (size_t round = 0; round <= kMinRounds || elapsed < options.seconds; ++round) {
    const double hash_us = hash_watch.time(run_hash);
    const double layer_us = layer_watch.time(run_layer);
    const double vanilla_us = vanilla != nullptr ? vanilla_watch.time(run_vanilla) : 0;
    const double now = std::chrono::duration<double>(Clock::now() - start).count();
    progress.add(static_cast<int64_t>(1000 * now) - static_cast<int64_t>(1000 * elapsed));
    elapsed = now;
    if (round == 0) continue;
    hash.push_back(hash_us);
    whole.push_back(layer_us);
    gather.push_back(std::max(0.0, layer_us - hash_us));
    dense.push_back(vanilla_us);
    speedup.push_back(vanilla_us / layer_us);
  }
  figures.rounds = whole.size();
  figures.layer = median(whole);
  figures.hash = median(hash);
  figures.gather = median(gather);
  figures.vanilla = median(dense);
  figures.speedup = median(speedup);
  figures.hash_kflop = 1e-3 * hash_flop(info);
  figures.gather_kflop = 2e-3 * info.num_tables * info.num_probes * info.output_size;
  figures.vanilla_kflop = 4e-3 * info.hidden_size * static_cast<double>(options.intermediate);
  figures.row_bytes = row_bytes(info);
  return figures;
}

// 10^3 per microsecond are 10^9 per second. A gather too short to be measured beside the hash has no rate.
double rate(double thousands, double microseconds) { return microseconds > 0 ? thousands / microseconds : 0; }

struct StageRow {
  const char* name;
  double us, kflop, bytes;
};

void print_row(const StageRow& row, double whole) {
  std::printf("%-14s %12.3f %10.1f ", row.name, row.us, rate(row.kflop, row.us));
  if (row.bytes > 0) {
    std::printf("%10.1f ", rate(1e-3 * row.bytes, row.us));
  } else {
    std::printf("%10s ", "");
  }
  if (whole > 0) std::printf("%6.1f %%", 100 * row.us / whole);
  std::printf("\n");
}

void print_table(const BenchOptions& options, const BenchFigures& figures) {
  const lffn_layer_info& info = figures.info;
  std::printf("layer          d %d, %d tables of %d rows, %s", info.hidden_size, info.num_tables, info.table_size,
              name_of(projection_names(), info.projection).c_str());
  if (info.projection != LFFN_PROJECTION_DENSE) std::printf(", block size %d", info.block_size);
  std::printf(", tables %s, hash %s\n", name_of(dtype_names(), info.table_dtype).c_str(),
              name_of(dtype_names(), info.hash_dtype).c_str());
  std::printf("run            batch %lld, threads %d, kernels %s, median of %zu rounds\n\n",
              static_cast<long long>(options.batch), info.num_threads, lffn_isa(), figures.rounds);
  std::printf("%-14s %12s %10s %10s %8s\n", "", "us per token", "GFLOP/s", "GB/s rows", "share");
  print_row({"layer", figures.layer, figures.hash_kflop + figures.gather_kflop, 0}, figures.layer);
  print_row({"  hash, score", figures.hash, figures.hash_kflop, 0}, figures.layer);
  print_row({"  gather", figures.gather, figures.gather_kflop, figures.row_bytes}, figures.layer);
  if (options.intermediate == 0) return;
  print_row({"vanilla FFN", figures.vanilla, figures.vanilla_kflop, 0}, 0);
  std::printf(
      "\nThe vanilla FFN (d %d, t %lld, %s) takes %.2f times the layer's time. It is\n%s;\n"
      "judge it by its GFLOP/s. benchmarks/compare measures the layer against real engines.\n",
      info.hidden_size, static_cast<long long>(options.intermediate), figures.vanilla_isa.c_str(), figures.speedup,
      kVanillaEngine);
}

void print_json(const BenchOptions& options, const BenchFigures& figures) {
  const lffn_layer_info& info = figures.info;
  nlohmann::ordered_json json = {
      {"hidden_size", info.hidden_size},
      {"num_tables", info.num_tables},
      {"table_size", info.table_size},
      {"projection", name_of(projection_names(), info.projection)},
      {"block_size", info.block_size},
      {"num_probes", info.num_probes},
      {"table_dtype", name_of(dtype_names(), info.table_dtype)},
      {"hash_dtype", name_of(dtype_names(), info.hash_dtype)},
      {"batch", options.batch},
      {"threads", info.num_threads},
      {"isa", lffn_isa()},
      {"rounds", figures.rounds},
      {"layer",
       {{"us_per_token", figures.layer}, {"gflops", rate(figures.hash_kflop + figures.gather_kflop, figures.layer)}}},
      {"hash",
       {{"us_per_token", figures.hash},
        {"gflops", rate(figures.hash_kflop, figures.hash)},
        {"share", figures.hash / figures.layer}}},
      {"gather",
       {{"us_per_token", figures.gather},
        {"gflops", rate(figures.gather_kflop, figures.gather)},
        {"gbytes", rate(1e-3 * figures.row_bytes, figures.gather)},
        {"share", figures.gather / figures.layer}}},
  };
  if (options.intermediate > 0) {
    json["vanilla"] = {{"engine", kVanillaEngine},
                       {"isa", figures.vanilla_isa},
                       {"intermediate_size", options.intermediate},
                       {"us_per_token", figures.vanilla},
                       {"gflops", rate(figures.vanilla_kflop, figures.vanilla)},
                       {"times_layer", figures.speedup}};
  }
  std::printf("%s\n", json.dump(2).c_str());
}

void add_options(CLI::App& app, BenchOptions& options) {
  lookupffn::LayerConfig& config = options.config;
  config.hidden_size = 512;
  config.num_tables = 128;
  config.table_size = 256;
  options.load.num_threads = 1;
  app.add_option("--hidden-size", config.hidden_size, "Floats per token; default 512")->check(whole(1))->type_name("N");
  app.add_option("--tables", config.num_tables, "How many tables; default 128")->check(whole(1))->type_name("N");
  app.add_option("--table-size", config.table_size, "Rows per table, a power of two; default 256")
      ->check(whole(1))
      ->type_name("N");
  add_choice(app, "--projection", config.projection, projection_names(), "dense or bh1 to bh9; default bh4");
  app.add_option("--block-size", config.block_size, "Of the BH blocks, a power of two; default 64")
      ->check(whole(1))
      ->type_name("N");
  app.add_option("--probes", config.num_probes, "Rows read per table; default 1")->check(whole(1))->type_name("N");
  app.add_option("--intermediate-size", options.intermediate,
                 "Floats between the vanilla FFN's two products; default 2048, 0 leaves it out")
      ->check(whole(0, 1 << 20))
      ->type_name("N");
  app.add_option("--batch", options.batch, "Tokens per call; default 4096")->check(whole(1, 1 << 20))->type_name("N");
  app.add_option("--threads", options.load.num_threads,
                 "Threads; 0 = what affinity, cgroup and OMP_NUM_THREADS leave; default 1")
      ->check(whole(0))
      ->type_name("N");
  add_choice(app, "--table-dtype", options.load.table_dtype, dtype_names(), "f32, bf16 or int8; default f32");
  add_choice(app, "--hash-dtype", options.load.hash_dtype, dtype_names(), "f32 or int8; default f32");
  add_choice(app, "--linear-dtype", options.load.linear_dtype, dtype_names(),
             "Of a model: f32 or int8; default: as stored");
  add_attention_dtype(app, options.load);
  add_seven_bit_inputs(app, options.load);
  app.add_option("--seconds", options.seconds, "How long to measure, at least 3 rounds; default 1")
      ->check(real(0, 3600, "from 0 to 3600"))
      ->type_name("S");
  app.add_option("--model", options.model.path, "Time this model, a folder or a single file, instead of a layer");
  app.add_option("--length", options.model.length, "With --model: tokens per sequence; default 128")
      ->check(whole(1))
      ->type_name("N");
  app.add_option("--sequences", options.model.sequences, "With --model: sequences per call; default 8")
      ->check(whole(1, 1 << 16))
      ->type_name("N");
  options.shape.add_to(app);
  app.add_flag(
      "--costs", options.costs,
      "What a neuron, a head, a table, a linear map and a row by word cost a token here, as JSON, with 384, 768 and "
      "1024 floats per token or --hidden-size; --seconds for each figure");
  app.add_flag("--json", options.json, "Print one JSON object instead of a table");
}

}  // namespace

Command bench_command(CLI::App& parent) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* app = parent.add_subcommand("bench", "Time a layer and its parts beside a vanilla FFN, or a model");
  add_options(*app, *options);
  app->footer(
      "The layer's weights are random, its inputs standard normal. Operations of the hash are counted with the\n"
      "Hadamard matrix folded into the blocks; the gather is what a forward takes beyond the hash.\n"
      "\n"
      "Examples:\n"
      "  lookupffn bench\n"
      "  lookupffn bench --table-dtype int8 --hash-dtype int8 --batch 1\n"
      "  lookupffn bench --hidden-size 768 --tables 170 --table-size 512 --intermediate-size 3072 --seconds 5\n"
      "  lookupffn bench --model my-model --length 512 --sequences 1 --threads 2\n"
      "  lookupffn bench --hidden-size 384 --layers 6 --neurons 256 --heads 4,4,4,6,6,8 --word-rows 30522 --word-dtype "
      "int8 --linear-dtype int8\n"
      "  lookupffn bench --costs --seconds 0.2 > costs.json");
  return {app, [app, options] {
            if (options->costs) {
              const bool given = app->count("--hidden-size") > 0;
              return bench_costs(
                  given ? std::vector<int32_t>{options->config.hidden_size} : std::vector<int32_t>{384, 768, 1024},
                  options->seconds);
            }
            options->load.word_row_dtype = options->shape.word_dtype();
            if (!options->model.path.empty()) {
              return bench_model(options->model, options->load, options->seconds, options->json);
            }
            if (options->shape.given()) {
              const TemporaryFile file;
              options->shape.write(options->config, app->count("--tables") > 0, file.path());
              options->model.path = file.path();
              return bench_model(options->model, options->load, options->seconds, options->json);
            }
            const BenchFigures figures = measure(*options);
            if (options->json) {
              print_json(*options, figures);
            } else {
              print_table(*options, figures);
            }
            return 0;
          }};
}

}  // namespace lffn::tools
