// SPDX-License-Identifier: Apache-2.0
// What the tests of the format share: files made by hand, refusals, a folder of their own.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "runtime/error.h"

namespace lffn {

// A safetensors file with this header and data, whatever they say.
inline std::string file_of(const std::string& header, const std::string& data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(uint64_t{header.size()} >> (8 * i));
  return file + header + data;
}

// Fails the test unless the action throws an Error with this status whose text holds `part`.
inline void expect_error(lffn_status status, const std::string& part, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << "'" << error.what() << "' lacks: " << part;
    return;
  }
  ADD_FAILURE() << "nothing was thrown; expected: " << part;
}

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

// A new folder for each test, removed after it.
class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "lffn-format-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  size_t files_in_folder() const {
    const auto begin = std::filesystem::directory_iterator(folder_);
    return static_cast<size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder_;
};

}  // namespace lffn
