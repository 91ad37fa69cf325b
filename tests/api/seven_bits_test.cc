// SPDX-License-Identifier: Apache-2.0
// LFFN_LOAD_SEVEN_BIT_INPUTS: what it changes, and what not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"

namespace {

constexpr char kFolder[] = LFFN_MODEL_DATA "/model-lookup";
const std::vector<std::string> kTexts = {"The quick fox", "",
                                         "A longer text, which has some more words than that one."};

lookupffn::Model load(const std::string& path, int32_t linear, uint32_t flags, int32_t words = LFFN_DTYPE_AS_STORED) {
  lookupffn::LoadOptions options;
  options.linear_dtype = linear;
  options.embedding_dtype = words;
  options.flags = flags;
  return lookupffn::Model::load(path, options);
}

std::string saved(const lookupffn::Model& model, const std::string& path) {
  model.save(path);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(SevenBits, AreToldWhereTheyHaveAnEffect) {
  const lookupffn::Model eight = load(kFolder, LFFN_DTYPE_INT8, 0),
                         seven = load(kFolder, LFFN_DTYPE_INT8, LFFN_LOAD_SEVEN_BIT_INPUTS);
  EXPECT_EQ(seven.info().arithmetic, eight.info().arithmetic + 1000);
  EXPECT_EQ(seven.info().memory_bytes, eight.info().memory_bytes);
  EXPECT_NE(seven.embed(kTexts), eight.embed(kTexts));
  const lookupffn::Model exact = load(kFolder, LFFN_DTYPE_F32, 0),
                         same = load(kFolder, LFFN_DTYPE_F32, LFFN_LOAD_SEVEN_BIT_INPUTS);
  EXPECT_EQ(same.info().arithmetic, exact.info().arithmetic);
  EXPECT_EQ(exact.info().arithmetic, eight.info().arithmetic);
  EXPECT_EQ(same.embed(kTexts), exact.embed(kTexts));
}

// int8 words are scored with eight bits.
TEST(SevenBits, AreNotThoseOfWords) {
  const std::vector<std::int32_t> ids = {0, 5, 9, 2};
  const std::vector<std::int64_t> offsets = {0, 4}, positions = {2};
  const lookupffn::Model eight = load(kFolder, LFFN_DTYPE_F32, 0, LFFN_DTYPE_INT8),
                         seven = load(kFolder, LFFN_DTYPE_F32, LFFN_LOAD_SEVEN_BIT_INPUTS, LFFN_DTYPE_INT8);
  ASSERT_EQ(eight.info().embedding_dtype, LFFN_DTYPE_INT8);
  ASSERT_NE(eight.info().has_lm_head, 0);
  EXPECT_EQ(seven.logits({ids, offsets}, positions), eight.logits({ids, offsets}, positions));
}

TEST(SevenBits, AreNotSaved) {
  const std::string file = testing::TempDir() + "/seven_bits_test." + std::to_string(getpid());
  const lookupffn::Model eight = load(kFolder, LFFN_DTYPE_INT8, 0);
  const std::string expected = saved(eight, file);
  EXPECT_EQ(saved(load(kFolder, LFFN_DTYPE_INT8, LFFN_LOAD_SEVEN_BIT_INPUTS), file), expected);
  const lookupffn::Model again = load(file, LFFN_DTYPE_AS_STORED, 0),
                         seven = load(file, LFFN_DTYPE_AS_STORED, LFFN_LOAD_SEVEN_BIT_INPUTS);
  EXPECT_EQ(again.embed(kTexts), eight.embed(kTexts));
  EXPECT_EQ(again.info().arithmetic, eight.info().arithmetic);
  EXPECT_EQ(seven.info().arithmetic, eight.info().arithmetic + 1000);
  std::filesystem::remove(file);
}

TEST(SevenBits, AreNothingToALayer) {
  lookupffn::LayerConfig config;
  config.hidden_size = 64;
  config.num_tables = 16;
  config.table_size = 64;
  lookupffn::LoadOptions options;
  options.table_dtype = options.hash_dtype = options.linear_dtype = LFFN_DTYPE_INT8;
  std::vector<float> x(64 * 30), y[2];
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1009) / 300.0f - 1.5f;
  for (std::vector<float>& out : y) {
    out = lookupffn::Layer::create(config, {}, options).forward(x);
    options.flags = LFFN_LOAD_SEVEN_BIT_INPUTS;
  }
  EXPECT_EQ(y[0], y[1]);
}

TEST(SevenBits, OtherFlagsAreRefused) {
  lookupffn::LoadOptions options;
  options.flags = LFFN_LOAD_SEVEN_BIT_INPUTS << 1;
  const lookupffn::Outcome<lookupffn::Model> loaded = lookupffn::Model::try_load(kFolder, options);
  EXPECT_EQ(loaded.status, LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lffn_last_error()).find("options.flags is 0x8"), std::string::npos) << lffn_last_error();
}

}  // namespace
