// SPDX-License-Identifier: Apache-2.0
// The small folders of models, to be changed before they are loaded, and what a refusal says.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "format/file.h"
#include "format/safetensors.h"
#include "lookupffn/lookupffn.hpp"

namespace lffn {

// The files of one.
class Files {
 public:
  explicit Files(const std::string& name) {
    const std::filesystem::path folder = std::string(LFFN_SMALL_FOLDERS) + "/" + name;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const FileBytes file(entry.path().string());
      std::string bytes(file.size(), '\0');
      file.read(0, bytes.size(), bytes.data());
      files_[entry.path().filename().string()] = bytes;
    }
  }

  void configure(const std::string& from, const std::string& to) {
    std::string& config = files_["config.json"];
    const size_t at = config.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    config.replace(at, from.size(), to);
  }
  // Of all numbers of a tensor.
  void fill(const std::string& tensor, float value) {
    std::string& file = files_["model.safetensors"];
    const Safetensors parsed = parse_safetensors(reinterpret_cast<const uint8_t*>(file.data()), file.size());
    const TensorView* view = parsed.find(tensor);
    ASSERT_NE(view, nullptr) << tensor;
    const auto first = static_cast<size_t>(view->data - reinterpret_cast<const uint8_t*>(file.data()));
    for (size_t at = 0; at < view->size; at += sizeof value) std::memcpy(&file[first + at], &value, sizeof value);
  }

  lookupffn::Model load() const {
    std::vector<lffn_file> given;
    for (const auto& [name, bytes] : files_) {
      lffn_file file;
      lffn_file_init(&file);
      file.name = name.c_str();
      file.data = bytes.data();
      file.size = bytes.size();
      given.push_back(file);
    }
    return lookupffn::Model::load_files({given.data(), given.size()});
  }

 private:
  std::map<std::string, std::string> files_;
};

template <typename Call>
void refused(Call&& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << part;
  } catch (const lookupffn::Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

constexpr char kContext[] = "Hello, world! The quick brown fox jumps over the lazy dog.";

}  // namespace lffn
