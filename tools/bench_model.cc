// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "bench.h"
#include "info_model.h"
#include "layer_options.h"
#include "lookupffn/lookupffn.hpp"
#include "progress.h"

namespace lffn::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMinCalls = 3;

// Thousands of operations per token of a sequence, by what they are for.
struct Work {
  double ffn, linear, attention, other;
};

Work work_of(const lookupffn::ModelInfo& info, int32_t length) {
  const auto thousands = [](int64_t flop) { return 1e-3 * static_cast<double>(flop); };
  return {thousands(info.ffn_flop_per_token), thousands(info.attention_flop_per_token),
          thousands(info.attention_flop_per_pair) * length, thousands(info.other_flop_per_token)};
}

lookupffn::TokenBatch random_batch(const lookupffn::ModelInfo& info, const ModelBench& bench) {
  lookupffn::TokenBatch batch;
  std::vector<int32_t> ids(static_cast<size_t>(bench.length));
  uint32_t state = 1;
  for (int32_t i = 0; i < bench.sequences; ++i) {
    for (int32_t& id : ids) {
      state = state * 1664525 + 1013904223;
      id = static_cast<int32_t>((uint64_t{state} * static_cast<uint32_t>(info.vocab_size)) >> 32);
    }
    batch.add(ids);
  }
  return batch;
}

struct Times {
  std::vector<double> calls;            // seconds of each, sorted
  double stages[LFFN_NUM_STAGES] = {};  // seconds of all calls together
  std::vector<double> layers;           // likewise: attention and the feed-forward block of each
};

Times time_calls(const lookupffn::Model& model, const lookupffn::TokenBatch& batch, double seconds) {
  const Progress progress("timing");
  std::vector<float> embeddings((batch.offsets.size() - 1) * static_cast<size_t>(model.info().hidden_size));
  double stages[LFFN_NUM_STAGES];
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.ids = batch.ids.data();
  args.offsets = batch.offsets.data();
  args.n = static_cast<int64_t>(batch.offsets.size()) - 1;
  args.pooling = LFFN_POOLING_MEAN;
  args.normalize = LFFN_NORMALIZE_YES;
  std::vector<double> layers(2 * static_cast<size_t>(model.info().num_layers));
  const lffn_output outputs[] = {
      {LFFN_OUT_EMBEDDINGS, 0, embeddings.data(), static_cast<int64_t>(embeddings.size())},
      {LFFN_OUT_STAGE_SECONDS, 0, stages, LFFN_NUM_STAGES},
      {LFFN_OUT_LAYER_SECONDS, 0, layers.data(), static_cast<int64_t>(layers.size())},
  };
  args.outputs = outputs;
  args.n_outputs = layers.empty() ? 2 : 3;
  lookupffn::check(lffn_model_run(model.get(), &args));  // makes the scratch memory
  Times times;
  times.layers.resize(layers.size());
  std::vector<double>& calls = times.calls;
  const Clock::time_point begin = Clock::now();
  for (double total = 0; total < seconds || calls.size() < kMinCalls;) {
    const Clock::time_point start = Clock::now();
    lookupffn::check(lffn_model_run(model.get(), &args));
    const Clock::time_point end = Clock::now();
    calls.push_back(std::chrono::duration<double>(end - start).count());
    for (int i = 0; i < LFFN_NUM_STAGES; ++i) times.stages[i] += stages[i];
    for (size_t i = 0; i < layers.size(); ++i) times.layers[i] += layers[i];
    total = std::chrono::duration<double>(end - begin).count();
  }
  std::sort(calls.begin(), calls.end());
  return times;
}

}  // namespace

int bench_model(const ModelBench& bench, const lookupffn::LoadOptions& load, double seconds, bool json) {
  const lookupffn::Model model = [&] {
    const Progress progress("loading " + bench.path);
    return lookupffn::Model::load(bench.path, load);
  }();
  const lookupffn::ModelInfo info = model.info();
  if (bench.length > info.max_tokens) {
    throw lookupffn::InvalidArgument("--length is " + std::to_string(bench.length) + ", the model can run at most " +
                                     std::to_string(info.max_tokens));
  }
  const Times times = time_calls(model, random_batch(info, bench), seconds);
  const std::vector<double>& calls = times.calls;
  const double median = calls[calls.size() / 2];
  const double tokens = static_cast<double>(bench.length) * bench.sequences;
  const Work work = work_of(info, bench.length);
  const double total = work.ffn + work.linear + work.attention + work.other;
  // There are no texts here.
  const double timed = std::accumulate(times.stages, times.stages + LFFN_STAGE_TEXT, 0.0);
  const auto share = [&](int stage) { return timed > 0 ? times.stages[stage] / timed : 0; };
  const double gflops = 1e-6 * total * tokens / median;
  // Microseconds per token.
  const auto half = [&](int32_t layer, size_t which) {
    return 1e6 * times.layers[2 * static_cast<size_t>(layer) + which] / (tokens * static_cast<double>(calls.size()));
  };
  if (json) {
    nlohmann::ordered_json layers = nlohmann::ordered_json::array();
    for (int32_t i = 0; i < info.num_layers; ++i) {
      layers.push_back(
          {{"attention_us", half(i, 0)}, {"ffn_us", half(i, 1)}, {"parts", layer_parts(model.layer_info(i))}});
    }
    const nlohmann::ordered_json object = {
        {"length", bench.length},
        {"sequences", bench.sequences},
        {"threads", info.num_threads},
        {"isa", lffn_isa()},
        {"table_dtype", name_of(dtype_names(), info.table_dtype)},
        {"hash_dtype", name_of(dtype_names(), info.hash_dtype)},
        {"linear_dtype", name_of(dtype_names(), info.linear_dtype)},
        {"attention_dtype", name_of(dtype_names(), info.attention_dtype)},
        {"calls", calls.size()},
        {"ms_per_sequence", 1e3 * median / bench.sequences},
        {"tokens_per_second", tokens / median},
        {"gflops", gflops},
        {"kflop_per_token",
         {{"ffn", work.ffn}, {"linear", work.linear}, {"attention", work.attention}, {"other", work.other}}},
        {"time_share",
         {{"ffn", share(LFFN_STAGE_FFN)},
          {"linear", share(LFFN_STAGE_LINEAR)},
          {"attention", share(LFFN_STAGE_ATTENTION)},
          {"other", share(LFFN_STAGE_OTHER)}}},
        {"layers", layers},
        {"memory_bytes", info.memory_bytes},
        {"scratch_bytes", info.scratch_bytes},
    };
    std::printf("%s\n", object.dump(2).c_str());
    return 0;
  }
  std::printf("%d sequences of %d tokens, %d threads, %s, %zu calls\n\n", bench.sequences, bench.length,
              info.num_threads, lffn_isa(), calls.size());
  std::printf("%10.3f ms per sequence\n%10.0f tokens per second\n%10.1f GFLOP/s\n\n", 1e3 * median / bench.sequences,
              tokens / median, gflops);
  const auto row = [&](const char* name, double kflop, int stage) {
    std::printf("%10.0f kFLOP per token, %3.0f %%, and %3.0f %% of the time: %s\n", kflop, 100 * kflop / total,
                100 * share(stage), name);
  };
  row("feed-forward layers", work.ffn, LFFN_STAGE_FFN);
  row("attention's linear layers", work.linear, LFFN_STAGE_LINEAR);
  row("attention's scores and sums", work.attention, LFFN_STAGE_ATTENTION);
  row("layer norms and the rest", work.other, LFFN_STAGE_OTHER);
  std::printf("\n%5s %20s %20s  microseconds per token\n", "layer", "attention", "feed-forward");
  for (int32_t i = 0; i < info.num_layers; ++i) {
    std::printf("%5d %20.3f %20.3f  %s\n", i, half(i, 0), half(i, 1), parts_text(model.layer_info(i)).c_str());
  }
  std::printf("\n%10.1f MB of weights, at most %.1f MB of scratch memory per call\n",
              1e-6 * static_cast<double>(info.memory_bytes), 1e-6 * static_cast<double>(info.scratch_bytes));
  return 0;
}

}  // namespace lffn::tools
