// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "format/safetensors.h"
#include "tests/format/helpers.h"

namespace lffn {
namespace {

class SafetensorsWriter : public InFolder {
 protected:
  // A tensor with its own bytes in `kept_`.
  TensorView tensor(const std::string& name, DType dtype, const std::vector<int64_t>& shape) {
    size_t size = dtype_size(dtype);
    for (const int64_t dimension : shape) size *= static_cast<size_t>(dimension);
    std::vector<uint8_t> bytes(size);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((random_ = random_ * 1664525 + 1013904223) >> 24);
    kept_.push_back(std::move(bytes));
    return {name, dtype, shape, kept_.back().data(), size};
  }
  std::string written(const std::map<std::string, std::string>& metadata, const std::vector<TensorView>& tensors) {
    write_safetensors(path("file"), metadata, tensors);
    return content_of(path("file"));
  }

  std::vector<std::vector<uint8_t>> kept_;
  uint32_t random_ = 1;
};

void expect_same(const Safetensors& read, const std::vector<TensorView>& tensors) {
  ASSERT_EQ(read.tensors.size(), tensors.size());
  for (const TensorView& wrote : tensors) {
    const TensorView* found = read.find(wrote.name);
    ASSERT_NE(found, nullptr) << wrote.name;
    EXPECT_EQ(found->dtype, wrote.dtype);
    EXPECT_EQ(found->shape, wrote.shape);
    ASSERT_EQ(found->size, wrote.size);
    EXPECT_TRUE(wrote.size == 0 || std::memcmp(found->data, wrote.data, wrote.size) == 0) << wrote.name;
  }
}

TEST_F(SafetensorsWriter, WritesWhatTheReaderReads) {
  const std::map<std::string, std::string> metadata = {
      {"format", "lookupffn"}, {"config", R"({"a": "b\\c"})"}, {"", "\n\t\x01\x1F\x7F"}, {"é\xF0\x9F\x98\x80", ""}};
  const std::vector<TensorView> tensors = {
      tensor("odd", DType::kI8, {3}),       tensor("na\"me\\\n", DType::kF32, {2, 3}),
      tensor("scalar", DType::kF64, {}),    tensor("even", DType::kBF16, {16, 2}),
      tensor("empty", DType::kF32, {0, 9}), tensor("rank8", DType::kU8, {1, 2, 1, 2, 1, 2, 1, 2})};
  const std::string file = written(metadata, tensors);
  const Safetensors read = parse_safetensors(file.data(), file.size());
  EXPECT_EQ(read.metadata, metadata);
  expect_same(read, tensors);
}

TEST_F(SafetensorsWriter, BytesAreTheseExactly) {
  const uint8_t data[] = {1, 2, 3, 4};
  const std::string file = written({{"k", "v"}}, {{"t", DType::kF16, {1, 2}, data, 4}});
  std::string header = R"({"__metadata__":{"k":"v"},"t":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]}})";
  header.resize(120, ' ');
  EXPECT_EQ(file, file_of(header, "\1\2\3\4"));
}

TEST_F(SafetensorsWriter, AlignsData) {
  const std::vector<TensorView> tensors = {
      tensor("bytes", DType::kI8, {65}),      tensor("shorts", DType::kF16, {33}),
      tensor("floats", DType::kF32, {17}),    tensor("rows", DType::kF32, {16, 4}),
      tensor("doubles", DType::kF64, {3, 3}), tensor("rows8", DType::kI8, {2, 64})};
  const std::string file = written({}, tensors);
  const Safetensors read = parse_safetensors(file.data(), file.size());
  expect_same(read, tensors);
  const auto offset = [&](const char* name) {
    return static_cast<size_t>(reinterpret_cast<const char*>(read.find(name)->data) - file.data());
  };
  EXPECT_EQ((reinterpret_cast<const char*>(read.tensors[0].data) - file.data()) % 64, 0);
  EXPECT_EQ(offset("rows") % 64, 0u);
  EXPECT_EQ(offset("rows8") % 64, 0u);
  for (const TensorView& wrote : tensors) {
    EXPECT_EQ(offset(wrote.name.c_str()) % dtype_size(wrote.dtype), 0u) << wrote.name;
  }
}

TEST_F(SafetensorsWriter, StartsDataAtAMultipleOf64WhateverTheHeader) {
  for (size_t length = 0; length < 130; ++length) {
    const std::string file = written({{"k", std::string(length, 'v')}}, {});
    EXPECT_EQ(file.size() % 64, 0u);
    EXPECT_EQ(parse_safetensors(file.data(), file.size()).metadata.at("k").size(), length);
  }
}

TEST_F(SafetensorsWriter, WritesTheSameBytesAgain) {
  const std::vector<TensorView> tensors = {tensor("b", DType::kF32, {5}), tensor("a", DType::kF32, {5}),
                                           tensor("c", DType::kI8, {64})};
  const std::string once = written({{"z", "1"}, {"a", "2"}}, tensors);
  EXPECT_EQ(written({{"a", "2"}, {"z", "1"}}, tensors), once);
}

TEST_F(SafetensorsWriter, LeavesTheOldFileWhenItFails) {
  const std::vector<TensorView> tensors = {tensor("a", DType::kF32, {5})};
  const std::string old = written({}, tensors);
  expect_error(LFFN_ERROR_INVALID_ARGUMENT, "is not valid UTF-8", [&] { written({{"k", "\xFF"}}, tensors); });
  EXPECT_EQ(content_of(path("file")), old);
  EXPECT_EQ(files_in_folder(), 1u);
}

}  // namespace
}  // namespace lffn
