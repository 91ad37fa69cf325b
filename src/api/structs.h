// SPDX-License-Identifier: Apache-2.0
// Structs that cross the border: caller and library may know different versions of them. They only grow at the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "api/boundary.h"
#include "format/folder.h"
#include "format/layer_config.h"
#include "format/safetensors.h"
#include "lookupffn/lookupffn.h"

namespace lffn {

// The size that a struct had when it was first released: up to its last member then.
#define LFFN_SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(static_cast<type*>(nullptr)->member))

template <typename Struct>
inline constexpr size_t kFirstSize = 0;
template <>
inline constexpr size_t kFirstSize<lffn_load_options> = LFFN_SIZE_UP_TO(lffn_load_options, progress_user);
template <>
inline constexpr size_t kFirstSize<lffn_file> = LFFN_SIZE_UP_TO(lffn_file, size);
template <>
inline constexpr size_t kFirstSize<lffn_save_options> = LFFN_SIZE_UP_TO(lffn_save_options, progress_user);
template <>
inline constexpr size_t kFirstSize<lffn_layer_run_hash_args> = LFFN_SIZE_UP_TO(lffn_layer_run_hash_args, progress_user);
template <>
inline constexpr size_t kFirstSize<lffn_tokenizer_decode_args> = LFFN_SIZE_UP_TO(lffn_tokenizer_decode_args, reserved);
template <>
inline constexpr size_t kFirstSize<lffn_allocator> = LFFN_SIZE_UP_TO(lffn_allocator, user);
template <>
inline constexpr size_t kFirstSize<lffn_runtime_options> = LFFN_SIZE_UP_TO(lffn_runtime_options, isa);
template <>
inline constexpr size_t kFirstSize<lffn_layer_config> = LFFN_SIZE_UP_TO(lffn_layer_config, seed);
template <>
inline constexpr size_t kFirstSize<lffn_tensor> = LFFN_SIZE_UP_TO(lffn_tensor, size);
template <>
inline constexpr size_t kFirstSize<lffn_layer_info> = LFFN_SIZE_UP_TO(lffn_layer_info, scratch_bytes);
template <>
inline constexpr size_t kFirstSize<lffn_layer_run_args> = LFFN_SIZE_UP_TO(lffn_layer_run_args, cancel);
template <>
inline constexpr size_t kFirstSize<lffn_memory_estimate> = LFFN_SIZE_UP_TO(lffn_memory_estimate, loading_bytes);
template <>
inline constexpr size_t kFirstSize<lffn_model_shape> = LFFN_SIZE_UP_TO(lffn_model_shape, num_threads);
template <>
inline constexpr size_t kFirstSize<lffn_model_heads> = LFFN_SIZE_UP_TO(lffn_model_heads, attends_to_filler);
template <>
inline constexpr size_t kFirstSize<lffn_model_costs> = LFFN_SIZE_UP_TO(lffn_model_costs, scratch_bytes);
template <>
inline constexpr size_t kFirstSize<lffn_model_layer_info> = LFFN_SIZE_UP_TO(lffn_model_layer_info, rope_theta);
template <>
inline constexpr size_t kFirstSize<lffn_model_run_args> = LFFN_SIZE_UP_TO(lffn_model_run_args, progress_user);
template <>
inline constexpr size_t kFirstSize<lffn_tokenizer_info> = LFFN_SIZE_UP_TO(lffn_tokenizer_info, memory_bytes);
template <>
inline constexpr size_t kFirstSize<lffn_tokenizer_encode_args> = LFFN_SIZE_UP_TO(lffn_tokenizer_encode_args, cancel);
template <>
inline constexpr size_t kFirstSize<lffn_model_answer_args> = LFFN_SIZE_UP_TO(lffn_model_answer_args, cancel);
template <>
inline constexpr size_t kFirstSize<lffn_model_zero_shot_args> = LFFN_SIZE_UP_TO(lffn_model_zero_shot_args, cancel);
template <>
inline constexpr size_t kFirstSize<lffn_max_sim_args> = LFFN_SIZE_UP_TO(lffn_max_sim_args, cancel);
template <>
inline constexpr size_t kFirstSize<lffn_top_k_args> = LFFN_SIZE_UP_TO(lffn_top_k_args, reserved);
template <>
inline constexpr size_t kFirstSize<lffn_model_rerank_args> = LFFN_SIZE_UP_TO(lffn_model_rerank_args, cancel);

// Gives the caller's struct defaults; members that only the caller knows become zero.
template <typename Struct>
void init_struct(Struct* given, size_t struct_size, const Struct& defaults = {}) {
  if (given == nullptr || struct_size < sizeof(size_t)) return;
  std::memset(given, 0, struct_size);
  std::memcpy(given, &defaults, std::min(struct_size, sizeof(Struct)));
  std::memcpy(given, &struct_size, sizeof struct_size);
}

// The struct_size of a caller's struct, which must be neither too short nor more than can be understood.
template <typename Struct>
size_t checked_size(const Struct* given, const char* name) {
  static_assert(kFirstSize<Struct> > 0, "a struct that does not cross the border");
  need(given, name);
  size_t size;
  std::memcpy(&size, given, sizeof size);
  if (size < kFirstSize<Struct>) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s.struct_size is %zu, expected at least %zu; call its _init function first",
         name, size, kFirstSize<Struct>);
  }
  // A size that is so much larger was never set.
  constexpr size_t kMostSize = 4096;
  if (size > kMostSize) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s.struct_size is %zu, more than any version's; call its _init function first",
         name, size);
  }
  return size;
}

// A copy of what the caller passed. Members that the caller does not know are zero.
template <typename Struct>
Struct read_struct(const Struct* given, const char* name) {
  const size_t size = checked_size(given, name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t i = sizeof(Struct); i < size; ++i) {
    if (bytes[i] == 0) continue;
    fail(LFFN_ERROR_UNSUPPORTED,
         "%s.struct_size is %zu: byte %zu of it is set, which this version of the library (%zu bytes) does not know",
         name, size, i, sizeof(Struct));
  }
  Struct copy = {};
  std::memcpy(&copy, given, std::min(size, sizeof(Struct)));
  return copy;
}

// Fills as much of the caller's struct as both know; what only the caller knows becomes zero.
template <typename Struct>
void write_struct(const Struct& filled, Struct* out, const char* name) {
  const size_t size = checked_size(out, name);
  std::memset(out, 0, size);
  std::memcpy(out, &filled, std::min(size, sizeof(Struct)));
  std::memcpy(out, &size, sizeof size);
}

// Element i of the caller's array, whose elements may be longer than ours; `struct_size` is that of the first one.
template <typename Struct>
Struct read_element(const Struct* array, int64_t i, const char* name) {
  size_t stride;
  std::memcpy(&stride, array, sizeof stride);
  const auto* at =
      reinterpret_cast<const Struct*>(reinterpret_cast<const char*>(array) + static_cast<size_t>(i) * stride);
  const std::string named = std::string(name) + "[" + std::to_string(i) + "]";
  Struct copy = read_struct(at, named.c_str());
  size_t size;
  std::memcpy(&size, at, sizeof size);
  if (size != stride) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s.struct_size is %zu, the first one's %zu", named.c_str(), size, stride);
  }
  return copy;
}

// What structs say, checked. All throw Error(LFFN_ERROR_INVALID_ARGUMENT).
LayerConfig read_config(const lffn_layer_config* config);
// Views of the caller's memory.
std::vector<FolderInMemory::File> read_files(const lffn_file* files, int64_t n_files);
std::vector<TensorView> read_tensors(const lffn_tensor* tensors, int64_t count);

}  // namespace lffn
