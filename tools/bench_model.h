// SPDX-License-Identifier: Apache-2.0
// What `lookupffn bench --model` does.
#pragma once

#include <cstdint>
#include <string>

#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {

struct ModelBench {
  std::string path;  // empty: a layer is timed instead
  int32_t length = 128;
  int32_t sequences = 8;
};

// Times whole calls for about so many seconds, at least three times, and prints what they take.
int bench_model(const ModelBench& bench, const lookupffn::LoadOptions& load, double seconds, bool json);

}  // namespace lffn::tools
