// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <stdexcept>

namespace compare {

void ModelEngine::embed(const TextPool& pool, int64_t first, const Batch& batch, float* out) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < batch.texts; ++i) {
    const std::vector<int32_t> more = pool.ids(pool.text(first + i));
    ids.insert(ids.end(), more.begin(), more.end());
  }
  if (static_cast<int64_t>(ids.size()) != batch.tokens()) throw std::logic_error("a text of another length");
  embed(ids.data(), batch, out);
}

}  // namespace compare
