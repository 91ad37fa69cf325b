// SPDX-License-Identifier: Apache-2.0
// Search among vectors: what the caller passes, checked.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>

#include "api/boundary.h"
#include "api/handles.h"
#include "api/structs.h"
#include "kernels/kernels.h"
#include "runtime/cancel_flag.h"
#include "runtime/threads.h"
#include "search/top_k.h"

using namespace lffn;

namespace {

// An array of the caller's, which is read or written.
struct Array {
  const void* data;
  int64_t bytes;
  const char* name;
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(data); }
};

// rows * columns. Throws Error if that is more than any memory holds.
int64_t product(int64_t rows, int64_t columns, const char* name) {
  int64_t result;
  if (__builtin_mul_overflow(rows, columns, &result) || result > PTRDIFF_MAX) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: %lld times %lld are more than any memory holds", name, printable(rows),
         printable(columns));
  }
  return result;
}

// The array, which must not be NULL if it has any element, and must be aligned as C asks.
template <typename Element>
Array array_of(const Element* data, int64_t count, const char* name) {
  if (count > 0) need(data, name);
  const int64_t bytes = product(count, static_cast<int64_t>(sizeof(Element)), name);
  if (reinterpret_cast<uintptr_t>(data) % alignof(Element) != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is not aligned to %zu bytes", name, alignof(Element));
  }
  return {data, data == nullptr ? 0 : bytes, name};
}

VectorKind kind_of(int32_t kind) {
  switch (kind) {
    case LFFN_VECTORS_F32:
      return VectorKind::kF32;
    case LFFN_VECTORS_INT8:
      return VectorKind::kInt8;
    case LFFN_VECTORS_BITS:
      return VectorKind::kBits;
    default:
      fail(LFFN_ERROR_INVALID_ARGUMENT, "kind is %d, expected an LFFN_VECTORS_ value", kind);
  }
}

Measure measure_of(int32_t measure, VectorKind kind) {
  check_value(measure, LFFN_MEASURE_HAMMING, "measure", "LFFN_MEASURE_");
  if ((measure == LFFN_MEASURE_HAMMING) != (kind == VectorKind::kBits)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT,
         "measure is %d, but bits have LFFN_MEASURE_HAMMING (%d), and float32 and int8 do not", measure,
         LFFN_MEASURE_HAMMING);
  }
  return static_cast<Measure>(measure);
}

// What a call passes for one of its two sides, and the names of these members.
struct SearchSide {
  const void* data;
  int64_t stride, count;
  const float* scales;
  float scale;
  const char *name, *count_name, *stride_name, *scales_name, *scale_name;
};

class Checked {
 public:
  explicit Checked(const lffn_top_k_args& args) : args_(args) {}
  TopK call();

 private:
  VectorBlock block(const SearchSide& side);
  void read_ids();
  void read_candidates();
  void read_start();
  void read_outputs();
  void check_overlaps() const;

  const lffn_top_k_args& args_;
  TopK call_ = {};
  Array read_[12] = {}, start_[3] = {}, written_[3] = {};
  int num_read_ = 0;
};

VectorBlock Checked::block(const SearchSide& side) {
  check_count(side.count, side.count_name);
  VectorBlock block;
  const int64_t bytes = vector_bytes(call_.kind, call_.size);
  block.stride = side.stride == 0 ? bytes : side.stride;
  if (block.stride < bytes) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is %lld, expected 0 or at least a vector's %lld bytes", side.stride_name,
         printable(side.stride), printable(bytes));
  }
  block.count = side.count;
  if (side.count > 0) {
    need(side.data, side.name);
    read_[num_read_++] = {side.data, product(side.count - 1, block.stride, side.name) + bytes, side.name};
    product(side.count, block.stride, side.name);
  }
  block.data = static_cast<const uint8_t*>(side.data);
  if (side.scales == nullptr && side.scale == 0) return block;
  if (call_.kind != VectorKind::kInt8) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s or %s is given, but only int8 has scales", side.scales_name, side.scale_name);
  }
  if (call_.measure == Measure::kCosine) return block;
  if (side.scales != nullptr && side.scale != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s and %s are both given; give one of them", side.scales_name, side.scale_name);
  }
  if (side.scales != nullptr) read_[num_read_++] = array_of(side.scales, side.count, side.scales_name);
  block.scales = side.scales;
  if (side.scale != 0) block.scale = side.scale;
  return block;
}

void Checked::read_ids() {
  const int64_t count = args_.n_vectors;
  if (args_.vector_ids != nullptr) {
    if (args_.first_id != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "vector_ids and first_id are both given; give one");
    read_[num_read_++] = array_of(args_.vector_ids, count, "vector_ids");
    call_.ids = args_.vector_ids;
  }
  call_.first_id = args_.first_id;
  if (args_.first_id > INT64_MAX - count) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "first_id is %lld: the ids of %lld vectors are beyond int64",
         printable(args_.first_id), printable(count));
  }
  if (args_.taking_part != nullptr) {
    read_[num_read_++] = {args_.taking_part, (count + 7) / 8, "taking_part"};
    call_.taking_part = args_.taking_part;
  }
}

void Checked::read_candidates() {
  check_count(args_.n_candidates, "n_candidates");
  call_.has_candidates = args_.candidates != nullptr || args_.candidate_offsets != nullptr;
  read_[num_read_++] = array_of(args_.candidates, args_.n_candidates, "candidates");
  if (!call_.has_candidates) return;
  const int64_t* const offsets = args_.candidate_offsets;
  int64_t first = 0, last = args_.n_candidates;
  if (offsets != nullptr && args_.n_queries > 0) {
    read_[num_read_++] = array_of(offsets, args_.n_queries + 1, "candidate_offsets");
    for (int64_t q = 0; q < args_.n_queries; ++q) {
      if (offsets[q + 1] >= offsets[q]) continue;
      fail(LFFN_ERROR_INVALID_ARGUMENT, "candidate_offsets[%lld] is %lld, less than candidate_offsets[%lld], %lld",
           printable(q + 1), printable(offsets[q + 1]), printable(q), printable(offsets[q]));
    }
    first = offsets[0];
    last = offsets[args_.n_queries];
    if (first < 0 || last > args_.n_candidates) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "candidate_offsets go from %lld to %lld, expected 0 to n_candidates, %lld",
           printable(first), printable(last), printable(args_.n_candidates));
    }
  }
  constexpr int64_t kLook = 1 << 16;
  for (int64_t i = first; i < last; ++i) {
    if (i % kLook == 0) poll(args_.cancel);
    if (args_.candidates[i] >= 0 && args_.candidates[i] < args_.n_vectors) continue;
    fail(LFFN_ERROR_INVALID_ARGUMENT, "candidates[%lld] is %lld, expected 0 to n_vectors - 1, %lld", printable(i),
         printable(args_.candidates[i]), printable(args_.n_vectors - 1));
  }
  call_.candidates = args_.candidates;
  call_.candidate_offsets = offsets;
  call_.num_candidates = args_.n_candidates;
}

void Checked::read_start() {
  if (args_.start_counts == nullptr) {
    if (args_.start_ids == nullptr && args_.start_scores == nullptr) return;
    fail(LFFN_ERROR_INVALID_ARGUMENT, "start_ids or start_scores is given without start_counts");
  }
  const int64_t places = product(args_.n_queries, args_.k, "k");
  start_[0] = array_of(args_.start_counts, args_.n_queries, "start_counts");
  start_[1] = array_of(args_.start_ids, places, "start_ids");
  start_[2] = array_of(args_.start_scores, places, "start_scores");
  for (int64_t q = 0; q < args_.n_queries; ++q) {
    if (args_.start_counts[q] >= 0 && args_.start_counts[q] <= args_.k) continue;
    fail(LFFN_ERROR_INVALID_ARGUMENT, "start_counts[%lld] is %lld, expected 0 to k, %lld", printable(q),
         printable(args_.start_counts[q]), printable(args_.k));
  }
  call_.start = {const_cast<int64_t*>(args_.start_counts), const_cast<int64_t*>(args_.start_ids),
                 const_cast<float*>(args_.start_scores)};
}

void Checked::read_outputs() {
  const int64_t places = product(args_.n_queries, args_.k, "k");
  if (args_.capacity < places) {
    fail(LFFN_ERROR_TOO_SMALL, "capacity is %lld, there are %lld places: k for each query", printable(args_.capacity),
         printable(places));
  }
  written_[0] = array_of(args_.counts, args_.counts == nullptr ? 0 : args_.n_queries, "counts");
  written_[1] = array_of(args_.ids, places, "ids");
  written_[2] = array_of(args_.scores, places, "scores");
  call_.out = {args_.counts, args_.ids, args_.scores};
}

void Checked::check_overlaps() const {
  const auto check = [](const Array& one, const Array& other) {
    if (one.bytes == 0 || other.bytes == 0) return;
    // Neither array wraps around the end of the address space, because the caller's memory does not.
    const bool apart = one.begin() - other.begin() >= static_cast<uintptr_t>(other.bytes) &&
                       other.begin() - one.begin() >= static_cast<uintptr_t>(one.bytes);
    if (!apart) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s overlaps %s", one.name, other.name);
  };
  for (int w = 0; w < 3; ++w) {
    for (int i = 0; i < num_read_; ++i) check(written_[w], read_[i]);
    for (int i = 0; i < 3; ++i) {
      if (i != w || written_[w].data != start_[i].data) check(written_[w], start_[i]);
      if (i > w) check(written_[w], written_[i]);
    }
  }
}

TopK Checked::call() {
  check_threads(args_.num_threads, "num_threads");
  check_reserved(args_.reserved);
  call_.kind = kind_of(args_.kind);
  call_.measure = measure_of(args_.measure, call_.kind);
  if (args_.size < 1 || args_.size > kMostNumbers) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "size is %lld, expected 1 to %lld", printable(args_.size),
         printable(kMostNumbers));
  }
  call_.size = args_.size;
  if (args_.k < 1) fail(LFFN_ERROR_INVALID_ARGUMENT, "k is %lld, expected 1 or more", printable(args_.k));
  call_.k = args_.k;
  call_.queries = block({args_.queries, args_.query_stride, args_.n_queries, args_.query_scales, args_.query_scale,
                         "queries", "n_queries", "query_stride", "query_scales", "query_scale"});
  call_.vectors = block({args_.vectors, args_.vector_stride, args_.n_vectors, args_.vector_scales, args_.vector_scale,
                         "vectors", "n_vectors", "vector_stride", "vector_scales", "vector_scale"});
  read_ids();
  read_candidates();
  read_start();
  read_outputs();
  check_overlaps();
  if (args_.progress != nullptr) {
    call_.progress = [&args = args_](int64_t done, int64_t all) { args.progress(done, all, args.progress_user); };
  }
  return call_;
}

void run_top_k(const lffn_top_k_args& args) {
  const Runtime* const runtime = args.runtime != nullptr ? args.runtime->shared.get() : nullptr;
  std::optional<UseHooks> hooks;
  if (runtime != nullptr) hooks.emplace(&runtime->hooks);
  poll(args.cancel);
  const TopK call = Checked(args).call();
  const std::shared_ptr<Executor>& executor = runtime != nullptr ? runtime->executor : default_executor();
  int32_t threads = resolve_threads(args.num_threads, *executor);
  if (runtime != nullptr && runtime->num_threads > 0) threads = std::min(threads, runtime->num_threads);
  const SearchWorkers workers = {runtime != nullptr ? runtime->kernels : usable_kernels(), threads, args.cancel};
  run_call(*executor, threads, [&] { find_top_k(workers, call); });
}

}  // namespace

extern "C" {

void lffn_top_k_args_init_sized(lffn_top_k_args* args, size_t struct_size) { init_struct(args, struct_size); }

lffn_status lffn_top_k(const lffn_top_k_args* args) {
  return guarded([&] { run_top_k(read_struct(args, "args")); });
}

}  // extern "C"
