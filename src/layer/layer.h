// SPDX-License-Identifier: Apache-2.0
// One LookupFFN layer, ready to run. It never changes after it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "format/load_progress.h"
#include "layer/pack.h"
#include "layer/scratch.h"
#include "lookupffn/layer.h"
#include "runtime/executor.h"

namespace lffn {

struct LoadOptions {
  int32_t num_threads = 0;  // 0: what the environment leaves
  int32_t table_dtype = LFFN_DTYPE_AS_STORED;
  int32_t hash_dtype = LFFN_DTYPE_AS_STORED;
  bool map_file = false;
  bool flush_denormals = false;
  std::shared_ptr<Executor> executor = default_executor();
  int32_t most_threads = 0;          // whatever num_threads says; 0: no limit
  LoadProgress* progress = nullptr;  // nullptr: nobody wants to know
};

struct ForwardCall {
  const float* x = nullptr;
  int64_t x_stride = 0;
  float* y = nullptr;
  int64_t y_stride = 0;
  int64_t num_tokens = 0;
  bool add = false;
  const int32_t* cancel = nullptr;
};

class Layer {
 public:
  // Copies what it needs of the tensors. Throws Error.
  Layer(const LayerConfig& config, const LayerTensors& tensors, const LoadOptions& options, const Kernels& kernels);

  void forward(const ForwardCall& call) const;
  // The same in the caller's scratch memory, of at least scratch_bytes(call.num_tokens).
  void forward(const ForwardCall& call, uint8_t* scratch) const;
  size_t scratch_bytes(int64_t num_tokens) const;
  // Hashes the call's x; writes no y.
  void hash(const ForwardCall& call, int32_t* codes, float* scores) const;
  void hash(const float* x, int64_t num_tokens, int32_t* codes, float* scores) const {
    ForwardCall call;
    call.x = x;
    call.x_stride = config_.hidden_size;
    call.num_tokens = num_tokens;
    hash(call, codes, scores);
  }
  void save(const std::string& path, LoadProgress* progress = nullptr) const;
  // Adds the tensors as files hold them, with `prefix` before their names. The views point into the layer and into
  // `memory`.
  void add_stored(const std::string& prefix, std::vector<TensorView>& tensors, std::vector<Memory>& memory) const;
  lffn_layer_info info() const;
  const LayerConfig& config() const { return config_; }

 private:
  // Where the parts of the scratch memory lie, and how the work is cut, for calls of some size.
  struct Layout {
    int64_t tile;    // tokens of an item
    int64_t stride;  // entries from one token to the next
    bool in_slabs;   // all tokens of a chunk are hashed before their rows are gathered
    int64_t chunk;   // tokens of a chunk
    bool picks;      // rows of small tables are picked in registers, where a tile has enough tokens
    // Offsets and sizes in bytes. Codes and scores lie in each thread's part, those of a chunk before the first part.
    size_t codes, scores, score_bytes, score_byte_scales, hash, threads, thread_bytes, total;
    ScratchParts all, of_thread;  // of the memory, and of each thread's part
  };
  Layout layout(int64_t num_tokens, bool in_slabs) const;
  template <typename Body>
  void for_tiles(const Layout& layout, const ForwardCall& call, uint8_t* scratch, Body&& body) const;
  void hash_tokens(const ForwardCall& call, HashOutput out, void* scratch) const;
  GatherPlan gather_plan(const ForwardCall& call, const HashOutput& hashed, int32_t slab, int64_t first) const;
  PickOutput pick_output(const Layout& layout, uint8_t* mine) const;
  void gather_tile(const Layout& layout, const ForwardCall& call, const HashOutput& hashed, uint8_t* mine) const;
  void gather_slabs(const Layout& layout, const ForwardCall& call, uint8_t* scratch) const;
  int32_t threads_for(int64_t num_tokens) const;
  int64_t stored_bytes() const;

  LayerConfig config_;
  const Kernels& kernels_;
  PackedProjection projection_;
  PackedTables tables_;
  std::shared_ptr<Executor> executor_;
  int32_t num_threads_;
  bool flush_denormals_;
  mutable ScratchPool scratch_;
};

// Weights drawn at random, the same for the same config and seed everywhere. The views point into `memory`.
std::vector<TensorView> random_weights(const LayerConfig& config, uint64_t seed, std::vector<Memory>& memory);

// The text of "config" in a liblookupffn file of that kind. Throws Error(LFFN_ERROR_BAD_MODEL) for any other file.
const std::string& stored_config(const Safetensors& file, const char* kind);

// Reads a layer's file. Throws Error(LFFN_ERROR_BAD_MODEL).
std::unique_ptr<const Layer> load_layer(const Bytes& bytes, const LoadOptions& options, const Kernels& kernels);

// A file to be loaded, counted as it is read. Throws Error(LFFN_ERROR_IO).
std::unique_ptr<const Bytes> open_file(const std::string& path, const LoadOptions& options);
// The same for a file in memory.
std::unique_ptr<const Bytes> borrow_bytes(const void* data, size_t size, const LoadOptions& options);

// How many threads a handle that is loaded with these options uses.
int32_t resolve_threads(const LoadOptions& options);

}  // namespace lffn
