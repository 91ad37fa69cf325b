// SPDX-License-Identifier: Apache-2.0
// The score of late interaction.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "api/boundary.h"
#include "api/handles.h"
#include "api/structs.h"
#include "kernels/kernels.h"
#include "model/late/max_sim.h"

using namespace lffn;

namespace {

// What a call passes for one of its two sides, and the names of these members.
struct Side {
  const float* floats;
  const int8_t* bytes;
  const float* scales;
  const int64_t* offsets;
  int64_t count;
  const char *name, *one_name;  // "queries", "query"
};

LateVectors checked(const Side& side, int32_t size) {
  check_count(side.count, (std::string("n_") + side.name).c_str());
  LateVectors vectors;
  vectors.count = side.count;
  if (side.count == 0) return vectors;
  const std::string offsets = std::string(side.one_name) + "_offsets";
  need(side.offsets, offsets.c_str());
  if (side.offsets[0] < 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s[0] is %lld, expected 0 or more", offsets.c_str(), printable(side.offsets[0]));
  }
  check_rising(side.offsets, side.count, offsets.c_str());
  const int64_t first = side.offsets[0], last = side.offsets[side.count];
  extent(last, size, side.name);
  vectors.offsets = side.offsets;
  if (first == last) {
    static const float kNone = 0;  // it is never read
    vectors.floats = &kNone;
    return vectors;
  }
  if ((side.floats == nullptr) == (side.bytes == nullptr)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s and int8_%s are %s given; give one of them", side.name, side.name,
         side.floats == nullptr ? "not" : "both");
  }
  vectors.floats = side.floats;
  vectors.bytes = side.bytes;
  if (side.bytes == nullptr) return vectors;
  const std::string scales = std::string(side.one_name) + "_scales";
  need(side.scales, scales.c_str());
  for (int64_t i = first; i < last; ++i) {
    if (!(side.scales[i] < 0)) continue;
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s[%lld] is %g, expected 0 or more", scales.c_str(), printable(i),
         static_cast<double>(side.scales[i]));
  }
  vectors.scales = side.scales;
  return vectors;
}

void run_max_sim(const lffn_max_sim_args& args, Outputs& outputs) {
  const Runtime* const runtime = args.runtime != nullptr ? args.runtime->shared.get() : nullptr;
  std::optional<UseHooks> hooks;
  if (runtime != nullptr) hooks.emplace(&runtime->hooks);
  if (args.size < 1 || args.size > kMaxLateSize) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "size is %d, expected 1 to %d", args.size, kMaxLateSize);
  }
  check_flags(args.flags, LFFN_MAX_SIM_MEAN, "flags");
  check_threads(args.num_threads, "num_threads");
  check_reserved(args.reserved);
  const LateVectors queries = checked(
      {args.queries, args.int8_queries, args.query_scales, args.query_offsets, args.n_queries, "queries", "query"},
      args.size);
  const LateVectors documents = checked({args.documents, args.int8_documents, args.document_scales,
                                         args.document_offsets, args.n_documents, "documents", "document"},
                                        args.size);
  constexpr int32_t kScores = LFFN_OUT_MAX_SIM_SCORES;
  if (!outputs.asks(set_of(kScores))) return;
  outputs.set_size(kScores, args.n_queries, args.n_documents);
  outputs.check_room();
  auto* const scores = outputs.place<float>(kScores);
  poll(args.cancel);
  const std::shared_ptr<Executor>& executor = runtime != nullptr ? runtime->executor : default_executor();
  int32_t threads = resolve_threads(args.num_threads, *executor);
  if (runtime != nullptr && runtime->num_threads > 0) threads = std::min(threads, runtime->num_threads);
  const Workers workers = {runtime != nullptr ? runtime->kernels : usable_kernels(), threads, false, args.cancel};
  run_call(*executor, threads,
           [&] { max_sim(workers, queries, documents, args.size, (args.flags & LFFN_MAX_SIM_MEAN) != 0, scores); });
  outputs.show();
}

void run_max_sim(const lffn_max_sim_args& args) {
  constexpr OutputSet kKnown = set_of(LFFN_OUT_MAX_SIM_SCORES);
  if (args.result == nullptr) {
    Rooms none;
    Outputs outputs(args.outputs, args.n_outputs, kKnown, none, nullptr);
    return run_max_sim(args, outputs);
  }
  const Filling filling(*args.result);
  Outputs outputs(args.outputs, args.n_outputs, kKnown, filling.call().memory.rooms, &filling.call().shown);
  run_max_sim(args, outputs);
}

}  // namespace

extern "C" {

void lffn_max_sim_args_init_sized(lffn_max_sim_args* args, size_t struct_size) { init_struct(args, struct_size); }

lffn_status lffn_max_sim(const lffn_max_sim_args* args) {
  return guarded([&] { run_max_sim(read_struct(args, "args")); });
}

}  // extern "C"
