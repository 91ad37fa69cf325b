// SPDX-License-Identifier: Apache-2.0
// What the tests of folders by transformers and sentence-transformers share.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "format/folder.h"
#include "format/json_object.h"
#include "format/safetensors.h"

namespace lffn {

// A folder as if it had no tokenizer: what is compared by ids does not depend on one.
class WithoutTokenizer : public FolderOnDisk {
 public:
  explicit WithoutTokenizer(const std::string& path) : FolderOnDisk(path, false) {}
  bool has(const std::string& name) const override {
    for (const char* hidden : {"tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model",
                               "spm.model", "spiece.model", "tokenizer.model"}) {
      if (name == hidden) return false;
    }
    return FolderOnDisk::has(name);
  }
};

inline std::string file_text(const std::string& folder, const std::string& name) {
  return FolderOnDisk(folder, false).read_text(name, size_t{1} << 24);
}

inline std::vector<int32_t> integers(const JsonValue& list) {
  std::vector<int32_t> result;
  for (const JsonValue& item : list.items) result.push_back(static_cast<int32_t>(item.scalar.integer));
  return result;
}

inline std::vector<float> floats(const TensorView& tensor) {
  std::vector<float> values(tensor.size / sizeof(float));
  tensor.read(0, tensor.size, values.data());
  return values;
}

// The largest difference over the rms of what is expected.
inline double distance(const float* got, const float* expected, size_t count) {
  double squares = 0, largest = 0;
  for (size_t i = 0; i < count; ++i) {
    squares += static_cast<double>(expected[i]) * expected[i];
    largest = std::max(largest, std::fabs(static_cast<double>(got[i]) - expected[i]));
  }
  return largest / std::sqrt(squares / static_cast<double>(count));
}

}  // namespace lffn
