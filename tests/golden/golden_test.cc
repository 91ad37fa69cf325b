// SPDX-License-Identifier: Apache-2.0
// The golden cases, through the public interface. LOOKUPFFN_ISA chooses the kernels; the test checks that it did.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "format/file.h"
#include "format/safetensors.h"
#include "lookupffn/lookupffn.h"

namespace {

const std::string kData = LFFN_GOLDEN_DATA;

class Golden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* isa = std::getenv("LOOKUPFFN_ISA");
    if (isa != nullptr && *lffn_isa() == '\0') GTEST_SKIP() << "this CPU or this build has no " << isa;
    const std::string name = kData + "/" + GetParam();
    ASSERT_EQ(lffn_layer_load((name + ".model.safetensors").c_str(), nullptr, &layer_), LFFN_OK) << lffn_last_error();
    lffn_layer_info_init(&info_);
    ASSERT_EQ(lffn_layer_get_info(layer_, &info_), LFFN_OK);
    file_ = std::make_unique<lffn::FileBytes>(name + ".io.safetensors");
    io_ = lffn::parse_safetensors(file_->data(), file_->size());
    x_ = floats("x");
    tokens_ = io_.find("x")->shape[0];
  }
  void TearDown() override { lffn_layer_free(layer_); }

  std::vector<float> floats(const char* name) const {
    const lffn::TensorView* tensor = io_.find(name);
    std::vector<float> values(tensor->size / sizeof(float));
    std::memcpy(values.data(), tensor->data, tensor->size);
    return values;
  }
  std::vector<int32_t> codes() const {
    const lffn::TensorView* tensor = io_.find("codes");
    std::vector<int32_t> values(tensor->size / sizeof(int32_t));
    std::memcpy(values.data(), tensor->data, tensor->size);
    return values;
  }
  std::vector<float> forward(const lffn_layer* layer, int64_t batch) const {
    std::vector<float> y(static_cast<size_t>(tokens_ * info_.output_size), -77.0f);
    for (int64_t first = 0; first < tokens_; first += batch) {
      EXPECT_EQ(lffn_layer_forward(layer, x_.data() + first * info_.hidden_size, std::min(batch, tokens_ - first),
                                   y.data() + first * info_.output_size),
                LFFN_OK)
          << lffn_last_error();
    }
    return y;
  }

  lffn_layer* layer_ = nullptr;
  lffn_layer_info info_ = {};
  std::unique_ptr<lffn::FileBytes> file_;
  lffn::Safetensors io_;
  std::vector<float> x_;
  int64_t tokens_ = 0;
};

TEST_P(Golden, IsaIsTheForcedOne) {
  const char* isa = std::getenv("LOOKUPFFN_ISA");
  EXPECT_NE(*lffn_isa(), '\0');
  if (isa != nullptr) {
    EXPECT_STREQ(lffn_isa(), isa);
  }
}

TEST_P(Golden, CodesAndScores) {
  const std::vector<int32_t> expected_codes = codes();
  const std::vector<float> expected_scores = floats("scores");
  for (const int64_t batch : {int64_t{1}, tokens_}) {
    std::vector<int32_t> codes(expected_codes.size(), -1);
    std::vector<float> scores(expected_scores.size(), -77.0f);
    const size_t per_token = codes.size() / static_cast<size_t>(tokens_);
    for (int64_t first = 0; first < tokens_; first += batch) {
      ASSERT_EQ(lffn_layer_hash(layer_, x_.data() + first * info_.hidden_size, batch,
                                codes.data() + static_cast<size_t>(first) * per_token,
                                scores.data() + static_cast<size_t>(first) * per_token),
                LFFN_OK);
    }
    EXPECT_EQ(codes, expected_codes);
    // Weights of several probes can cancel to nearly nothing; they are judged against the largest of their table.
    const size_t probes = static_cast<size_t>(info_.num_probes);
    for (size_t i = 0; i < scores.size(); ++i) {
      float scale = std::fabs(expected_scores[i]);
      if (probes > 1) {
        for (size_t p = 0; p < probes; ++p)
          scale = std::max(scale, std::fabs(expected_scores[i / probes * probes + p]));
      }
      ASSERT_NEAR(scores[i], expected_scores[i], 1e-5f * scale) << "entry " << i;
    }
  }
}

TEST_P(Golden, Outputs) {
  const std::vector<float> expected = floats("y");
  double squares = 0;
  for (const float v : expected) squares += static_cast<double>(v) * v;
  const double rms = std::sqrt(squares / static_cast<double>(expected.size()));
  const std::vector<float> y = forward(layer_, tokens_);
  for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 2e-5 * rms) << "element " << i;
}

TEST_P(Golden, AnyBatchAndThreadsSameBits) {
  const std::vector<float> whole = forward(layer_, tokens_);
  for (const int64_t batch : {1, 2, 3, 5, 7, 16, 24, 25, 48, 50, 66}) EXPECT_EQ(forward(layer_, batch), whole) << batch;
  for (const int32_t threads : {1, 2, 3, 8}) {
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.num_threads = threads;
    lffn_layer* layer = nullptr;
    const std::string path = kData + "/" + GetParam() + ".model.safetensors";
    ASSERT_EQ(lffn_layer_load(path.c_str(), &options, &layer), LFFN_OK);
    for (const int64_t batch : {int64_t{20}, tokens_}) EXPECT_EQ(forward(layer, batch), whole) << threads << " threads";
    lffn_layer_free(layer);
  }
}

TEST_P(Golden, SavedAndLoadedSameBits) {
  const std::string path = testing::TempDir() + "/lffn_golden_" + GetParam() + "_" + std::to_string(getpid());
  ASSERT_EQ(lffn_layer_save(layer_, path.c_str(), nullptr), LFFN_OK) << lffn_last_error();
  lffn_layer* again = nullptr;
  ASSERT_EQ(lffn_layer_load(path.c_str(), nullptr, &again), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(forward(again, tokens_), forward(layer_, tokens_));
  lffn_layer_free(again);
  std::remove(path.c_str());
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden,
                         testing::Values("bh2-nonorm", "bh4-padded", "bh4-repeat", "bh4-small", "dense", "full-softmax",
                                         "one-token", "probes", "sigmoid", "wide-out"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
