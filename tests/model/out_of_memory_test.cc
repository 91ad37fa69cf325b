// Makes each allocation of a model fail in turn: every call then says so, leaves nothing behind, and works once memory
// is back.
#include "tests/format/out_of_memory.h"

#include <fstream>

#include "model_fixture.h"

namespace lffn {
namespace {

class ModelOutOfMemory : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    const lffn_allocator allocator = {sizeof(lffn_allocator), hook_allocate, hook_deallocate, nullptr};
    ASSERT_EQ(lffn_set_allocator(&allocator), LFFN_OK);
    RandomModelShape shape;
    shape.family = &kBert;
    shape.ffn_kinds = "wv";
    shape.hidden_size = 16;
    shape.num_heads = 2;
    shape.head_size = 8;
    shape.vocab_size = 20;
    shape.max_tokens = 20;
    shape.intermediate_size = 8;
    shape.num_tables = 3;
    shape.table_size = 4;
    shape.block_size = 4;
    random_model(shape).write(path("model"));
    lffn_load_options_init(&options_);
    options_.num_threads = 1;
    options_.linear_dtype = LFFN_INT8;
  }
  void TearDown() override {
    EXPECT_EQ(lffn_set_allocator(nullptr), LFFN_OK);
    InFolder::TearDown();
  }
  void free_model() {
    lffn_model_free(model_);
    model_ = nullptr;
  }

  lffn_load_options options_;
  lffn_model* model_ = nullptr;
};

TEST_F(ModelOutOfMemory, LoadFromMemory) {
  const std::string file = content_of(path("model"));
  const int failures = survive([&] { return lffn_model_load_memory(file.data(), file.size(), &options_, &model_); },
                               [&] { free_model(); }, [&] { ASSERT_EQ(model_, nullptr); });
  EXPECT_GT(failures, 100) << "a load allocates for its header, its weights and its handle";
}

TEST_F(ModelOutOfMemory, LoadFromFile) {
  const std::string file = path("model");
  survive([&] { return lffn_model_load(file.c_str(), &options_, &model_); }, [&] { free_model(); });
}

TEST_F(ModelOutOfMemory, Save) {
  ASSERT_EQ(lffn_model_load(path("model").c_str(), &options_, &model_), LFFN_OK) << lffn_last_error();
  const std::string file = path("saved");
  std::ofstream(file) << "old";
  survive([&] { return lffn_model_save(model_, file.c_str()); }, [] {}, [&] { ASSERT_EQ(content_of(file), "old"); });
  EXPECT_NE(content_of(file), "old");
  free_model();
}

TEST_F(ModelOutOfMemory, RunAndSteadyState) {
  const Sequences input = sequences({5, 20, 1}, 20);
  const int64_t positions[] = {25, 3};
  std::vector<float> hidden(26 * 16), logits(2 * 20), scores(9), embeddings(3 * 16);
  const Balance before;
  ASSERT_EQ(lffn_model_load(path("model").c_str(), &options_, &model_), LFFN_OK) << lffn_last_error();
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.ids = input.ids.data();
  args.offsets = input.offsets.data();
  args.n = input.n();
  args.hidden = hidden.data();
  args.positions = positions;
  args.n_positions = 2;
  args.logits = logits.data();
  args.class_scores = scores.data();
  args.embeddings = embeddings.data();
  args.hidden_capacity = args.logits_capacity = args.class_scores_capacity = args.embeddings_capacity = 26 * 16;
  int failures = 0;
  for (lffn_status status = LFFN_ERROR_OUT_OF_MEMORY; status != LFFN_OK; ++failures) {
    ASSERT_LT(failures, 1000);
    for (std::vector<float>* out : {&hidden, &logits, &scores, &embeddings}) std::fill(out->begin(), out->end(), 7.0f);
    left = failures;
    status = lffn_model_run(model_, &args);
    left = INT64_MAX;
    if (status == LFFN_OK) break;
    ASSERT_EQ(status, LFFN_ERROR_OUT_OF_MEMORY) << lffn_last_error();
    for (const std::vector<float>* out : {&hidden, &logits, &scores, &embeddings}) {
      for (const float value : *out) ASSERT_EQ(value, 7.0f) << "outputs are untouched";
    }
  }
  EXPECT_GT(failures, 0) << "the first call makes its scratch memory";
  for (int round = 0; round < 3; ++round) {
    args.hidden = round == 1 ? nullptr : hidden.data();  // needs more scratch memory
    if (round != 2) {
      ASSERT_EQ(lffn_model_run(model_, &args), LFFN_OK);
    }
    left = 0;
    const lffn_status again = lffn_model_run(model_, &args);
    left = INT64_MAX;
    EXPECT_EQ(again, LFFN_OK) << "a steady state needs no more memory: " << lffn_last_error();
  }
  free_model();
  EXPECT_TRUE(before == Balance());
}

}  // namespace
}  // namespace lffn
