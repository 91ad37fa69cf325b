// SPDX-License-Identifier: Apache-2.0
// The functions that train: argument checks, and no more.
#include <algorithm>
#include <cstdint>
#include <string>

#include "api/structs.h"
#include "kernels/train/train_kernels.h"
#include "lookupffn/train.h"
#include "runtime/threads.h"
#include "train/train.h"
#include "train/train_kernels.h"

using namespace lffn;

template <>
inline constexpr size_t lffn::kFirstSize<lffn_train_weights> = LFFN_SIZE_UP_TO(lffn_train_weights, bias);
template <>
inline constexpr size_t lffn::kFirstSize<lffn_train_gradients> = LFFN_SIZE_UP_TO(lffn_train_gradients, bias);

namespace {

int32_t read_threads(int32_t num_threads) {
  check_threads(num_threads, "num_threads");
  return resolve_threads(num_threads);
}

// Weights and gradients alike.
template <typename Struct, typename Tensors>
void read_tensors(const LayerConfig& config, const Struct* from, const char* name, Tensors& read) {
  const Struct given = read_struct(from, name);
  const auto take = [&](auto* pointer, const char* member) {
    need(pointer, (std::string(name) + "." + member).c_str());
    return pointer;
  };
  if (config.layer_norm) {
    read.norm_gain = take(given.norm_gain, "norm_gain");
    read.norm_shift = take(given.norm_shift, "norm_shift");
  }
  read.hash_weight = take(given.hash_weight, "hash_weight");
  read.hash_bias = take(given.hash_bias, "hash_bias");
  read.tables = take(given.tables, "tables");
  read.bias = take(given.bias, "bias");
}

LayerConfig read_train_config(const lffn_layer_config* config) {
  const LayerConfig read = read_config(config);
  if (read.num_probes != 1) {
    fail(LFFN_ERROR_UNSUPPORTED, "config.num_probes is %d; training supports 1", read.num_probes);
  }
  return read;
}

// All arrays of so many tokens must fit into the address space.
void check_count(const LayerConfig& config, int64_t n_tokens) {
  const int64_t widest = std::max({int64_t{config.hidden_size}, int64_t{config.output_size}, config.num_hashes()});
  if (n_tokens < 0 || n_tokens > PTRDIFF_MAX / 4 / widest) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "n_tokens is %lld, expected 0 or more, and no more than memory can hold",
         static_cast<long long>(n_tokens));
  }
}

}  // namespace

extern "C" {

void lffn_train_weights_init_sized(lffn_train_weights* weights, size_t struct_size) {
  init_struct(weights, struct_size);
}

void lffn_train_gradients_init_sized(lffn_train_gradients* gradients, size_t struct_size) {
  init_struct(gradients, struct_size);
}

lffn_status lffn_train_forward(const lffn_layer_config* config, const lffn_train_weights* weights, const float* x,
                               int64_t n_tokens, int32_t num_threads, float* y, float* z) {
  return guarded([&] {
    const LayerConfig read = read_train_config(config);
    TrainCall call = {read, train_kernels_of(usable_kernels()), read_threads(num_threads), {}, x, n_tokens};
    read_tensors(read, weights, "weights", call.weights);
    check_count(read, n_tokens);
    if (n_tokens == 0) return;
    need(x, "x");
    need(y, "y");
    run_call(*default_executor(), call.num_threads, [&] { train_forward(call, y, z); });
  });
}

lffn_status lffn_train_backward(const lffn_layer_config* config, const lffn_train_weights* weights, const float* x,
                                const float* z, const float* grad_y, int64_t n_tokens, int32_t num_threads,
                                float* grad_x, const lffn_train_gradients* gradients) {
  return guarded([&] {
    const LayerConfig read = read_train_config(config);
    TrainCall call = {read, train_kernels_of(usable_kernels()), read_threads(num_threads), {}, x, n_tokens};
    read_tensors(read, weights, "weights", call.weights);
    TrainGradients grads;
    read_tensors(read, gradients, "gradients", grads);
    check_count(read, n_tokens);
    if (n_tokens > 0) {
      need(x, "x");
      need(z, "z");
      need(grad_y, "grad_y");
    }
    run_call(*default_executor(), call.num_threads, [&] { train_backward(call, z, grad_y, grad_x, grads); });
  });
}

}  // extern "C"
