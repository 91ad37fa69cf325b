// SPDX-License-Identifier: Apache-2.0
#include "train/train_kernels.h"

#include <string_view>

namespace lffn {

// "avx512vnni" multiplies bytes in another way than "avx512", and floats in the same.
const TrainKernels& train_kernels_of(const Kernels& kernels) {
  [[maybe_unused]] const std::string_view name = kernels.name;
  [[maybe_unused]] const auto begins_with = [&](std::string_view part) { return name.substr(0, part.size()) == part; };
#if defined(__x86_64__)
  if (begins_with("avx512")) return kKernelsAvx512Train;
  if (begins_with("avx")) return kKernelsAvx2Train;
  if (begins_with("baseline")) return kKernelsBaselineTrain;
#elif defined(__aarch64__)
  if (begins_with("neon")) return kKernelsNeonTrain;
#endif
  return kKernelsGenericTrain;
}

}  // namespace lffn
