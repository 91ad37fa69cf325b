// SPDX-License-Identifier: Apache-2.0
// One FFN for counting its cache misses under cachegrind: cache_profile.py runs this and takes differences.
//
//     bench-cache-profile vanilla|lookup|lookup-int8 TOKENS CALLS
#include <lookupffn/lookupffn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "ffns.h"

namespace {

constexpr int kMostTokens = 768;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string kind = argv[1];
  const int64_t tokens = std::atoll(argv[2]), calls = std::atoll(argv[3]);
  const auto count = static_cast<size_t>(tokens * kSize);
  std::vector<float> y(count);
  Vanilla* vanilla = kind == "vanilla" ? new Vanilla : nullptr;
  lffn_layer* layer = vanilla == nullptr ? lookup(kind == "lookup-int8") : nullptr;
  // New tokens for each call, as a text has: the same ones would find their rows in the caches. As many are made
  // however many calls there are, so that making them is no part of the difference.
  if (tokens < 1 || calls < 1 || tokens * calls > kMostTokens) return 2;
  const std::vector<float> x = normal(size_t{kMostTokens} * kSize, 1);
  for (int64_t call = 0; call < calls; ++call) {
    const float* in = x.data() + static_cast<size_t>(call) * count;
    if (vanilla != nullptr) {
      vanilla->forward(in, tokens, y.data());
    } else if (lffn_layer_forward(layer, in, tokens, y.data()) != LFFN_OK) {
      return 1;
    }
  }
  lffn_layer_free(layer);
  delete vanilla;
  return 0;
}
