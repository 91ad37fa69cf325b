// SPDX-License-Identifier: Apache-2.0
// The golden models, through the public interface. LOOKUPFFN_ISA chooses the kernels.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "format/file.h"
#include "format/safetensors.h"
#include "lookupffn/lookupffn.h"
#include "tests/support/model_told.h"
#include "tests/support/short_calls.h"

namespace {

const std::string kData = LFFN_MODEL_DATA;

template <typename T>
std::vector<T> numbers(const lffn::TensorView& tensor) {
  std::vector<T> values(tensor.size / sizeof(T));
  std::memcpy(values.data(), tensor.data, tensor.size);
  return values;
}

// The root of the mean squared difference, as a share of that of what is expected.
double distance(const std::vector<float>& got, const float* begin, const std::vector<float>& expected) {
  EXPECT_LE(static_cast<size_t>(begin - got.data()) + expected.size(), got.size());
  double squares = 0, differences = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    squares += static_cast<double>(expected[i]) * expected[i];
    differences += (static_cast<double>(begin[i]) - expected[i]) * (static_cast<double>(begin[i]) - expected[i]);
  }
  return std::sqrt(differences / squares);
}

constexpr double kTolerance = 1e-5;  // the format's specification allows 1e-3

class GoldenModel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* isa = std::getenv("LOOKUPFFN_ISA");
    if (isa != nullptr && *lffn_isa() == '\0') GTEST_SKIP() << "this CPU or this build has no " << isa;
    if (isa != nullptr) {
      ASSERT_STREQ(lffn_isa(), isa);
    }
    folder_ = kData + "/" + GetParam();
    ASSERT_EQ(lffn_model_load(folder_.c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(model_told::get(model_, info_), LFFN_OK);
    file_ = std::make_unique<lffn::FileBytes>(folder_ + "/io.safetensors");
    io_ = lffn::parse_safetensors(file_->data(), file_->size());
    for (int i = 0; const lffn::TensorView* ids = io_.find("ids." + std::to_string(i)); ++i) {
      texts_.push_back(numbers<int32_t>(*ids));
      ids_.insert(ids_.end(), texts_.back().begin(), texts_.back().end());
      offsets_.push_back(static_cast<int64_t>(ids_.size()));
    }
    ASSERT_GE(texts_.size(), 8u);
  }
  void TearDown() override { lffn_model_free(model_); }

  std::vector<float> floats(const std::string& name, size_t i) const {
    const lffn::TensorView* tensor = io_.find(name + "." + std::to_string(i));
    return tensor == nullptr ? std::vector<float>() : numbers<float>(*tensor);
  }
  int64_t n() const { return static_cast<int64_t>(texts_.size()); }

  std::string folder_;
  lffn_model* model_ = nullptr;
  model_told::Info info_ = {};
  std::unique_ptr<lffn::FileBytes> file_;
  lffn::Safetensors io_;
  std::vector<std::vector<int32_t>> texts_;
  std::vector<int32_t> ids_;
  std::vector<int64_t> offsets_ = {0};
};

TEST_P(GoldenModel, HiddenStates) {
  std::vector<float> hidden(ids_.size() * static_cast<size_t>(info_.hidden_size));
  ASSERT_EQ(short_calls::encode(model_, ids_.data(), offsets_.data(), n(), hidden.data()), LFFN_OK)
      << lffn_last_error();
  for (size_t i = 0; i < texts_.size(); ++i) {
    EXPECT_LT(distance(hidden, hidden.data() + offsets_[i] * info_.hidden_size, floats("hidden", i)), kTolerance) << i;
  }
}

TEST_P(GoldenModel, ClassScores) {
  std::vector<float> scores(texts_.size() * static_cast<size_t>(info_.num_classes));
  ASSERT_EQ(info_.num_classes, 3);
  ASSERT_EQ(short_calls::classify(model_, ids_.data(), offsets_.data(), n(), scores.data()), LFFN_OK);
  for (size_t i = 0; i < texts_.size(); ++i) {
    EXPECT_LT(distance(scores, scores.data() + i * 3, floats("class", i)), kTolerance) << i;
  }
}

TEST_P(GoldenModel, Logits) {
  std::vector<int64_t> positions;
  std::vector<float> expected;
  for (size_t i = 0; i < texts_.size(); ++i) {
    const std::vector<float> rows = floats("logits", i);
    if (rows.empty()) continue;
    expected.insert(expected.end(), rows.begin(), rows.end());
    for (int64_t t = offsets_[i]; t < offsets_[i + 1]; ++t) positions.push_back(t);
  }
  ASSERT_FALSE(positions.empty());
  std::vector<float> logits(positions.size() * static_cast<size_t>(info_.vocab_size));
  ASSERT_EQ(logits.size(), expected.size());
  ASSERT_EQ(short_calls::logits(model_, ids_.data(), offsets_.data(), n(), positions.data(),
                                static_cast<int64_t>(positions.size()), logits.data()),
            LFFN_OK);
  EXPECT_LT(distance(logits, logits.data(), expected), kTolerance);
}

// int8 linear layers cost little accuracy, and are saved and loaded as they are.
TEST_P(GoldenModel, Int8LinearLayers) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.linear_dtype = LFFN_DTYPE_INT8;
  lffn_model* model = nullptr;
  ASSERT_EQ(lffn_model_load(folder_.c_str(), &options, &model), LFFN_OK) << lffn_last_error();
  model_told::Info info = {};
  ASSERT_EQ(model_told::get(model, info), LFFN_OK);
  EXPECT_EQ(info.linear_dtype, LFFN_DTYPE_INT8);
  EXPECT_LT(info.file_bytes, info_.file_bytes);
  std::vector<float> hidden(ids_.size() * static_cast<size_t>(info_.hidden_size)), again(hidden.size());
  ASSERT_EQ(short_calls::encode(model, ids_.data(), offsets_.data(), n(), hidden.data()), LFFN_OK);
  for (size_t i = 0; i < texts_.size(); ++i) {
    const double off = distance(hidden, hidden.data() + offsets_[i] * info_.hidden_size, floats("hidden", i));
    EXPECT_GT(off, kTolerance) << "they are int8";
    EXPECT_LT(off, 0.2) << i << ": some codes flip, and choose rows that in these models are unrelated";
  }
  const std::string path = testing::TempDir() + "/lffn_int8_model_" + GetParam() + "_" + std::to_string(getpid());
  ASSERT_EQ(lffn_model_save(model, path.c_str(), nullptr), LFFN_OK) << lffn_last_error();
  lffn_model_free(model);
  model = nullptr;
  ASSERT_EQ(lffn_model_load(path.c_str(), nullptr, &model), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(short_calls::encode(model, ids_.data(), offsets_.data(), n(), again.data()), LFFN_OK);
  EXPECT_EQ(hidden, again);
  lffn_model_free(model);
  options.linear_dtype = LFFN_DTYPE_F32;
  ASSERT_EQ(lffn_model_load(path.c_str(), &options, &model), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(short_calls::encode(model, ids_.data(), offsets_.data(), n(), again.data()), LFFN_OK);
  EXPECT_LT(distance(again, again.data(), hidden), 0.1)
      << "only the rounding of inputs to bytes is gone, but codes flip";
  lffn_model_free(model);
  std::remove(path.c_str());
}

// One file with everything in it gives the same bits, from disk and from memory, and is written the same again.
TEST_P(GoldenModel, SavedAndLoadedSameBits) {
  const std::string path = testing::TempDir() + "/lffn_model_" + GetParam() + "_" + std::to_string(getpid());
  ASSERT_EQ(lffn_model_save(model_, path.c_str(), nullptr), LFFN_OK) << lffn_last_error();
  std::vector<float> first(ids_.size() * static_cast<size_t>(info_.hidden_size)), second(first.size());
  ASSERT_EQ(short_calls::encode(model_, ids_.data(), offsets_.data(), n(), first.data()), LFFN_OK);
  const lffn::FileBytes saved(path);
  lffn_model* from_file = nullptr;
  lffn_model* from_memory = nullptr;
  ASSERT_EQ(lffn_model_load(path.c_str(), nullptr, &from_file), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(lffn_model_load_memory(saved.data(), saved.size(), nullptr, &from_memory), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(lffn_model_save(from_memory, (path + ".again").c_str(), nullptr), LFFN_OK);
  for (const lffn_model* model : {from_file, from_memory}) {
    ASSERT_EQ(short_calls::encode(model, ids_.data(), offsets_.data(), n(), second.data()), LFFN_OK);
    EXPECT_EQ(first, second);
    model_told::Info info = {};
    ASSERT_EQ(model_told::get(model, info), LFFN_OK);
    EXPECT_EQ(std::memcmp(&info, &info_, sizeof info), 0);
  }
  const lffn::FileBytes again(path + ".again");
  ASSERT_EQ(again.size(), saved.size());
  EXPECT_EQ(std::memcmp(again.data(), saved.data(), saved.size()), 0);
  size_t tensor_bytes = 0;
  for (const lffn::TensorView& tensor : lffn::parse_safetensors(saved.data(), saved.size()).tensors) {
    if (tensor.dtype != lffn::DType::kU8) tensor_bytes += tensor.size;
  }
  EXPECT_EQ(info_.file_bytes, tensor_bytes);
  lffn_model_free(from_file);
  lffn_model_free(from_memory);
  std::remove(path.c_str());
  std::remove((path + ".again").c_str());
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenModel, testing::Values("model-lookup", "model-mixed"),
                         [](const auto& info) { return std::string(info.param + 6); });

}  // namespace
