// SPDX-License-Identifier: Apache-2.0
// Distances that attention knows, words' vectors of another width, and what is refused of both.
#include <filesystem>

#include "made_folder.h"
#include "model/config/distance_config.h"
#include "model/memory_estimate.h"

namespace lffn {
namespace {

MadeFolder small(const char* name) { return MadeFolder(name, LFFN_SMALL_FOLDERS); }

constexpr const char* kNames[] = {"mpnet-mlm",           "electra-classes",          "deberta-v2-classes",
                                  "deberta-v2-absolute", "deberta-v2-each-distance", "deberta-v2-keys-alone",
                                  "deberta-v2-own-keys", "xlm-roberta-xl-mlm"};

// Ids that the smallest vocabulary has.
SomeIds few_ids() {
  SomeIds input;
  for (int32_t& id : input.ids) id %= 50;
  return input;
}

// Each bucket's first distance, as PyTorch's float32 has them.
TEST(Distances, BucketsBeginWhereTheyShould) {
  DistanceConfig config;
  config.kind = Distances::kBuckets;
  EXPECT_EQ(first_distances(config), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91}));
  config.kind = Distances::kDisentangled;
  config.buckets = 16;
  config.span = 16;
  config.most = 64;
  EXPECT_EQ(first_distances(config), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 20, 27, 35, 47, 64}));
  config.buckets = 256;
  config.span = 256;
  config.most = 512;
  const std::vector<int64_t> many = first_distances(config);
  ASSERT_EQ(many.size(), 257u);
  EXPECT_EQ(std::vector<int64_t>(many.begin() + 127, many.begin() + 136),
            (std::vector<int64_t>{127, 128, 129, 130, 131, 133, 134, 136, 137}));
  EXPECT_EQ(std::vector<int64_t>(many.end() - 4, many.end()), (std::vector<int64_t>{495, 500, 506, 512}));
  config.buckets = 7;
  config.span = 7;
  config.most = 40;
  EXPECT_EQ(first_distances(config), (std::vector<int64_t>{0, 1, 2, 3, 4, 11, 40, 141}));
  config.buckets = 0;
  config.span = 3;
  EXPECT_EQ(first_distances(config), (std::vector<int64_t>{0, 1, 2, 3}));
}

class DistanceFiles : public InFolder {};

TEST_F(DistanceFiles, SavedAndEstimated) {
  for (const char* name : kNames) {
    for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
      const MadeFolder folder = small(name);
      ModelLoadOptions options;
      options.linear_dtype = dtype;
      const auto model = folder.load(options);
      const SomeIds input = few_ids();
      const std::vector<float> hidden = hidden_of(*model, input);
      EXPECT_EQ(model->info().linear_dtype, dtype);
      model->save(path("saved"));
      const auto saved = load_model(path("saved"), ModelLoadOptions(), usable_kernels());
      EXPECT_EQ(hidden_of(*saved, input), hidden) << name;
      EXPECT_EQ(saved->info().memory_bytes, model->info().memory_bytes) << name;
      EXPECT_EQ(saved->info().num_parameters, model->info().num_parameters) << name;
      const MemoryEstimate told = estimate_memory(path("saved"), ModelLoadOptions(), usable_kernels());
      EXPECT_EQ(told.weights, model->info().memory_bytes) << name;
      EXPECT_GT(model->info().file_bytes, 0u);
      EXPECT_GT(std::filesystem::file_size(path("saved")), model->info().file_bytes);
      if (dtype == LFFN_DTYPE_INT8) {
        const std::vector<float> exact = hidden_of(*folder.load(), input);
        EXPECT_LT(distance(hidden.data(), exact.data(), exact.size()), 0.3) << name;
      }
    }
  }
}

// Every parameter that the file has is used.
TEST(Distances, ParametersAreCounted) {
  for (const char* name : kNames) {
    const MadeFolder folder = small(name);
    int64_t count = 0;
    for (const MadeTensor& tensor : folder.tensors) count += static_cast<int64_t>(tensor.data.size() / sizeof(float));
    EXPECT_EQ(folder.load()->info().num_parameters, count) << name;
  }
}

TEST(Distances, RefusedByName) {
  MadeFolder folder = small("deberta-v2-classes");
  folder.add_config("\"conv_kernel_size\": 3");
  folder.refused(LFFN_ERROR_UNSUPPORTED, "'conv_kernel_size' is 3, but a convolution");
  folder = small("deberta-v2-classes");
  folder.configure("\"position_buckets\":16", "\"position_buckets\":15");
  folder.refused(LFFN_ERROR_BAD_MODEL, "encoder.rel_embeddings.weight: shape [32,12], expected [30,12]");
  folder.configure("\"position_buckets\":15", "\"position_buckets\":1");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'position_buckets' is 1 and 'max_relative_positions' 64, which leaves");
  folder.configure("\"position_buckets\":1,", "\"position_buckets\":16,");
  folder.configure("\"max_relative_positions\":-1", "\"max_relative_positions\":9");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'max_relative_positions' 9, which leaves no distance to share them");
  folder.configure("\"max_relative_positions\":9", "\"max_relative_positions\":2000000000");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'max_relative_positions' is 2000000000, allowed is at most 1048576");
  folder = small("deberta-v2-classes");
  folder.configure("\"share_att_key\":true", "\"share_att_key\":false");
  folder.refused(LFFN_ERROR_BAD_MODEL, "attention.self.pos_key_proj.weight: this tensor is missing");
  folder = small("deberta-v2-classes");
  folder.configure("[\"p2c\",\"c2p\"]", "7");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'pos_att_type' must be a list of \"c2p\" and \"p2c\"");
  folder = small("deberta-v2-classes");
  folder.configure("\"pooler_hidden_act\":\"gelu\"", "\"pooler_hidden_act\":\"mish\"");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'pooler_hidden_act' must be one of");

  folder = small("mpnet-mlm");
  folder.configure("\"relative_attention_num_buckets\":32", "\"relative_attention_num_buckets\":31");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'relative_attention_num_buckets' is 31, allowed is 32 to");
  folder.configure("\"relative_attention_num_buckets\":31", "\"relative_attention_num_buckets\":33");
  folder.refused(LFFN_ERROR_BAD_MODEL, "encoder.relative_attention_bias.weight: shape [32,3], expected [33,3]");
  folder = small("mpnet-mlm");
  folder.configure("\"num_attention_heads\":3", "\"attention_head_size\":4,\"num_attention_heads\":[3,2]");
  folder.refused(LFFN_ERROR_UNSUPPORTED, "the heads of all layers share their distances in mpnet models");

  folder = small("electra-classes");
  folder.configure("\"embedding_size\":7", "\"embedding_size\":0");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'embedding_size' is 0, allowed is 1 to");
  folder.configure("\"embedding_size\":0", "\"embedding_size\":12");
  folder.refused(LFFN_ERROR_BAD_MODEL, "embeddings.word_embeddings.weight: shape");
}

// More buckets than the 32 that are used change nothing.
TEST(Distances, MpnetUsesThirtyTwoBuckets) {
  MadeFolder folder = small("mpnet-mlm");
  const std::vector<float> expected = hidden_of(*folder.load(), few_ids());
  folder.configure("\"relative_attention_num_buckets\":32", "\"relative_attention_num_buckets\":34");
  MadeTensor& table = folder.tensor("mpnet.encoder.relative_attention_bias.weight");
  table.shape[0] = 34;
  table.data.resize(34 * 3 * sizeof(float), '\1');
  EXPECT_EQ(hidden_of(*folder.load(), few_ids()), expected);
  folder.configure("\"pad_token_id\":1", "\"pad_token_id\":5");
  EXPECT_EQ(hidden_of(*folder.load(), few_ids()), expected) << "positions are counted behind 1 whatever this says";
}

// A text of any length is run where positions are known by attention alone; its scratch memory grows with it.
TEST(Distances, AreSharedBeyondTheLast) {
  MadeFolder folder = small("deberta-v2-classes");
  folder.configure("\"max_position_embeddings\":64", "\"max_position_embeddings\":2147483647");
  folder.configure("\"max_relative_positions\":-1", "\"max_relative_positions\":64");
  const auto model = folder.load();
  EXPECT_EQ(model->config().max_tokens(), 2147483647);
  EXPECT_EQ(hidden_of(*model, few_ids()), hidden_of(*small("deberta-v2-classes").load(), few_ids()));
  SomeIds input;
  input.ids.assign(300, 7);
  input.offsets = {0, 100, 300};
  for (const float value : hidden_of(*model, input)) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace lffn
