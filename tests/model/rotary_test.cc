// SPDX-License-Identifier: Apache-2.0
// Encoders with rotary positions, from the golden folders beside the project: the same bits alone and among others,
// with one thread and several, on every instruction set; int8; heads that read a few tokens; single files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "made_folder.h"
#include "model/memory_estimate.h"
#include "runtime/own_math.h"
#include "tests/kernels/all_kernels.h"

namespace lffn {
namespace {

std::string shared(const std::string& name) { return LFFN_SHARED "/" + name; }

constexpr const char* kFolders[] = {
    "golden-hf3/sentence-modernbert",    "golden-hf4/sentence-nomic",    "golden-hf4/sentence-gte",
    "golden-hf4/sentence-jina-v3",       "golden-hf4/sentence-eurobert", "golden-hf4/sentence-gemma3",
    "golden-hf4/sentence-qwen3",         "golden-hf8/sentence-new-ntk",  "golden-hf8/sentence-long-modernbert",
    "golden-hf8/sentence-planted-gemma3"};

class Rotary : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared(GetParam()))) GTEST_SKIP() << shared(GetParam()) << " is not here";
  }
  static std::unique_ptr<const Model> load(const std::string& name, int32_t dtype, int32_t threads,
                                           const Kernels& kernels) {
    ModelLoadOptions options;
    options.linear_dtype = dtype;
    options.num_threads = threads;
    return load_model_folder(WithoutTokenizer(shared(name)), options, kernels);
  }
};

INSTANTIATE_TEST_SUITE_P(Folders, Rotary, testing::ValuesIn(kFolders), [](const auto& test) {
  std::string name = test.param;
  for (char& c : name) c = c == '-' || c == '/' ? '_' : c;
  return name;
});

struct Texts {
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets = {0};
  explicit Texts(const Model& model, const std::vector<int64_t>& lengths) {
    uint32_t state = 7;
    for (const int64_t length : lengths) {
      for (int64_t i = 0; i < std::min(length, model.config().max_tokens()); ++i) {
        state = state * 1664525u + 1013904223u;
        ids.push_back(static_cast<int32_t>((state >> 8) % static_cast<uint32_t>(model.config().vocab_size)));
      }
      offsets.push_back(static_cast<int64_t>(ids.size()));
    }
  }
};

std::vector<float> embed(const Model& model, const Texts& texts, std::optional<Pooling> pooling = std::nullopt) {
  ModelCall call;
  call.ids = texts.ids.data();
  call.offsets = texts.offsets.data();
  call.num_sequences = static_cast<int64_t>(texts.offsets.size()) - 1;
  call.pooling = pooling;
  std::vector<float> out(static_cast<size_t>(call.num_sequences * model.embedding_size(pooling)));
  call.embeddings = out.data();
  model.run(call);
  return out;
}

std::vector<float> hidden(const Model& model, const Texts& texts) {
  ModelCall call;
  call.ids = texts.ids.data();
  call.offsets = texts.offsets.data();
  call.num_sequences = static_cast<int64_t>(texts.offsets.size()) - 1;
  std::vector<float> out(texts.ids.size() * static_cast<size_t>(model.config().hidden_size));
  call.hidden = out.data();
  model.run(call);
  return out;
}

const std::vector<int64_t> kLengths = {7, 1, 0, 130, 33, 280, 2, 64};

TEST_P(Rotary, SameBits) {
  for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
    std::vector<float> first;
    for (const Kernels* kernels : all_kernels()) {
      const auto model = load(GetParam(), dtype, 1, *kernels);
      const Texts texts(*model, kLengths);
      const std::vector<float> together = hidden(*model, texts);
      EXPECT_EQ(hidden(*load(GetParam(), dtype, 3, *kernels), texts), together) << kernels->name;
      int64_t at = 0;
      const int64_t d = model->config().hidden_size;
      for (size_t s = 0; s + 1 < texts.offsets.size(); ++s) {
        Texts one(*model, {});
        one.ids.assign(texts.ids.begin() + texts.offsets[s], texts.ids.begin() + texts.offsets[s + 1]);
        one.offsets = {0, static_cast<int64_t>(one.ids.size())};
        const std::vector<float> alone = hidden(*model, one);
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + at)) << kernels->name << ", text " << s;
        at += static_cast<int64_t>(one.ids.size()) * d;
      }
      if (!has_fma(*kernels)) continue;
      if (first.empty()) first = together;
      EXPECT_EQ(together, first) << kernels->name;
    }
  }
}

// Of the last layer only some rows are computed where one token is pooled.
TEST_P(Rotary, OneTokenOfEach) {
  for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
    const auto model = load(GetParam(), dtype, 2, usable_kernels());
    const Texts texts(*model, kLengths);
    const std::vector<float> all = hidden(*model, texts);
    const int64_t d = model->config().hidden_size;
    for (const Pooling pooling : {Pooling::kFirst, Pooling::kLast}) {
      ModelCall call;
      call.ids = texts.ids.data();
      call.offsets = texts.offsets.data();
      call.num_sequences = static_cast<int64_t>(kLengths.size());
      call.pooling = pooling;
      call.scaling = Scaling::kNo;
      std::vector<float> out(kLengths.size() * static_cast<size_t>(d));
      call.embeddings = out.data();
      model->run(call);
      for (size_t s = 0; s < kLengths.size(); ++s) {
        if (texts.offsets[s] == texts.offsets[s + 1]) continue;
        const int64_t token = pooling == Pooling::kFirst ? texts.offsets[s] : texts.offsets[s + 1] - 1;
        EXPECT_TRUE(std::equal(out.begin() + static_cast<int64_t>(s) * d, out.begin() + static_cast<int64_t>(s + 1) * d,
                               all.begin() + token * d))
            << s;
      }
    }
  }
}

TEST_P(Rotary, SavedAndEstimated) {
  for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8}) {
    const auto model = load(GetParam(), dtype, 1, usable_kernels());
    const std::string path = testing::TempDir() + "/rotary_test." + std::to_string(getpid());
    model->save(path);
    const auto saved = load_model(path, ModelLoadOptions(), usable_kernels());
    EXPECT_EQ(saved->info().linear_dtype, dtype);
    const Texts texts(*model, {9, 40});
    EXPECT_EQ(embed(*saved, texts), embed(*model, texts));
    const size_t estimated = estimate_memory(path, ModelLoadOptions(), usable_kernels()).weights;
    const size_t taken = saved->info().memory_bytes;
    EXPECT_GE(estimated, taken);
    EXPECT_LE(estimated, taken + 4096);
    std::filesystem::remove(path);
  }
}

double loss(const std::vector<float>& a, const std::vector<float>& b, size_t texts, double* most) {
  const size_t size = a.size() / texts;
  double mean = 0;
  *most = 0;
  for (size_t t = 0; t < texts; ++t) {
    double both = 0, of_a = 0, of_b = 0;
    for (size_t i = t * size; i < (t + 1) * size; ++i) {
      both += static_cast<double>(a[i]) * static_cast<double>(b[i]);
      of_a += static_cast<double>(a[i]) * static_cast<double>(a[i]);
      of_b += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
    const double lost = 1 - both / std::sqrt(of_a * of_b);
    mean += lost / static_cast<double>(texts);
    *most = std::max(*most, lost);
  }
  return mean;
}

// One channel of norms, of gated neurons and of values is far larger than the rest, as in trained models.
TEST(RotaryInt8, LosesLittle) {
  for (const char* name : {"golden-hf8/sentence-planted-modernbert", "golden-hf8/sentence-planted-gemma3",
                           "golden-hf8/sentence-planted-qwen3", "golden-hf4/sentence-qwen3"}) {
    if (!std::filesystem::exists(shared(name))) GTEST_SKIP() << shared(name) << " is not here";
    const auto exact = load_model_folder(WithoutTokenizer(shared(name)), ModelLoadOptions(), usable_kernels());
    ModelLoadOptions options;
    options.linear_dtype = LFFN_DTYPE_INT8;
    const auto int8 = load_model_folder(WithoutTokenizer(shared(name)), options, usable_kernels());
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < 40; ++i) lengths.push_back(3 + i * 7 % 60);
    const Texts texts(*exact, lengths);
    double most = 0;
    const double mean = loss(embed(*exact, texts), embed(*int8, texts), lengths.size(), &most);
    std::printf("%s: 1 - cosine %.5f on average, %.5f at most\n", name, mean, most);
    EXPECT_LT(mean, 0.005) << name;
  }
}

TEST(RotaryMath, SinesOfLargeAngles) {
  for (double x = 0; x < 1 << 20; x = x * 1.37 + 0.013) {
    const SineCosine found = own_sine_cosine(x);
    EXPECT_NEAR(found.sine, std::sin(x), 1e-10) << x;
    EXPECT_NEAR(found.cosine, std::cos(x), 1e-10) << x;
    if (x == 0) continue;
    EXPECT_NEAR(own_log(x), std::log(x), 4e-16 * std::fabs(std::log(x)) + 1e-16) << x;
    EXPECT_NEAR(own_pow(x, 0.37), std::pow(x, 0.37), 1e-14 * std::pow(x, 0.37)) << x;
  }
}

}  // namespace
}  // namespace lffn
