// SPDX-License-Identifier: Apache-2.0
// Static, sparse and late vectors beside what the reference libraries gave for the same folders and texts.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "golden_folder.h"

namespace {

void check_static(const Golden& golden, double tolerance) {
  const lookupffn::Model model = lookupffn::Model::load(golden.path());
  EXPECT_EQ(model.info().kind, LFFN_MODEL_KIND_STATIC);
  EXPECT_EQ(model.info().num_layers, 0);
  const std::vector<std::string> texts = golden.texts();
  lookupffn::RunOptions options;
  const std::vector<float> all = model.embed(texts, options);
  EXPECT_LT(difference(all, golden.value("embeddings")), tolerance);
  // Alone or among others, in a single file, on one thread or on two.
  const Saved saved(model);
  const lookupffn::Model again = lookupffn::Model::load(saved.path);
  EXPECT_EQ(again.embed(texts, options), all);
  options.num_threads = 1;
  EXPECT_EQ(model.embed(texts, options), all);
  const auto size = static_cast<std::ptrdiff_t>(model.info().embedding_size);
  for (size_t i = 0; i < texts.size(); i += 7) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i) * size;
    EXPECT_EQ(model.embed({texts[i]}, options), std::vector<float>(first, first + size)) << texts[i];
  }
  EXPECT_GE(lookupffn::Model::estimate(golden.path()).weight_bytes, model.info().memory_bytes);
  const auto check = [&](const char* key, const lookupffn::RunOptions& with) {
    if (!golden.has(key)) return;
    EXPECT_LT(difference(model.embed(texts, with), golden.value(key)), tolerance) << key;
  };
  options = {};
  options.max_tokens = 5;
  check("embeddings.max_length=5", options);
  options.max_tokens = LFFN_MAX_TOKENS_NEVER;
  check("embeddings.max_length=none", options);
  options = {};
  options.normalize = LFFN_NORMALIZE_YES;
  check("embeddings.normalize=true", options);
  options.normalize = LFFN_NORMALIZE_NO;
  check("embeddings.normalize=false", options);
  options = {};
  options.prompt_kind = LFFN_PROMPT_QUERY;
  check("prompt.query", options);
}

class StaticFolders : public testing::TestWithParam<const char*> {};

TEST_P(StaticFolders, GiveWhatTheirLibrariesGive) {
  const Golden golden(GetParam());
  SKIP_UNLESS_THERE(golden);
  check_static(golden, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Golden, StaticFolders,
                         testing::Values("static-st-wordpiece", "static-st-unigram", "static-st-unigram-6",
                                         "static-st-model2vec", "static-st-bpe", "model2vec-plain",
                                         "model2vec-normalized", "model2vec-weights-mapping",
                                         "model2vec-weights-mapping-int8", "model2vec-int8"));

// Its library takes the mean in float16.
TEST(StaticVectors, OfFloat16) {
  const Golden golden("model2vec-f16");
  SKIP_UNLESS_THERE(golden);
  check_static(golden, 1e-3);
}

TEST(StaticVectors, SmallFolders) {
  check_static(Golden("model2vec-weights-mapping-int8", LFFN_STATIC_FOLDERS), 1e-5);
  check_static(Golden("static-st-model2vec", LFFN_STATIC_FOLDERS), 1e-5);
}

TEST(StaticVectors, GiveTokensVectorsAndRefuseWhatLayersGive) {
  const Golden golden("model2vec-weights-mapping-int8", LFFN_STATIC_FOLDERS);
  const lookupffn::Model model = lookupffn::Model::load(golden.path());
  lookupffn::RunOptions options = lookupffn::RunOptions::uncut();
  const std::vector<lookupffn::TokenVectors> tokens = model.token_vectors({golden.texts()[0]}, options);
  EXPECT_LT(difference(tokens[0].values, golden.value("as_sequence")), 1e-5);
  const std::vector<lookupffn::TokenCount> counts = model.count_tokens(golden.texts());
  EXPECT_GE(counts[0].uncut, counts[0].run);
  const std::vector<std::int32_t> ids = {5, 6};
  lookupffn::TokenBatch batch;
  batch.add(ids);
  EXPECT_THROW(model.encode(batch.view()), lookupffn::InvalidArgument);
  EXPECT_THROW(model.classify({"a"}), lookupffn::InvalidArgument);
  options.pooling = LFFN_POOLING_MAX;
  EXPECT_THROW(model.embed({"a"}, options), lookupffn::InvalidArgument);
  lookupffn::Texts pair;
  pair.add("a", "b");
  EXPECT_THROW(model.embed(pair), lookupffn::InvalidArgument);
}

class SparseFolders : public testing::TestWithParam<const char*> {};

TEST_P(SparseFolders, GiveWhatTheirLibrariesGive) {
  const Golden golden(GetParam());
  SKIP_UNLESS_THERE(golden);
  const lookupffn::Model model = lookupffn::Model::load(golden.path());
  EXPECT_EQ(model.info().sparse_size, 400);
  const std::vector<std::string> texts = golden.texts();
  const Saved saved(model);
  const lookupffn::Model again = lookupffn::Model::load(saved.path);
  const auto check = [&](const std::string& key, std::int32_t kind) {
    lookupffn::RunOptions options;
    options.prompt_kind = kind;
    if (golden.has(key.c_str())) {
      const auto vectors = model.embed_sparse(texts, options);
      EXPECT_LT(sparse_difference(vectors, golden.value(key.c_str())), 2e-5) << key;
      EXPECT_LT(sparse_difference(again.embed_sparse(texts, options), golden.value(key.c_str())), 2e-5) << key;
      for (size_t i = 0; i < texts.size(); i += 9) {
        options.num_threads = 1;
        const auto alone = model.embed_sparse({texts[i]}, options);
        EXPECT_EQ(alone[0].ids, vectors[i].ids);
        EXPECT_EQ(alone[0].weights, vectors[i].weights);
      }
    }
    const std::string limited = key + ".max_active_dims";
    options.max_active = 8;
    if (golden.has(limited.c_str())) {
      EXPECT_LT(sparse_difference(model.embed_sparse(texts, options), golden.value(limited.c_str())), 2e-5) << limited;
    }
  };
  check("encode", LFFN_PROMPT_MODEL);
  check("encode_query", LFFN_PROMPT_QUERY);
  check("encode_document", LFFN_PROMPT_DOCUMENT);
  if (golden.has("encode_is")) {
    const bool query = golden.value("encode_is").items[0].scalar.text == "encode_query";
    EXPECT_LT(sparse_difference(model.embed_sparse(texts), golden.value(query ? "encode_query" : "encode_document")),
              2e-5);
  }
  lookupffn::RunOptions above;
  above.min_weight = 0.5f;
  above.max_active = LFFN_MAX_ACTIVE_ALL;
  for (const auto& vector : model.embed_sparse(texts, above)) {
    for (const float weight : vector.weights) EXPECT_GT(weight, 0.5f);
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, SparseFolders,
                         testing::Values("sparse-splade-bert", "sparse-splade-bert-6", "sparse-splade-distilbert",
                                         "sparse-splade-sum", "sparse-router", "sparse-router-6", "sparse-router-asym",
                                         "sparse-opensearch", "sparse-opensearch-idf"));

TEST(SparseVectors, AreRefusedWhereAModelHasNone) {
  const Golden golden("static-st-model2vec", LFFN_STATIC_FOLDERS);
  const lookupffn::Model model = lookupffn::Model::load(golden.path());
  EXPECT_THROW(model.embed_sparse({"a"}), lookupffn::InvalidArgument);
}

}  // namespace
