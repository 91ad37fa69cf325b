// SPDX-License-Identifier: Apache-2.0
// The functions on layers: argument checks, and no more.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "api/boundary.h"
#include "api/file_options.h"
#include "api/structs.h"
#include "format/file.h"
#include "layer/layer.h"
#include "runtime/hooks.h"

using namespace lffn;

namespace {

void hand_out(Loading& loading, std::unique_ptr<const Layer> layer, lffn_layer** out) {
  const lffn_layer_info info = layer->info();
  auto made = std::make_unique<lffn_layer>();
  made->runtime = loading.runtime();
  made->layer = std::move(layer);
  loading.finish();
  *out = made.release();
  count_handle(1);
  log(LFFN_LOG_INFO, "layer ready: %d -> %d, %d tables of %d rows, %zu bytes, kernels %s, %d threads", info.hidden_size,
      info.output_size, info.num_tables, info.table_size, info.memory_bytes, loading.kernels().name, info.num_threads);
}

// The bytes from the first to the last float of n rows, or an error where they leave the address space.
size_t extent(const void* start, int64_t rows, int64_t stride, int64_t columns, const char* name) {
  size_t floats = 0, bytes = 0;
  const bool too_large = __builtin_mul_overflow(static_cast<size_t>(rows - 1), static_cast<size_t>(stride), &floats) ||
                         __builtin_add_overflow(floats, static_cast<size_t>(columns), &floats) ||
                         __builtin_mul_overflow(floats, sizeof(float), &bytes) || bytes > PTRDIFF_MAX ||
                         bytes > UINTPTR_MAX - reinterpret_cast<uintptr_t>(start);
  if (too_large) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "n_tokens is %lld: more floats than %s can hold", static_cast<long long>(rows),
         name);
  }
  return bytes;
}

void run(const lffn_layer* layer, const lffn_layer_run_args& args) {
  const LayerConfig& config = layer->layer->config();
  check_count(args.n_tokens, "n_tokens");
  check_flags(args.flags, LFFN_LAYER_RUN_ADD, "args.flags");
  check_reserved(args.reserved, "args.reserved");
  ForwardCall call;
  call.x = args.x;
  call.y = args.y;
  call.num_tokens = args.n_tokens;
  call.x_stride = args.x_stride == 0 ? config.hidden_size : args.x_stride;
  call.y_stride = args.y_stride == 0 ? config.output_size : args.y_stride;
  call.add = (args.flags & LFFN_LAYER_RUN_ADD) != 0;
  call.cancel = args.cancel;
  if (call.x_stride < config.hidden_size) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "x_stride is %lld, expected at least hidden_size, %d",
         static_cast<long long>(call.x_stride), config.hidden_size);
  }
  if (call.y_stride < config.output_size) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "y_stride is %lld, expected at least output_size, %d",
         static_cast<long long>(call.y_stride), config.output_size);
  }
  if (call.num_tokens == 0) return;
  need(call.x, "x");
  need(call.y, "y");
  const size_t x_bytes = extent(call.x, call.num_tokens, call.x_stride, config.hidden_size, "x");
  const size_t y_bytes = extent(call.y, call.num_tokens, call.y_stride, config.output_size, "y");
  const uintptr_t x = reinterpret_cast<uintptr_t>(call.x), y = reinterpret_cast<uintptr_t>(call.y);
  const bool in_place = x == y && call.x_stride == call.y_stride && config.hidden_size == config.output_size;
  if (!in_place && x < y + y_bytes && y < x + x_bytes) {
    fail(LFFN_ERROR_INVALID_ARGUMENT,
         "x and y overlap; they may be the same array with the same stride and size, or lie apart");
  }
  const UseHooks hooks(hooks_of(layer->runtime));
  layer->layer->forward(call);
}

// Hashes the tokens in blocks where the caller wants to hear of progress.
void hash(const lffn_layer* layer, const lffn_layer_run_hash_args& args) {
  need(layer, "layer");
  check_count(args.n_tokens, "n_tokens");
  if (args.n_tokens == 0) return;
  need(args.x, "x");
  const LayerConfig& config = layer->layer->config();
  const int64_t stride = args.x_stride == 0 ? config.hidden_size : args.x_stride;
  const int64_t entries = int64_t{config.num_tables} * config.num_probes;
  if (stride < config.hidden_size) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "x_stride is %lld, expected at least hidden_size, %d", printable(stride),
         config.hidden_size);
  }
  extent(args.x, args.n_tokens, stride, config.hidden_size, "x");
  extent(args.codes, args.n_tokens, entries, 1, "codes");
  const UseHooks hooks(hooks_of(layer->runtime));
  constexpr int64_t kToldAbout = 8192;
  const int64_t most = args.progress == nullptr ? args.n_tokens : kToldAbout;
  for (int64_t first = 0; first < args.n_tokens; first += most) {
    ForwardCall call;
    call.x = args.x + first * stride;
    call.x_stride = stride;
    call.num_tokens = std::min(most, args.n_tokens - first);
    call.cancel = args.cancel;
    layer->layer->hash(call, args.codes == nullptr ? nullptr : args.codes + first * entries,
                       args.scores == nullptr ? nullptr : args.scores + first * entries);
    if (args.progress != nullptr) args.progress(first + call.num_tokens, args.n_tokens, args.progress_user);
  }
}

}  // namespace

extern "C" {

void lffn_layer_config_init_sized(lffn_layer_config* config, size_t struct_size) {
  const LayerConfig from;
  lffn_layer_config defaults = {};
  defaults.projection = from.projection;
  defaults.block_size = from.block_size;
  defaults.activation = from.activation;
  defaults.num_probes = from.num_probes;
  defaults.layer_norm = from.layer_norm ? 1 : 0;
  defaults.decay_coeff = from.decay_coeff;
  defaults.layer_norm_eps = from.layer_norm_eps;
  init_struct(config, struct_size, defaults);
}

void lffn_tensor_init_sized(lffn_tensor* tensor, size_t struct_size) { init_struct(tensor, struct_size); }

void lffn_layer_info_init_sized(lffn_layer_info* info, size_t struct_size) { init_struct(info, struct_size); }

void lffn_layer_run_args_init_sized(lffn_layer_run_args* args, size_t struct_size) { init_struct(args, struct_size); }

lffn_status lffn_layer_load(const char* path, const lffn_load_options* options, lffn_layer** out) {
  return guarded([&] {
    need(path, "path");
    need(out, "out");
    Loading loading(options);
    const auto file = open_file(path, loading.options());
    naming(path, [&] { hand_out(loading, load_layer(*file, loading.options(), loading.kernels()), out); });
  });
}

lffn_status lffn_layer_load_memory(const void* data, size_t size, const lffn_load_options* options, lffn_layer** out) {
  return guarded([&] {
    need(out, "out");
    if (size > 0) need(data, "data");
    Loading loading(options);
    const auto bytes = borrow_bytes(data, size, loading.options());
    hand_out(loading, load_layer(*bytes, loading.options(), loading.kernels()), out);
  });
}

lffn_status lffn_layer_create(const lffn_layer_config* config, const lffn_tensor* tensors, int64_t n_tensors,
                              const lffn_load_options* options, lffn_layer** out) {
  return guarded([&] {
    need(out, "out");
    const LayerConfig checked = read_config(config);
    check_count(n_tensors, "n_tensors");
    Loading loading(options);
    const uint64_t seed = config->seed;
    std::vector<Memory> memory;
    const std::vector<TensorView> views =
        n_tensors > 0 ? read_tensors(tensors, n_tensors) : random_weights(checked, seed, memory);
    const LayerTensors found = check_tensors(checked, views, LFFN_ERROR_INVALID_ARGUMENT);
    hand_out(loading, std::make_unique<const Layer>(checked, found, loading.options(), loading.kernels()), out);
  });
}

lffn_status lffn_layer_save(const lffn_layer* layer, const char* path, const lffn_save_options* options) {
  return guarded([&] {
    need(layer, "layer");
    need(path, "path");
    const UseHooks hooks(hooks_of(layer->runtime));
    save_with(options, [&](LoadProgress& progress) { layer->layer->save(path, &progress); });
  });
}

lffn_status lffn_layer_forward(const lffn_layer* layer, const float* x, int64_t n_tokens, float* y) {
  return guarded([&] {
    need(layer, "layer");
    lffn_layer_run_args args;
    lffn_layer_run_args_init(&args);
    args.x = x;
    args.y = y;
    args.n_tokens = n_tokens;
    run(layer, args);
  });
}

lffn_status lffn_layer_run(const lffn_layer* layer, const lffn_layer_run_args* args) {
  return guarded([&] {
    need(layer, "layer");
    run(layer, read_struct(args, "args"));
  });
}

lffn_status lffn_layer_hash(const lffn_layer* layer, const float* x, int64_t n_tokens, int32_t* codes, float* scores) {
  return guarded([&] {
    lffn_layer_run_hash_args args = {};
    args.x = x;
    args.n_tokens = n_tokens;
    args.codes = codes;
    args.scores = scores;
    hash(layer, args);
  });
}

void lffn_layer_run_hash_args_init_sized(lffn_layer_run_hash_args* args, size_t struct_size) {
  init_struct(args, struct_size);
}

lffn_status lffn_layer_run_hash(const lffn_layer* layer, const lffn_layer_run_hash_args* args) {
  return guarded([&] { hash(layer, read_struct(args, "args")); });
}

lffn_status lffn_layer_get_info(const lffn_layer* layer, lffn_layer_info* info) {
  return guarded([&] {
    need(layer, "layer");
    write_struct(layer->layer->info(), info, "info");
  });
}

lffn_layer* lffn_layer_retain(lffn_layer* layer) { return retain_handle(layer); }

void lffn_layer_free(lffn_layer* layer) { leave_handle(layer); }

}  // extern "C"
