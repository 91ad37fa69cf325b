// SPDX-License-Identifier: Apache-2.0
// Files that older versions and this one wrote stay readable, and give what they gave. docs/abi.md promises both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "lookupffn/lookupffn.hpp"

namespace {

using Floats = std::vector<float>;
constexpr int64_t kTokens = 20;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Floats recorded(const std::string& path) {
  const std::string bytes = content_of(path);
  Floats values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

// The largest difference, as a part of the largest number.
double distance(const Floats& found, const Floats& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double most = 0, largest = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    most = std::max(most, std::fabs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
    largest = std::max(largest, std::fabs(static_cast<double>(expected[i])));
  }
  return most / largest;
}

// What write.py gives the layers.
Floats inputs(int64_t count) {
  Floats x(static_cast<size_t>(count));
  for (size_t i = 0; i < x.size(); ++i) {
    const auto bits = static_cast<uint32_t>(i * 2654435761u) >> 8;
    x[i] = static_cast<float>(static_cast<double>(bits % 1009) / 500 - 1);
  }
  return x;
}

class Corpus : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::string name() const { return std::get<1>(GetParam()); }
  std::string path(const std::string& ending) const {
    return std::string(LFFN_CORPUS) + "/" + std::get<0>(GetParam()) + "/" + name() + ending;
  }
  bool is_int8() const { return name().find("int8") != std::string::npos; }
  // Of the version that wrote the files.
  int32_t arithmetic() const {
    return std::stoi(content_of(std::string(LFFN_CORPUS) + "/" + std::get<0>(GetParam()) + "/arithmetic"));
  }
  // int8 may differ between arithmetics, but never be another thing.
  double limit(int32_t now) const { return is_int8() && now != arithmetic() ? 0.3 : 1e-5; }
};

class Layers : public Corpus {};
class Models : public Corpus {};

TEST_P(Layers, AreReadAndGiveTheSame) {
  const lookupffn::Layer layer = lookupffn::Layer::load(path(".safetensors"));
  // A layer has no number of its arithmetic: it is the models' of the same library.
  const lookupffn::Model model = lookupffn::Model::load(std::string(LFFN_CORPUS) + "/1.0/model-int8.safetensors");
  const Floats y = layer.forward(inputs(kTokens * layer.info().hidden_size));
  EXPECT_LT(distance(y, recorded(path(".f32"))), limit(model.info().arithmetic));
}

TEST_P(Models, AreReadAndGiveTheSame) {
  const lookupffn::Model model = lookupffn::Model::load(path(".safetensors"));
  lookupffn::RunOptions options;
  const Floats vectors = model.embed({"The quick brown fox", "x"}, options);
  EXPECT_LT(distance(vectors, recorded(path(".f32"))), limit(model.info().arithmetic));
  EXPECT_LE(arithmetic(), model.info().arithmetic) << "the number never falls";
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, std::string>>& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Layers,
                         testing::Combine(testing::Values("1.0"),
                                          testing::Values("layer-f32", "layer-bf16", "layer-dense", "layer-int8")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Corpus, Models,
                         testing::Combine(testing::Values("1.0"), testing::Values("model-f32", "model-int8")), name_of);

}  // namespace
