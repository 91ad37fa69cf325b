// SPDX-License-Identifier: Apache-2.0
// Real models with reference embeddings, where they are unpacked beside the project.
#include <gtest/gtest.h>

#include <filesystem>

#include "format/file.h"
#include "hf_folder.h"
#include "model/model.h"

namespace lffn {
namespace {

const std::string kModels = LFFN_REAL_MODELS;
const std::string kTeacher = kModels + "/all-MiniLM-L6-v2";
const std::string kShipped = LFFN_SHIPPED_MODEL;

// The embeddings of the reference's texts, by its ids.
class RealModels : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kModels)) GTEST_SKIP() << kModels << " is not here";
    const JsonValue texts = parse_json_value(file_text(kTeacher, "reference.json"), "reference.json");
    for (const JsonValue& entry : texts.items) {
      const std::vector<int32_t> ids = integers(*JsonObject(entry, "reference.json").value("ids"));
      ids_.insert(ids_.end(), ids.begin(), ids.end());
      offsets_.push_back(static_cast<int64_t>(ids_.size()));
    }
    ASSERT_EQ(offsets_.size(), 241u);
  }

  std::vector<float> expected() const {
    const FileBytes file(kTeacher + "/reference.safetensors");
    return floats(*parse_safetensors(file).find("embeddings"));
  }

  std::vector<float> embed(const std::string& folder, const ModelLoadOptions& options) const {
    const auto model = load_model_folder(WithoutTokenizer(folder), options, usable_kernels());
    EXPECT_EQ(model->embedding_size(std::nullopt), 384);
    EXPECT_EQ(model->own_max_tokens(), 256);
    std::vector<float> embeddings(240 * 384);
    ModelCall call;
    call.ids = ids_.data();
    call.offsets = offsets_.data();
    call.num_sequences = 240;
    call.embeddings = embeddings.data();
    model->run(call);
    return embeddings;
  }

  static double cosine(const float* a, const float* b) {
    double ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < 384; ++i) {
      ab += static_cast<double>(a[i]) * b[i];
      aa += static_cast<double>(a[i]) * a[i];
      bb += static_cast<double>(b[i]) * b[i];
    }
    return ab / std::sqrt(aa * bb);
  }

  // Of each text, the lowest first.
  static std::vector<double> cosines(const std::vector<float>& got, const std::vector<float>& expected) {
    std::vector<double> result;
    for (size_t i = 0; i < got.size(); i += 384) result.push_back(cosine(&got[i], &expected[i]));
    std::sort(result.begin(), result.end());
    return result;
  }

  std::vector<int32_t> ids_;
  std::vector<int64_t> offsets_ = {0};
};

TEST_F(RealModels, MiniLmFloat32) {
  const std::vector<float> got = embed(kTeacher, ModelLoadOptions()), wanted = expected();
  ASSERT_EQ(got.size(), wanted.size());
  float largest = 0;
  for (size_t i = 0; i < got.size(); ++i) largest = std::max(largest, std::fabs(got[i] - wanted[i]));
  EXPECT_LT(largest, 1e-5);
}

TEST_F(RealModels, MiniLmInt8) {
  ModelLoadOptions options;
  options.linear_dtype = LFFN_DTYPE_INT8;
  EXPECT_GT(cosines(embed(kTeacher, options), expected())[0], 0.997);
}

TEST_F(RealModels, ShippedStudentIsCloseToItsTeacher) {
  const std::vector<double> found = cosines(embed(kShipped, ModelLoadOptions()), expected());
  EXPECT_GT(found[found.size() / 2], 0.9);
  EXPECT_GT(found[0], 0.5);
}

}  // namespace
}  // namespace lffn
