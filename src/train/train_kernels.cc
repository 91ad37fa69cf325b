// SPDX-License-Identifier: Apache-2.0
#include "train/train_kernels.h"

#include <string_view>

#include "runtime/error.h"

namespace lffn {

#define LFFN_SET(set)                      \
  namespace set {                          \
  extern const TrainKernels kTrainKernels; \
  }
LFFN_WHOLE_SETS
#undef LFFN_SET

const TrainKernels& train_kernels_of(const Kernels& kernels) {
  const std::string_view floats = kernels.floats;
#define LFFN_SET(set) \
  if (floats == #set) return set::kTrainKernels;
  LFFN_WHOLE_SETS
#undef LFFN_SET
  fail(LFFN_ERROR_INTERNAL, "no training kernels go with '%s'", kernels.name);
}

}  // namespace lffn
