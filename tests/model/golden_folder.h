// SPDX-License-Identifier: Apache-2.0
// What tests of the reference libraries' folders share.
#ifndef LFFN_TESTS_MODEL_GOLDEN_FOLDER_H_
#define LFFN_TESTS_MODEL_GOLDEN_FOLDER_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "format/folder.h"
#include "format/json_object.h"
#include "lookupffn/lookupffn.hpp"

using lffn::JsonObject;
using lffn::JsonValue;

// A folder of the reference libraries, with its texts and what they gave.
class Golden {
 public:
  explicit Golden(const std::string& name, const char* base = LFFN_SHARED "/golden-hf7")
      : path_(std::string(base) + "/" + name), is_there_(lffn::FolderOnDisk(path_, false).has("io.json")) {
    if (is_there_) io_.emplace(lffn::FolderOnDisk(path_, false).read_text("io.json", size_t{1} << 20), path_);
  }
  bool is_there() const { return is_there_; }
  const std::string& path() const { return path_; }
  const JsonValue& value(const char* key) const { return *io_->value(key); }
  bool has(const char* key) const { return io_->value(key) != nullptr; }
  std::vector<std::string> texts(const char* key = "texts") const {
    std::vector<std::string> result;
    for (const JsonValue& item : value(key).items) result.push_back(item.scalar.text);
    return result;
  }

 private:
  std::string path_;
  bool is_there_;
  std::optional<JsonObject> io_;
};

#define SKIP_UNLESS_THERE(golden) \
  if (!(golden).is_there()) GTEST_SKIP() << (golden).path() << " is not beside the project"

// The largest difference of rows of numbers.
inline double difference(const std::vector<float>& got, const JsonValue& expected) {
  size_t at = 0;
  double largest = 0;
  for (const JsonValue& row : expected.items) {
    for (const JsonValue& number : row.items) {
      if (at == got.size()) return INFINITY;
      largest = std::max(largest, std::fabs(double{got[at++]} - number.scalar.number));
    }
  }
  return at == got.size() ? largest : INFINITY;
}

struct Saved {
  explicit Saved(const lookupffn::Model& model)
      : path(testing::TempDir() + "/golden_folder." + std::to_string(getpid())) {
    model.save(path);
  }
  ~Saved() { std::remove(path.c_str()); }
  Saved(const Saved&) = delete;
  Saved& operator=(const Saved&) = delete;
  std::string path;
};

// How far vectors are from those expected, which must have the same tokens.
inline double sparse_difference(const std::vector<lookupffn::SparseVector>& got, const JsonValue& expected) {
  if (got.size() != expected.items.size()) return INFINITY;
  double largest = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    std::map<std::int32_t, float> weights;
    for (size_t k = 0; k < got[i].ids.size(); ++k) weights[got[i].ids[k]] = got[i].weights[k];
    EXPECT_TRUE(std::is_sorted(got[i].weights.rbegin(), got[i].weights.rend()));
    if (weights.size() != expected.items[i].items.size()) return INFINITY;
    for (const JsonValue& pair : expected.items[i].items) {
      const auto found = weights.find(static_cast<std::int32_t>(pair.items[0].scalar.integer));
      if (found == weights.end()) return INFINITY;
      largest = std::max(largest, std::fabs(double{found->second} - pair.items[1].scalar.number));
    }
  }
  return largest;
}

#endif  // LFFN_TESTS_MODEL_GOLDEN_FOLDER_H_
