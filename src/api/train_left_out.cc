// SPDX-License-Identifier: Apache-2.0
// In place of train_api.cc where LFFN_TRAINING is off: the functions are there, and say so.
#include "api/structs.h"
#include "lookupffn/train.h"

using namespace lffn;

namespace {

lffn_status refuse() {
  return guarded(
      [] { fail(LFFN_ERROR_UNSUPPORTED, "this build of the library cannot train; build it with LFFN_TRAINING=ON"); });
}

}  // namespace

extern "C" {

void lffn_train_weights_init_sized(lffn_train_weights* weights, size_t struct_size) {
  init_struct(weights, struct_size);
}

void lffn_train_gradients_init_sized(lffn_train_gradients* gradients, size_t struct_size) {
  init_struct(gradients, struct_size);
}

lffn_status lffn_train_forward(const lffn_layer_config*, const lffn_train_weights*, const float*, int64_t, int32_t,
                               float*, float*) {
  return refuse();
}

lffn_status lffn_train_backward(const lffn_layer_config*, const lffn_train_weights*, const float*, const float*,
                                const float*, int64_t, int32_t, float*, const lffn_train_gradients*) {
  return refuse();
}

}  // extern "C"
