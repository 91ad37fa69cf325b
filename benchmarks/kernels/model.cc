// SPDX-License-Identifier: Apache-2.0
// A whole model and its parts: what a token costs in the linear layers, in attention, in the FFNs and elsewhere.
#include "model/model.h"

#include <benchmark/benchmark.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "random_model.h"

namespace {

using lffn::Linear;
using lffn::Memory;
using lffn::Model;
using lffn::Rows;

// The paper's small RoBERTa, with a short vocabulary: no part that is measured reads much of it.
RandomModelShape small_roberta(bool lookup) {
  RandomModelShape shape;
  shape.hidden_size = 512;
  shape.num_heads = 8;
  shape.head_size = 64;
  shape.vocab_size = 5000;
  shape.max_tokens = 512;
  shape.ffn_kinds = lookup ? "llll" : "vvvv";
  shape.intermediate_size = 2048;
  shape.num_tables = 128;
  shape.table_size = 256;
  shape.block_size = 64;
  return shape;
}

class Bench {
 public:
  Bench(bool lookup, int32_t table_dtype, int32_t hash_dtype, int32_t linear_dtype, int32_t threads)
      : random_(random_model(small_roberta(lookup))),
        config_(lffn::parse_model_config(random_.config)),
        tensors_(lffn::check_model_tensors(config_, random_.tensors)),
        kernels_(lffn::usable_kernels()),
        threads_(threads) {
    lffn::LoadOptions options;
    options.num_threads = threads;
    options.table_dtype = table_dtype;
    options.hash_dtype = hash_dtype;
    options.linear_dtype = linear_dtype;
    const std::string file = "/tmp/lffn-bench-model-" + std::to_string(getpid());
    random_.write(file);
    model_ = lffn::load_model(file, options, kernels_);
    std::remove(file.c_str());
    for (const lffn::EncoderLayerTensors& layer : tensors_.layers) {
      linears_.emplace_back(layer.query_key_value, linear_dtype, kernels_);
      linears_.emplace_back(layer.attention_out, linear_dtype, kernels_);
      if (layer.kind == lffn::FfnKind::kLookup) {
        ffns_.push_back(std::make_unique<const lffn::Layer>(layer.lookup_config, layer.lookup, options, kernels_));
      } else {
        ups_.emplace_back(layer.up, linear_dtype, kernels_);
        downs_.emplace_back(layer.down, linear_dtype, kernels_);
      }
    }
  }

  void prepare(int64_t length, int64_t sequences) {
    length_ = length;
    sequences_ = sequences;
    ids_.clear();
    offsets_ = {0};
    for (int64_t s = 0; s < sequences; ++s) {
      for (int64_t t = 0; t < length; ++t)
        ids_.push_back(static_cast<int32_t>((s * 131 + t * 31) % config_.vocab_size));
      offsets_.push_back(offsets_.back() + length);
    }
    hidden_.resize(ids_.size() * 512);
    wide_.resize(ids_.size() * 2064);
    for (size_t i = 0; i < wide_.size(); ++i) wide_[i] = static_cast<float>(i % 1009) / 500.0f - 1.0f;
    scratch_ = Memory(static_cast<size_t>(threads_) * (kernels_.attention_scratch(length, 64, 0) + 64));
  }
  int64_t tokens() const { return length_ * sequences_; }
  double linear_flop() const { return static_cast<double>(model_->info().attention_flop_per_token * tokens()); }

  void whole() {
    lffn::ModelCall call;
    call.ids = ids_.data();
    call.offsets = offsets_.data();
    call.num_sequences = sequences_;
    call.hidden = hidden_.data();
    model_->run(call);
  }
  void linear() {
    for (size_t i = 0; i < linears_.size(); i += 2) {
      run(linears_[i], 1552, 528, lffn::Activation::kNone);
      run(linears_[i + 1], 528, 512, lffn::Activation::kNone);
    }
  }
  void attention() {
    for (size_t i = 0; i < linears_.size(); i += 2) {
      workers().run(sequences_ * 8, threads_, [&](int64_t item, int32_t thread) {
        lffn::AttentionPlan plan = {};
        plan.queries = wide_.data() + item / 8 * length_ * 1552 + item % 8 * 64;
        plan.keys = plan.queries + 512;
        plan.values = plan.keys + 512;
        plan.stride = 1552;
        plan.num_queries = plan.num_keys = length_;
        plan.head_size = 64;
        plan.scale = 0.125f;
        plan.out = hidden_.data() + item / 8 * length_ * 512 + item % 8 * 64;
        plan.out_stride = 512;
        kernels_.attend(plan, scratch_.as<uint8_t>() + scratch_.size() / static_cast<size_t>(threads_) / 64 * 64 *
                                                           static_cast<size_t>(thread));
      });
    }
  }
  void ffn() {
    for (const auto& layer : ffns_) {
      lffn::ForwardCall call;
      call.x = wide_.data();
      call.x_stride = 528;
      call.y = hidden_.data();
      call.y_stride = 512;
      call.num_tokens = tokens();
      call.add = true;
      layer->forward(call);
    }
    for (size_t i = 0; i < ups_.size(); ++i) {
      run(ups_[i], 2064, 528, lffn::Activation::kGelu);
      run(downs_[i], 528, 2064, lffn::Activation::kNone);
    }
  }

 private:
  lffn::Workers workers() const { return {kernels_, threads_, false, nullptr}; }
  void run(const Linear& linear, int64_t out_stride, int64_t in_stride, lffn::Activation activation) {
    constexpr int64_t kBatch = 1024;  // as a model runs them
    for (int64_t first = 0; first < tokens(); first += kBatch) {
      Linear::Call call;
      call.in = {wide_.data(), in_stride};
      call.rows = std::min(kBatch, tokens() - first);
      call.activation = activation;
      call.out = {out_.data(), out_stride};
      if (out_.size() < static_cast<size_t>(call.rows * out_stride)) out_.resize(static_cast<size_t>(kBatch * 2064));
      call.out.data = out_.data();
      packed_.resize(static_cast<size_t>(kBatch * 1040));
      call.packed = {packed_.data(), 1040};
      linear.run(workers(), call);
    }
  }

  RandomModel random_;
  lffn::ModelConfig config_;
  lffn::ModelTensors tensors_;
  const lffn::Kernels& kernels_;
  int32_t threads_;
  std::unique_ptr<const Model> model_;
  std::vector<Linear> linears_, ups_, downs_;
  std::vector<std::unique_ptr<const lffn::Layer>> ffns_;
  int64_t length_ = 0, sequences_ = 0;
  std::vector<int32_t> ids_;
  std::vector<int64_t> offsets_;
  std::vector<float> hidden_, wide_, out_;
  std::vector<int32_t> packed_;
  Memory scratch_;
};

double now_us(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

// With one thread only its own time counts, not other programs' turns.
double microseconds(int32_t threads, const std::function<void()>& action) {
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const double start = now_us(clock);
  action();
  return now_us(clock) - start;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Kind {
  const char* name;
  bool lookup;
  int32_t table_dtype, hash_dtype, linear_dtype;
};
constexpr Kind kKinds[] = {
    {"vanilla-f32", false, LFFN_F32, LFFN_F32, LFFN_F32},
    {"lookup-f32", true, LFFN_F32, LFFN_F32, LFFN_F32},
    {"lookup-int8", true, LFFN_INT8, LFFN_INT8, LFFN_INT8},
};

void run(benchmark::State& state, const Kind& kind, int64_t length, int64_t sequences, int32_t threads) {
  // Kept from benchmark to benchmark: making the weights takes longer than measuring.
  static std::map<std::string, std::unique_ptr<Bench>> benches;
  static std::string last;
  const std::string name = kind.name + std::to_string(threads);
  if (name != last) benches.clear();
  last = name;
  std::unique_ptr<Bench>& bench = benches[name];
  if (bench == nullptr) {
    bench = std::make_unique<Bench>(kind.lookup, kind.table_dtype, kind.hash_dtype, kind.linear_dtype, threads);
  }
  bench->prepare(length, sequences);
  bench->whole();
  std::vector<double> whole, linear, attention, ffn;
  for (auto _ : state) {
    whole.push_back(microseconds(threads, [&] { bench->whole(); }));
    linear.push_back(microseconds(threads, [&] { bench->linear(); }));
    attention.push_back(microseconds(threads, [&] { bench->attention(); }));
    ffn.push_back(microseconds(threads, [&] { bench->ffn(); }));
  }
  const double tokens = static_cast<double>(bench->tokens());
  state.counters["us/token"] = median(whole) / tokens;
  state.counters["linear"] = median(linear) / tokens;
  state.counters["attention"] = median(attention) / tokens;
  state.counters["ffn"] = median(ffn) / tokens;
  state.counters["rest"] = (median(whole) - median(linear) - median(attention) - median(ffn)) / tokens;
  state.counters["linear GFLOP/s"] = bench->linear_flop() / median(linear) / 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  for (const int32_t threads : {1, 2}) {
    for (const Kind& kind : kKinds) {
      for (const int64_t length : {16, 128, 512}) {
        for (const int64_t sequences : {1, 8, 64}) {
          const std::string name = std::string("model/") + kind.name + "/length:" + std::to_string(length) +
                                   "/batch:" + std::to_string(sequences) + "/threads:" + std::to_string(threads);
          benchmark::RegisterBenchmark(name.c_str(),
                                       [&kind, length, sequences, threads](benchmark::State& state) {
                                         run(state, kind, length, sequences, threads);
                                       })
              ->UseRealTime()
              ->Unit(benchmark::kMillisecond);
        }
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
