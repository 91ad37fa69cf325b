// SPDX-License-Identifier: Apache-2.0
// Late vectors beside what the reference libraries gave for the same folders and texts.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "format/file.h"
#include "format/safetensors.h"
#include "golden_folder.h"
#include "tests/support/outputs.h"

namespace {

using lookupffn::LateVectors;
using lookupffn::Model;

lookupffn::RunOptions options_of(std::int32_t kind) {
  lookupffn::RunOptions options;
  options.prompt_kind = kind;
  return options;
}

std::vector<std::int64_t> integers(const JsonValue& list) {
  std::vector<std::int64_t> result;
  for (const JsonValue& item : list.items) result.push_back(static_cast<std::int64_t>(item.scalar.integer));
  return result;
}

// The vectors of each text, which has a tensor of its own.
class Expected {
 public:
  explicit Expected(const Golden& golden)
      : file_(golden.path() + "/io.safetensors"), content_(lffn::parse_safetensors(file_.data(), file_.size())) {}
  const lffn::TensorView* find(const std::string& name) const { return content_.find(name); }

  void compare(const LateVectors& got, const std::string& prefix, double tolerance) const {
    const auto size = static_cast<std::int64_t>(got.size);
    for (std::int64_t i = 0; i < got.count(); ++i) {
      const lffn::TensorView* const tensor = find(prefix + std::to_string(i));
      ASSERT_NE(tensor, nullptr) << prefix << i;
      const std::int64_t begin = got.offsets[static_cast<std::size_t>(i)];
      const std::int64_t rows = got.offsets[static_cast<std::size_t>(i) + 1] - begin;
      ASSERT_EQ(tensor->shape, (std::vector<std::int64_t>{rows, size})) << prefix << i;
      const auto* const values = reinterpret_cast<const float*>(tensor->data);
      for (std::int64_t k = 0; k < rows * size; ++k) {
        ASSERT_NEAR(got.values[static_cast<std::size_t>(begin * size + k)], values[k], tolerance) << prefix << i;
      }
    }
  }

 private:
  lffn::FileBytes file_;
  lffn::Safetensors content_;
};

// The ids of texts as they are run, and which of them have vectors.
void compare_tokens(const Model& model, const Golden& golden, const std::string& kind, std::int32_t prompt) {
  const std::vector<std::string> texts = golden.texts(kind == "query" ? "queries" : "documents");
  const lookupffn::Texts given(texts);
  const lookupffn::RunOptions options = options_of(prompt);
  lffn_model_run_args args = Model::arguments(options);
  given.give(args);
  lookupffn::Result result;
  args.result = result.get();
  outputs::keep(args, outputs::kIds | outputs::kTokenVectors);
  model.run(args);
  const outputs::View view(result.get());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<std::int64_t> ids(view.ids + view.offsets[i], view.ids + view.offsets[i + 1]);
    ASSERT_EQ(ids, integers(golden.value((kind + "_ids").c_str()).items[i])) << kind << " " << i;
    if (kind == "query" || !golden.has("document_kept")) continue;
    std::vector<std::int64_t> kept(ids.size());
    for (std::int64_t v = view.vector_offsets[i]; v < view.vector_offsets[i + 1]; ++v) {
      kept[static_cast<std::size_t>(view.vector_tokens[v] - view.offsets[i])] = 1;
    }
    EXPECT_EQ(kept, integers(golden.value("document_kept").items[i])) << i;
  }
}

void check_late(const Golden& golden) {
  const Model model = Model::load(golden.path());
  EXPECT_EQ(model.info().is_late, 1);
  EXPECT_EQ(model.info().max_sim_flags, 0u);
  const Expected expected(golden);
  const lookupffn::RunOptions query = options_of(LFFN_PROMPT_QUERY), document = options_of(LFFN_PROMPT_DOCUMENT);
  const std::vector<std::string> queries = golden.texts("queries"), documents = golden.texts("documents");
  const LateVectors of_queries = model.embed_late(queries, query), of_documents = model.embed_late(documents, document);
  expected.compare(of_queries, "query.", 2e-5);
  expected.compare(of_documents, "document.", 2e-5);
  compare_tokens(model, golden, "query", LFFN_PROMPT_QUERY);
  compare_tokens(model, golden, "document", LFFN_PROMPT_DOCUMENT);
  const std::vector<float> scores = lookupffn::max_sim(of_queries, of_documents);
  EXPECT_LT(difference(scores, golden.value("scores")), 1e-4);
  const std::vector<float> near = lookupffn::max_sim(of_queries, model.embed_late_int8(documents, document));
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(near[i], scores[i], 0.02 * std::fabs(scores[i]) + 0.05);
  // A reranker's scores are these, and a single file and one thread give the same bits.
  const std::vector<float> ranked = model.rerank(queries[1], documents);
  const auto row = scores.begin() + static_cast<std::ptrdiff_t>(documents.size());
  EXPECT_EQ(ranked, std::vector<float>(row, row + static_cast<std::ptrdiff_t>(documents.size())));
  const Saved saved(model);
  const Model again = Model::load(saved.path);
  EXPECT_EQ(again.embed_late(queries, query).values, of_queries.values);
  EXPECT_EQ(again.embed_late(documents, document).values, of_documents.values);
  EXPECT_EQ(again.info().max_query_tokens, model.info().max_query_tokens);
  EXPECT_GE(Model::estimate(golden.path()).weight_bytes, model.info().memory_bytes);
  lookupffn::RunOptions alone = query;
  alone.num_threads = 1;
  const LateVectors one = model.embed_late({queries[1]}, alone);
  const auto first = of_queries.values.begin() + of_queries.offsets[1] * static_cast<std::ptrdiff_t>(of_queries.size);
  EXPECT_EQ(one.values, std::vector<float>(first, first + static_cast<std::ptrdiff_t>(one.values.size())));
}

class LateFolders : public testing::TestWithParam<const char*> {};

TEST_P(LateFolders, GiveWhatTheirLibrariesGive) {
  const Golden golden(GetParam());
  SKIP_UNLESS_THERE(golden);
  check_late(golden);
}

INSTANTIATE_TEST_SUITE_P(Golden, LateFolders,
                         testing::Values("late-pylate", "late-pylate-attend", "late-pylate-plain", "late-stanford",
                                         "late-pylate-6", "late-pylate-attend-6", "late-stanford-6"));

TEST(LateVectors, OfASmallFolder) { check_late(Golden("late-pylate", LFFN_LATE_FOLDERS)); }

TEST(LateVectors, TellWhatStandsAroundATextsTokens) {
  const Model model = Model::load(LFFN_LATE_FOLDERS "/late-pylate");
  const lookupffn::Tokenizer tokenizer = model.tokenizer();
  EXPECT_EQ(std::string(tokenizer.token(model.info().query_prefix_id)), "[Q] ");
  EXPECT_EQ(std::string(tokenizer.token(model.info().document_prefix_id)), "[D] ");
  EXPECT_EQ(std::string(tokenizer.token(model.info().filler_id)), "[MASK]");
  EXPECT_EQ(model.info().attends_to_filler, 0);
}

// Nothing that is odd about texts or a call is more than an error, and a call ends when it is told to.
TEST(LateVectors, RefuseWhatTheyCannotMean) {
  const Model model = Model::load(LFFN_LATE_FOLDERS "/late-pylate");
  const LateVectors none = model.embed_late(lookupffn::Texts(), options_of(LFFN_PROMPT_QUERY));
  EXPECT_EQ(none.count(), 0);
  EXPECT_TRUE(lookupffn::max_sim(none, none).empty());
  EXPECT_TRUE(model.rerank("a", {}).empty());
  EXPECT_EQ(model.embed_late({""}, options_of(LFFN_PROMPT_DOCUMENT)).offsets.back(), 3);
  EXPECT_EQ(model.embed_late({""}, options_of(LFFN_PROMPT_QUERY)).offsets.back(), 16);
  EXPECT_THROW(model.rerank("a", {"b", "\xff"}), lookupffn::Error);
  lookupffn::RunOptions options = options_of(LFFN_PROMPT_QUERY);
  options.windows = LFFN_WINDOWS_EACH;
  EXPECT_THROW(model.embed_late({"a b"}, options), lookupffn::InvalidArgument);
  options = options_of(LFFN_PROMPT_DOCUMENT);
  options.windows = LFFN_WINDOWS_EACH;
  options.max_tokens = 8;
  const std::string text = "The fox jumps over the lazy dog and then it sleeps.";
  EXPECT_GT(model.embed_late({text}, options).count(), 1);
  options.max_tokens = 2;
  options.windows = LFFN_WINDOWS_NONE;
  EXPECT_THROW(model.embed_late({text}, options), lookupffn::InvalidArgument);
  lookupffn::CancelFlag cancel;
  cancel.cancel();
  options = options_of(LFFN_PROMPT_DOCUMENT);
  options.cancel = &cancel;
  EXPECT_THROW(model.embed_late({text}, options), lookupffn::Cancelled);
  EXPECT_THROW(model.rerank("a", {text}, options), lookupffn::Cancelled);
}

TEST(DenseSparseAndLate, OfOnePass) {
  const Golden golden("m3-xlmr");
  SKIP_UNLESS_THERE(golden);
  const Model model = Model::load(golden.path());
  EXPECT_EQ(model.info().is_late, 1);
  EXPECT_EQ(model.info().max_sim_flags, std::uint32_t{LFFN_MAX_SIM_MEAN});
  EXPECT_EQ(model.info().sparse_size, model.info().vocab_size);
  const std::vector<std::string> texts = golden.texts();
  EXPECT_LT(difference(model.embed(texts), golden.value("dense")), 2e-5);
  const auto sparse = model.embed_sparse(texts);
  EXPECT_LT(sparse_difference(sparse, golden.value("sparse")), 2e-5);
  const LateVectors late = model.embed_late(texts, options_of(LFFN_PROMPT_QUERY));
  const Expected expected(golden);
  expected.compare(late, "late.", 2e-5);
  const std::vector<std::string> ten(texts.begin(), texts.begin() + 10);
  const LateVectors some = model.embed_late(ten, options_of(LFFN_PROMPT_DOCUMENT));
  EXPECT_LT(difference(lookupffn::max_sim(some, some), golden.value("score_late")), 2e-5);
  const Saved saved(model);
  const Model again = Model::load(saved.path);
  EXPECT_EQ(again.embed_late(texts, options_of(LFFN_PROMPT_QUERY)).values, late.values);
  const auto sparse_again = again.embed_sparse(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(sparse_again[i].weights, sparse[i].weights);
  // All three at once.
  const lookupffn::Texts given(texts);
  lookupffn::RunOptions none;
  lffn_model_run_args args = Model::arguments(none);
  given.give(args);
  lookupffn::Result result;
  args.result = result.get();
  outputs::keep(args, outputs::kEmbeddings | outputs::kSparse | outputs::kTokenVectors | outputs::kInt8TokenVectors);
  model.run(args);
  const outputs::View view(result.get());
  EXPECT_EQ(std::vector<float>(view.token_vectors, view.token_vectors + late.values.size()), late.values);
  EXPECT_EQ(std::vector<float>(view.sparse_weights, view.sparse_weights + sparse[0].weights.size()), sparse[0].weights);
}

}  // namespace
