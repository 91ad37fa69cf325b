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

// Where the reference cut what is in such a list of tokens.json: some of its texts are long enough.
inline int64_t longest_ids(const std::vector<JsonValue>& entries) {
  size_t longest = 0;
  for (const JsonValue& entry : entries) {
    longest = std::max(longest, JsonObject(entry, "tokens.json").value("ids")->items.size());
  }
  return static_cast<int64_t>(longest);
}

// The largest difference over the rms of what is expected.
inline double distance(const float* got, const float* expected, size_t count) {
  double squares = 0, largest = 0;
  for (size_t i = 0; i < count; ++i) {
    squares += static_cast<double>(expected[i]) * expected[i];
    const double difference = std::fabs(static_cast<double>(got[i]) - expected[i]);
    largest = difference > largest || std::isnan(difference) ? difference : largest;
  }
  if (largest == 0) return 0;  // even where all is 0
  return largest / std::sqrt(squares / static_cast<double>(count));
}

}  // namespace lffn
