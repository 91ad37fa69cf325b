// SPDX-License-Identifier: Apache-2.0
// What rows by word cost where they lie in memory but not in the caches: a student with them beside the same one
// without, call by call in turn, with another 100 MB read before each. And what mapping the file saves: how long
// loading takes and how much memory of its own the process then has, with the file in the page cache or not.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "random_model.h"

namespace {

constexpr int32_t kWords = 30522, kLayers = 6;
constexpr size_t kOther = size_t{100} << 20;  // bytes that are read between calls

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// In MiB, of this process: "RssAnon" is its own, "RssFile" shared with all that map the file.
double memory_of_process(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(field + ":", 0) == 0) return std::atof(line.c_str() + field.size() + 1) / 1024;
  }
  return 0;
}

RandomModelShape student(lffn::DType dtype, bool has_word_rows) {
  RandomModelShape shape;
  shape.family = &lffn::kBert;
  shape.hidden_size = 384;
  shape.head_size = 32;
  shape.vocab_size = kWords;
  shape.max_tokens = 512;
  shape.ffn_kinds = std::string(kLayers, 'v');
  shape.heads = {4, 4, 4, 6, 6, 8};
  shape.neurons.assign(kLayers, 256);
  if (has_word_rows) shape.has_word_rows.assign(kLayers, true);
  shape.word_dtype = dtype;
  shape.num_classes = 0;
  shape.lm_head = false;
  return shape;
}

lookupffn::LoadOptions options_of(bool map) {
  lookupffn::LoadOptions options;
  options.num_threads = 1;
  options.linear_dtype = options.embedding_dtype = LFFN_DTYPE_INT8;
  options.flags = map ? LFFN_LOAD_MMAP : 0;
  return options;
}

class Caller {
 public:
  Caller(int64_t sequences, int64_t length) : sequences_(sequences), length_(length), embeddings_(sequences * 384) {
    for (int64_t s = 0; s <= sequences; ++s) offsets_.push_back(s * length);
    ids_.resize(static_cast<size_t>(sequences * length));
  }
  // Seconds of the CPU; the ids are others each time.
  double call(const lookupffn::Model& model, uint32_t seed) {
    std::mt19937 random(seed);
    for (int32_t& id : ids_) id = static_cast<int32_t>(random() % kWords);
    return run(model);
  }
  // So that no page is touched for the first time later.
  void touch_all_rows(const lookupffn::Model& model) {
    for (int32_t first = 0; first < kWords; first += static_cast<int32_t>(ids_.size())) {
      for (size_t i = 0; i < ids_.size(); ++i) ids_[i] = std::min(first + static_cast<int32_t>(i), kWords - 1);
      run(model);
    }
  }
  double tokens() const { return static_cast<double>(sequences_ * length_); }

 private:
  double run(const lookupffn::Model& model) {
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.n = sequences_;
    args.ids = ids_.data();
    args.offsets = offsets_.data();
    const lffn_output output = {LFFN_OUT_EMBEDDINGS, 0, embeddings_.data(), static_cast<int64_t>(embeddings_.size())};
    args.outputs = &output;
    args.n_outputs = 1;
    const double start = thread_seconds();
    lookupffn::check(lffn_model_run(model.get(), &args));
    return thread_seconds() - start;
  }

  int64_t sequences_, length_;
  std::vector<int32_t> ids_;
  std::vector<int64_t> offsets_;
  std::vector<float> embeddings_;
};

void time_rows(const std::string& file, const std::string& plain_file, const char* type, int rounds) {
  const lookupffn::Model with = lookupffn::Model::load(file, options_of(false));
  const lookupffn::Model without = lookupffn::Model::load(plain_file, options_of(false));
  Caller(32, 128).touch_all_rows(with);
  std::vector<char> other(kOther, 1);
  int64_t sum = 0;
  for (const auto& [sequences, length] : {std::pair<int64_t, int64_t>{1, 16}, {32, 128}}) {
    Caller caller(sequences, length);
    const int turns = rounds * (sequences == 1 ? 8 : 1);
    std::vector<double> more, all;
    for (int turn = -1; turn < turns; ++turn) {
      double seconds[2];
      for (const int which : {turn & 1, 1 - (turn & 1)}) {
        for (size_t i = 0; i < kOther; i += 64) sum += other[i];
        seconds[which] = caller.call(which == 0 ? without : with, static_cast<uint32_t>(turn + 1));
      }
      if (turn < 0) continue;
      all.push_back(1e6 * seconds[0] / caller.tokens() / kLayers);
      more.push_back(1e6 * (seconds[1] - seconds[0]) / caller.tokens() / kLayers);
    }
    std::printf("%-5s %3lld x %-4lld %8.3f %10.3f\n", type, static_cast<long long>(sequences),
                static_cast<long long>(length), median(all), median(more));
  }
  if (sum == 0) std::printf("nothing was read\n");
}

// Drops the file from the page cache, as far as the system does.
void forget(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  if (file < 0) return;
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

void time_loading(const std::string& file) {
  using Clock = std::chrono::steady_clock;
  const auto milliseconds = [](Clock::time_point since) {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
  };
  for (const bool map : {false, true}) {
    for (const bool cold : {true, false}) {
      if (cold) forget(file);
      const double own = memory_of_process("RssAnon"), shared = memory_of_process("RssFile");
      const Clock::time_point start = Clock::now();
      const lookupffn::Model model = lookupffn::Model::load(file, options_of(map));
      const double loading = milliseconds(start);
      const double more = memory_of_process("RssAnon") - own, mapped = memory_of_process("RssFile") - shared;
      Caller caller(1, 16);
      const Clock::time_point first = Clock::now();
      caller.call(model, 1);
      const double first_call = milliseconds(first);
      Caller many(32, 128);
      many.call(model, 2);
      const double after = memory_of_process("RssFile") - shared;
      std::printf("%-7s %-5s %9.1f %12.2f %9.1f %9.1f %9.1f %9.1f\n", map ? "mapped" : "read", cold ? "cold" : "warm",
                  loading, first_call, more, mapped, after, static_cast<double>(model.info().memory_bytes) / 1048576.0);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]);
    return 2;
  }
  const int rounds = argc == 2 ? std::atoi(argv[1]) : 15;
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string plain = folder / ("bench-words-plain-" + std::to_string(getpid()));
  const std::string file = folder / ("bench-words-" + std::to_string(getpid()));
  random_model(student(lffn::DType::kF32, false)).write(plain);
  std::printf("%s, us of CPU per token and layer\nrows   tokens     without  with more\n", lffn_isa());
  for (const auto& [type, dtype] : {std::pair<const char*, lffn::DType>{"int8", lffn::DType::kI8},
                                    {"int4", lffn::DType::kU8},
                                    {"bf16", lffn::DType::kBF16}}) {
    random_model(student(dtype, true)).write(file);
    time_rows(file, plain, type, rounds);
  }
  // As a model is shipped: rows apart from the rest, all in int8.
  random_model(student(lffn::DType::kI8, true)).write(file);
  lookupffn::Model::load(file, options_of(false)).save(file);
  std::printf("\n%-7s %-5s %9s %12s %9s %9s %9s %9s\n", "int8", "file", "load ms", "1 x 16 ms", "own MiB", "file MiB",
              "later", "weights");
  time_loading(file);
  std::filesystem::remove(file);
  std::filesystem::remove(plain);
  return 0;
}
