// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench.h"
#include "layer_options.h"
#include "lookupffn/lookupffn.hpp"
#include "progress.h"
#include "random_model.h"
#include "random_tokens.h"

namespace lffn::tools {
namespace {

constexpr int32_t kLayers = 3;  // so that weights and rows of layers take turns in the caches, as in a model
constexpr int32_t kWords = 30522, kFewWords = 2048;
constexpr int32_t kNeurons = 768, kFewTables = 16;
constexpr int64_t kMostTableNumbers = 1 << 24;
constexpr int32_t kProjections[] = {LFFN_PROJECTION_DENSE, 4, 1};  // BH4 and BH1
constexpr int kFewestRounds = 5;

struct Shape {
  int32_t sequences, length;
  int64_t tokens() const { return int64_t{sequences} * length; }
};
constexpr Shape kShapes[] = {{1, 16}, {32, 128}};
constexpr int32_t kTypes[] = {LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8};

// The processor time of this thread, which other work on the machine hardly changes.
double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double middle_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

lookupffn::LoadOptions held_as(int32_t dtype) {
  lookupffn::LoadOptions options;
  options.num_threads = 1;
  options.table_dtype = options.word_row_dtype = dtype;
  options.hash_dtype = options.linear_dtype = dtype == LFFN_DTYPE_INT8 ? LFFN_DTYPE_INT8 : LFFN_DTYPE_F32;
  return options;
}

// A model whose layers all have the same single part, or none.
class Subject {
 public:
  Subject(const RandomModelShape& shape, const lookupffn::LoadOptions& options) : vocab_(shape.vocab_size) {
    const TemporaryFile file;
    random_model(shape).write(file.path());
    model_ = lookupffn::Model::load(file.path(), options);
  }
  double seconds(const Shape& shape, uint32_t seed) {
    ids_.resize(static_cast<size_t>(shape.tokens()));
    uint32_t state = seed;
    for (int32_t& id : ids_) {
      state = state * 1664525 + 1013904223;
      id = static_cast<int32_t>((uint64_t{state} * static_cast<uint32_t>(vocab_)) >> 32);
    }
    offsets_.clear();
    for (int64_t s = 0; s <= shape.sequences; ++s) offsets_.push_back(s * shape.length);
    embeddings_.resize(static_cast<size_t>(shape.sequences) * static_cast<size_t>(model_.info().hidden_size));
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.n = shape.sequences;
    args.ids = ids_.data();
    args.offsets = offsets_.data();
    const lffn_output output = {LFFN_OUT_EMBEDDINGS, 0, embeddings_.data(), static_cast<int64_t>(embeddings_.size())};
    args.outputs = &output;
    args.n_outputs = 1;
    const double start = cpu_seconds();
    model_.run(args);
    return cpu_seconds() - start;
  }

 private:
  int32_t vocab_;
  lookupffn::Model model_;
  std::vector<int32_t> ids_;
  std::vector<int64_t> offsets_;
  std::vector<float> embeddings_;
};

// What `what` costs beyond `base`: microseconds per token for one of `units`.
double cost_of(Subject& what, Subject& base, const Shape& shape, double units, double seconds) {
  std::vector<double> more;
  double spent = 0;
  for (uint32_t round = 0; more.size() < kFewestRounds || spent < seconds; ++round) {
    double times[2];
    for (const uint32_t which : {round & 1, 1 - (round & 1)}) {
      times[which] = (which == 1 ? what : base).seconds(shape, round + 1);
      spent += times[which];
    }
    if (round > 0) more.push_back(times[1] - times[0]);  // the first warms up
  }
  return 1e6 * middle_of(more) / (static_cast<double>(shape.tokens()) * kLayers * units);
}

RandomModelShape plain(int32_t hidden_size) {
  RandomModelShape shape;
  shape.family = &kBert;
  shape.hidden_size = hidden_size;
  shape.head_size = hidden_size <= 384 ? 32 : 64;
  shape.vocab_size = kFewWords;
  shape.max_tokens = 512;
  shape.num_classes = 0;
  shape.lm_head = false;
  shape.ffn_kinds = std::string(kLayers, 'n');
  shape.neurons.assign(kLayers, 0);
  shape.heads.assign(kLayers, 0);
  return shape;
}

class PartCosts {
 public:
  PartCosts(size_t sizes, double seconds)
      : seconds_(seconds), progress_("measuring", static_cast<int64_t>(sizes * std::size(kTypes))) {}

  void measure(int32_t hidden_size, int32_t dtype) {
    const lookupffn::LoadOptions options = held_as(dtype);
    const RandomModelShape none = plain(hidden_size);
    if (dtype != LFFN_DTYPE_BF16) {  // neurons, heads and linear maps are not measured in it
      Subject base(none, options);
      RandomModelShape shape = none;
      shape.ffn_kinds = std::string(kLayers, 'v');
      shape.neurons.assign(kLayers, kNeurons);
      add("neuron", hidden_size, dtype, Subject(shape, options), base, kNeurons);
      shape = none;
      shape.heads.assign(kLayers, hidden_size / shape.head_size);
      add("head", hidden_size, dtype, Subject(shape, options), base, hidden_size / shape.head_size,
          {{"head_size", shape.head_size}});
      shape = none;
      shape.num_tables = kFewTables;
      shape.projection = LFFN_PROJECTION_DENSE;
      shape.ffn_kinds = std::string(kLayers, 'l');
      Subject tables(shape, options);
      shape.ffn_kinds = std::string(kLayers, 'w');
      add("linear map", hidden_size, dtype, Subject(shape, options), tables, 1);
    }
    RandomModelShape shape = none;
    shape.vocab_size = kWords;
    Subject base(shape, options);
    shape.has_word_rows.assign(kLayers, true);
    shape.word_dtype = DType::kI8;
    add("row by word", hidden_size, dtype, Subject(shape, options), base, 1, {{"rows", kWords}});
    for (const int32_t rows : {16, 256}) {
      for (const int32_t projection : kProjections) add_table(hidden_size, dtype, rows, projection);
    }
    progress_.add(1);
  }
  const nlohmann::ordered_json& all() const { return all_; }

 private:
  void add(const std::string& part, int32_t hidden_size, int32_t dtype, Subject what, Subject& base, int32_t units,
           const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) {
    for (const Shape& shape : kShapes) {
      put(part, hidden_size, dtype, shape, more, cost_of(what, base, shape, units, seconds_));
    }
  }

  // Takes as many tables as fill whole chains of a BH hash, unless they take too much memory.
  void add_table(int32_t hidden_size, int32_t dtype, int32_t rows, int32_t projection) {
    lookupffn::LayerConfig config;
    config.hidden_size = hidden_size;
    config.table_size = rows;
    int32_t chain = 1;
    while (chain < hidden_size) chain *= 2;
    config.block_size = std::min(chain, 64);
    config.num_tables = chain / (rows == 16 ? 4 : 8);
    while (int64_t{config.num_tables} * rows * hidden_size > kMostTableNumbers) config.num_tables /= 2;
    config.projection = projection;
    config.layer_norm = 0;
    std::vector<lookupffn::Layer> layers;
    for (uint64_t seed = 1; seed <= kLayers; ++seed) {
      config.seed = seed;
      layers.push_back(lookupffn::Layer::create(config, {}, held_as(dtype)));
    }
    const nlohmann::ordered_json more = {
        {"rows", rows}, {"projection", name_of(projection_names(), projection)}, {"tables", config.num_tables}};
    for (const Shape& shape : kShapes) {
      const std::vector<float> x = normal_numbers(shape.tokens() * hidden_size, 1.0f, 1);
      std::vector<float> y(x.size());
      std::vector<double> times;
      double spent = 0;
      while (times.size() <= kFewestRounds || spent < seconds_) {
        const double start = cpu_seconds();
        for (const lookupffn::Layer& layer : layers) {
          lookupffn::check(lffn_layer_forward(layer.get(), x.data(), shape.tokens(), y.data()));
        }
        times.push_back(cpu_seconds() - start);
        spent += times.back();
      }
      times.erase(times.begin());  // it only warmed up
      put("table", hidden_size, dtype, shape, more,
          1e6 * middle_of(times) / (static_cast<double>(shape.tokens()) * kLayers * config.num_tables));
    }
  }

  void put(const std::string& part, int32_t hidden_size, int32_t dtype, const Shape& shape,
           const nlohmann::ordered_json& more, double us) {
    nlohmann::ordered_json cost = {{"part", part},
                                   {"hidden_size", hidden_size},
                                   {"dtype", name_of(dtype_names(), dtype)},
                                   {"sequences", shape.sequences},
                                   {"length", shape.length}};
    cost.update(more);
    cost["us_per_token"] = us;
    all_.push_back(cost);
  }

  double seconds_;
  Progress progress_;
  nlohmann::ordered_json all_ = nlohmann::ordered_json::array();
};

}  // namespace

int bench_costs(const std::vector<int32_t>& hidden_sizes, double seconds) {
  nlohmann::ordered_json json;
  {
    PartCosts costs(hidden_sizes.size(), seconds);
    for (const int32_t hidden_size : hidden_sizes) {
      for (const int32_t dtype : kTypes) costs.measure(hidden_size, dtype);
    }
    json = {{"isa", lffn_isa()}, {"threads", 1}, {"clock", "CPU time of the calling thread"}, {"costs", costs.all()}};
  }
  std::printf("%s\n", json.dump(2).c_str());
  return 0;
}

}  // namespace lffn::tools
