// SPDX-License-Identifier: Apache-2.0
// What a call costs beside other programs that keep CPUs busy: times with one thread and several on a quiet machine,
// and with several beside so many spinning processes.
#include <lookupffn/lookupffn.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "layer/layer.h"
#include "model/model.h"
#include "random_model.h"
#include "spinners.h"

namespace {

using compare::Spinners;

constexpr int32_t kSize = 512;

double now_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}

// One thing to do, with one thread and with several.
struct Work {
  std::string name;
  std::function<void()> alone, several;
};

lffn_layer* make_layer(int32_t threads) {
  lffn_layer_config config;
  lffn_layer_config_init(&config);
  config.hidden_size = kSize;
  config.num_tables = 128;
  config.table_size = 256;
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = threads;
  options.table_dtype = options.hash_dtype = LFFN_DTYPE_INT8;
  lffn_layer* layer = nullptr;
  if (lffn_layer_create(&config, nullptr, 0, &options, &layer) != LFFN_OK) {
    std::fprintf(stderr, "%s\n", lffn_last_error());
    std::exit(1);
  }
  return layer;
}

std::unique_ptr<const lffn::Model> make_model(const std::string& file, int32_t threads) {
  lffn::ModelLoadOptions options;
  options.num_threads = threads;
  options.table_dtype = options.hash_dtype = options.linear_dtype = LFFN_DTYPE_INT8;
  return lffn::load_model(file, options, lffn::usable_kernels());
}

std::string write_model() {
  RandomModelShape shape;
  shape.hidden_size = kSize;
  shape.num_heads = 8;
  shape.head_size = 64;
  shape.vocab_size = 5000;
  shape.max_tokens = 512;
  shape.ffn_kinds = "llll";
  shape.num_tables = 128;
  shape.table_size = 256;
  shape.block_size = 64;
  const std::string file = "/tmp/lffn-neighbours-" + std::to_string(getpid());
  random_model(shape).write(file);
  return file;
}

void run_model(const lffn::Model& model, const std::vector<int32_t>& ids, size_t sequences,
               std::vector<float>& hidden) {
  std::vector<int64_t> offsets;
  for (size_t i = 0; i <= sequences; ++i) offsets.push_back(static_cast<int64_t>(ids.size() / sequences * i));
  lffn::ModelCall call;
  call.ids = ids.data();
  call.offsets = offsets.data();
  call.num_sequences = static_cast<int64_t>(sequences);
  call.hidden = hidden.data();
  model.run(call);
}

void measure(const std::function<void()>& action, int calls, std::vector<double>& times) {
  for (int i = 0; i < calls; ++i) {
    const double start = now_us();
    action();
    times.push_back(now_us() - start);
  }
}

void report(const Work& work, Spinners& spinners, int calls, int rounds) {
  std::vector<double> alone, several, alone_beside, several_beside;
  work.alone();
  work.several();
  for (int round = 0; round < rounds; ++round) {
    measure(work.alone, calls / rounds, alone);
    measure(work.several, calls / rounds, several);
    spinners.let(true);
    measure(work.alone, calls / rounds, alone_beside);
    measure(work.several, calls / rounds, several_beside);
    spinners.let(false);
  }
  const double quiet = quantile(alone, 0.5);
  std::printf("%-14s %9.0f %9.0f %7.2f %10.0f %10.0f %10.0f %10.0f %7.2f\n", work.name.c_str(), quiet,
              quantile(several, 0.5), quiet / quantile(several, 0.5), quantile(alone_beside, 0.5),
              quantile(alone_beside, 0.9), quantile(several_beside, 0.5), quantile(several_beside, 0.9),
              quantile(several_beside, 0.9) / quiet);
  std::fflush(stdout);
}

int usage() {
  std::fprintf(stderr, "usage: bench-neighbours [--neighbours N] [--nice N] [--threads N] [--calls N] [--only NAME]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  int neighbours = 1, nice = 0, threads = 2, calls = 500;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--neighbours") {
      neighbours = std::atoi(argv[i + 1]);
    } else if (option == "--nice") {
      nice = std::atoi(argv[i + 1]);
    } else if (option == "--threads") {
      threads = std::atoi(argv[i + 1]);
    } else if (option == "--calls") {
      calls = std::atoi(argv[i + 1]);
    } else if (option == "--only") {
      only = argv[i + 1];
    } else {
      return usage();
    }
  }
  if (argc % 2 == 0 || neighbours < 0 || threads < 1 || calls < 10) return usage();

  Spinners spinners(neighbours, nice);  // before any thread
  lffn_layer* const layers[] = {make_layer(1), make_layer(threads)};
  const std::string file = write_model();
  const std::unique_ptr<const lffn::Model> models[] = {make_model(file, 1), make_model(file, threads)};
  std::remove(file.c_str());

  std::vector<float> x(4096 * kSize), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 2654435761u >> 8) % 1009) / 500.0f - 1.0f;
  std::vector<Work> works;
  for (const int64_t tokens : {16, 64, 512, 4096}) {
    const auto forward = [&, tokens](int which) {
      if (lffn_layer_forward(layers[which], x.data(), tokens, y.data()) != LFFN_OK) std::abort();
    };
    works.push_back({"layer " + std::to_string(tokens), [=] { forward(0); }, [=] { forward(1); }});
  }
  struct Batch {
    size_t sequences, length;
  };
  for (const Batch batch : {Batch{1, 16}, {1, 128}, {8, 32}, {1, 512}}) {
    std::vector<int32_t> ids(batch.sequences * batch.length);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * 31 % 5000);
    const auto run = [&, ids, batch](int which) { run_model(*models[which], ids, batch.sequences, y); };
    const std::string name = "model " + std::to_string(batch.sequences) + " x " + std::to_string(batch.length);
    works.push_back({name, [=] { run(0); }, [=] { run(1); }});
  }
  std::printf("us a call; %d spinning processes at nice %d, %d threads, %d calls, kernels %s\n", neighbours, nice,
              threads, calls, lffn_isa());
  std::printf("%-14s %9s %9s %7s %10s %10s %10s %10s %7s\n", "", "1 thread", "several", "ratio", "1 beside", "p90",
              "several", "p90", "p90/1");
  for (const Work& work : works) {
    if (only.empty() || work.name == only) report(work, spinners, calls, 5);
  }
  for (lffn_layer* layer : layers) lffn_layer_free(layer);
  return 0;
}
