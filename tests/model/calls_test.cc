// SPDX-License-Identifier: Apache-2.0
// What callers may and may not ask of a model.
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "model_fixture.h"
#include "tests/support/outputs.h"
#include "tests/support/short_calls.h"

namespace lffn {
namespace {

class ModelCalls : public WithModel {
 protected:
  void SetUp() override {
    WithModel::SetUp();
    RandomModelShape shape;
    shape.max_tokens = 20;
    load(shape, 2);
  }
  // Fails the test unless the call is refused with a text that holds `part`.
  static void refused(lffn_status status, const std::string& part, lffn_status expected = LFFN_ERROR_INVALID_ARGUMENT) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error();
  }
  lffn_status encode_ids(const std::vector<int32_t>& ids, const std::vector<int64_t>& offsets) const {
    std::vector<float> hidden(4096, 7.0f);
    const lffn_status status = short_calls::encode(model_, ids.data(), offsets.data(),
                                                   static_cast<int64_t>(offsets.size()) - 1, hidden.data());
    if (status != LFFN_OK) {
      for (const float value : hidden) EXPECT_EQ(value, 7.0f) << "outputs are untouched";
    }
    return status;
  }
};

TEST_F(ModelCalls, Info) {
  EXPECT_EQ(info_.vocab_size, 301);
  EXPECT_EQ(info_.hidden_size, 64);
  EXPECT_EQ(info_.num_layers, 2);
  EXPECT_EQ(info_.num_lookup_layers, 1);
  EXPECT_EQ(info_.num_attention_heads, 4);
  EXPECT_EQ(info_.attention_head_size, 16);
  EXPECT_EQ(info_.max_tokens, 20);
  EXPECT_EQ(info_.intermediate_size, 128);
  EXPECT_EQ(info_.num_classes, 3);
  EXPECT_EQ(info_.has_lm_head, 1);
  EXPECT_EQ(info_.table_dtype, LFFN_DTYPE_F32);
  EXPECT_EQ(info_.num_threads, 2);
  EXPECT_EQ(info_.attention_flop_per_token, 2 * 2 * 4 * 64 * 64);
  EXPECT_EQ(info_.attention_flop_per_pair, 2 * 4 * 64);
  EXPECT_GT(info_.ffn_flop_per_token, 4 * 64 * 128);
  EXPECT_GT(info_.lm_head_flop_per_token, 2 * 64 * 301);
  EXPECT_EQ(info_.file_bytes, static_cast<size_t>(info_.num_parameters * 4));
  EXPECT_GE(info_.memory_bytes, info_.file_bytes);
  EXPECT_GT(info_.scratch_bytes, 0u);
}

TEST_F(ModelCalls, NothingToDo) {
  const int64_t zero[] = {0, 0, 0};
  EXPECT_EQ(short_calls::encode(model_, nullptr, nullptr, 0, nullptr), LFFN_OK);
  float none = 7;
  EXPECT_EQ(short_calls::encode(model_, nullptr, zero, 2, &none), LFFN_OK);
  EXPECT_EQ(short_calls::logits(model_, nullptr, nullptr, 0, nullptr, 0, nullptr), LFFN_OK);
  EXPECT_EQ(short_calls::classify(model_, nullptr, nullptr, 0, nullptr), LFFN_OK);
  EXPECT_EQ(none, 7);
}

TEST_F(ModelCalls, WrongIdsAndOffsets) {
  EXPECT_EQ(encode_ids({0, 300}, {0, 2}), LFFN_OK);
  refused(encode_ids({0, 301}, {0, 2}), "ids[1] is 301, the vocabulary has 0 to 300");
  refused(encode_ids({-1, 3}, {0, 2}), "ids[0] is -1");
  refused(encode_ids({1, 2}, {1, 2}), "offsets[0] is 1");
  refused(encode_ids({1, 2}, {0, 2, 1}), "offsets[2] is 1, less than offsets[1], 2");
  EXPECT_EQ(encode_ids(std::vector<int32_t>(20, 5), {0, 20}), LFFN_OK);
  refused(encode_ids(std::vector<int32_t>(22, 5), {0, 1, 22}), "sequence 1 has 21 tokens, the model can run at most 20",
          LFFN_ERROR_TOO_LONG);
  refused(encode_ids({1}, {0, std::numeric_limits<int64_t>::max()}), "can run at most 20", LFFN_ERROR_TOO_LONG);
}

TEST_F(ModelCalls, MissingArguments) {
  const int32_t ids[] = {1, 2};
  const int64_t offsets[] = {0, 2};
  float out[4096];
  refused(short_calls::encode(nullptr, ids, offsets, 1, out), "model is NULL");
  refused(short_calls::encode(model_, nullptr, offsets, 1, out), "ids is NULL");
  refused(short_calls::encode(model_, ids, nullptr, 1, out), "offsets is NULL");
  refused(short_calls::encode(model_, ids, offsets, -1, out), "n is -1");
  refused(short_calls::embed(model_, ids, offsets, 1, 7, 0, out), "pooling is 7");
  refused(short_calls::embed(model_, ids, offsets, 1, -1, 0, out), "pooling is -1");
  refused(short_calls::embed(model_, ids, offsets, 1, 0, 3, out), "normalize is 3");
  refused(short_calls::logits(model_, ids, offsets, 1, nullptr, 1, out), "logit_positions is NULL");
  const int64_t outside[] = {0, 2}, before[] = {-1};
  refused(short_calls::logits(model_, ids, offsets, 1, outside, 2, out), "logit_positions[1] is 2, there are 2 tokens");
  refused(short_calls::logits(model_, ids, offsets, 1, before, 1, out), "logit_positions[0] is -1");
  refused(short_calls::logits(model_, ids, offsets, 1, outside, -2, out), "n_logit_positions is -2");
  refused(lffn_model_run(model_, nullptr), "args is NULL");
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.struct_size = 8;
  refused(lffn_model_run(model_, &args), "struct_size");
  lffn_model_shape shape = {};
  refused(lffn_model_get_shape(model_, &shape), "struct_size");
  lffn_model_heads heads = {};
  refused(lffn_model_get_heads(model_, &heads), "struct_size");
  lffn_model_costs costs = {};
  refused(lffn_model_get_costs(model_, &costs), "struct_size");
  refused(lffn_model_get_costs(nullptr, &costs), "model is NULL");
  refused(lffn_model_load(nullptr, nullptr, &model_), "path is NULL");
  refused(lffn_model_load("x", nullptr, nullptr), "out is NULL");
  refused(lffn_model_save(model_, nullptr, nullptr), "path is NULL");
  lffn_model_free(nullptr);
  lffn_model_shape_init_sized(nullptr, sizeof(lffn_model_shape));
  lffn_model_run_args_init_sized(nullptr, sizeof(lffn_model_run_args));
}

TEST_F(ModelCalls, MissingHeads) {
  RandomModelShape shape;
  shape.num_classes = 0;
  shape.lm_head = false;
  load(shape);
  const int32_t ids[] = {1, 2};
  const int64_t offsets[] = {0, 2}, position[] = {1};
  float out[4096];
  refused(short_calls::classify(model_, ids, offsets, 1, out), "no classifier");
  refused(short_calls::logits(model_, ids, offsets, 1, position, 1, out), "no language model head");
  EXPECT_EQ(short_calls::encode(model_, ids, offsets, 1, out), LFFN_OK);
}

TEST_F(ModelCalls, TellsWhereTheTimeGoes) {
  const Sequences input = sequences({20, 20, 20, 5}, info_.vocab_size);
  std::vector<float> hidden(static_cast<size_t>(input.tokens() * info_.hidden_size));
  double seconds[LFFN_NUM_STAGES];
  std::fill_n(seconds, LFFN_NUM_STAGES, -1);
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  lffn_output outputs[] = {{LFFN_OUT_STAGE_SECONDS, 0, seconds, LFFN_NUM_STAGES},
                           {LFFN_OUT_HIDDEN, 0, hidden.data(), static_cast<int64_t>(hidden.size())}};
  args.outputs = outputs;
  args.n_outputs = 1;
  ASSERT_EQ(lffn_model_run(model_, &args), LFFN_OK) << "nothing to do";
  for (const double stage : seconds) EXPECT_LT(stage, 1e-3);
  args.ids = input.ids.data();
  args.offsets = input.offsets.data();
  args.n = input.n();
  args.n_outputs = 2;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(lffn_model_run(model_, &args), LFFN_OK) << lffn_last_error();
  const double total = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double sum = 0;
  for (const double stage : seconds) {
    EXPECT_GE(stage, 0);
    sum += stage;
  }
  EXPECT_LE(sum, total);
  EXPECT_EQ(hidden, encode(input)) << "looking at the clock changes nothing";

  const int32_t cancel = 1;
  args.cancel = &cancel;
  std::fill_n(seconds, LFFN_NUM_STAGES, -1);
  EXPECT_EQ(lffn_model_run(model_, &args), LFFN_ERROR_CANCELLED);
  for (const double stage : seconds) EXPECT_EQ(stage, -1) << "outputs are untouched";
}

TEST_F(ModelCalls, Pooling) {
  const Sequences input = sequences({5, 1, 20}, info_.vocab_size);
  const std::vector<float> hidden = encode(input);
  const int64_t d = info_.hidden_size;
  for (const int32_t pooling : {LFFN_POOLING_FIRST, LFFN_POOLING_MEAN, LFFN_POOLING_MAX}) {
    std::vector<float> plain(static_cast<size_t>(3 * d)), unit(plain.size());
    const auto embed = [&](int32_t normalize, std::vector<float>& out) {
      ASSERT_EQ(short_calls::embed(model_, input.ids.data(), input.offsets.data(), 3, pooling, normalize, out.data()),
                LFFN_OK);
    };
    embed(LFFN_NORMALIZE_NO, plain);
    embed(LFFN_NORMALIZE_YES, unit);
    for (int64_t s = 0; s < 3; ++s) {
      double length = 0;
      for (int64_t i = 0; i < d; ++i) {
        double sum = 0, most = -1e30;
        for (int64_t t = input.offsets[s]; t < input.offsets[s + 1]; ++t) {
          sum += hidden[t * d + i];
          most = std::max<double>(most, hidden[t * d + i]);
        }
        const double mean = sum / static_cast<double>(input.offsets[s + 1] - input.offsets[s]);
        const double expected = pooling == LFFN_POOLING_FIRST  ? hidden[input.offsets[s] * d + i]
                                : pooling == LFFN_POOLING_MEAN ? mean
                                                               : most;
        EXPECT_NEAR(plain[s * d + i], expected, 1e-6);
        length += static_cast<double>(unit[s * d + i]) * unit[s * d + i];
      }
      EXPECT_NEAR(length, 1, 1e-5);
    }
  }
  const std::vector<int64_t> empty = {0, 0};
  float out[64];
  refused(short_calls::embed(model_, nullptr, empty.data(), 1, 0, 0, out), "sequence 0 is empty");
  refused(short_calls::classify(model_, nullptr, empty.data(), 1, out), "sequence 0 is empty");
}

// Everything at once gives what the single calls give.
TEST_F(ModelCalls, RunGivesAll) {
  const Sequences input = sequences({5, 20, 3}, info_.vocab_size);
  const int64_t positions[] = {27, 3};
  std::vector<float> hidden(static_cast<size_t>(input.tokens() * info_.hidden_size));
  std::vector<float> logits(2 * 301), scores(9), embeddings(3 * 64);
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.ids = input.ids.data();
  args.offsets = input.offsets.data();
  args.n = input.n();
  ASSERT_EQ(lffn_model_run(model_, &args), LFFN_OK) << "nothing wanted";
  args.logit_positions = positions;
  args.n_logit_positions = 2;
  outputs::List list;
  list.add(LFFN_OUT_HIDDEN, hidden);
  list.add(LFFN_OUT_LOGITS, logits);
  list.add(LFFN_OUT_CLASS_SCORES, scores);
  list.add(LFFN_OUT_EMBEDDINGS, embeddings);
  list.give(args);
  args.pooling = LFFN_POOLING_MEAN;
  args.normalize = LFFN_NORMALIZE_NO;
  ASSERT_EQ(lffn_model_run(model_, &args), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(hidden, encode(input));
  std::vector<float> logits_alone(logits.size()), scores_alone(scores.size()), embeddings_alone(embeddings.size());
  ASSERT_EQ(short_calls::logits(model_, args.ids, args.offsets, args.n, positions, 2, logits_alone.data()), LFFN_OK);
  ASSERT_EQ(short_calls::classify(model_, args.ids, args.offsets, args.n, scores_alone.data()), LFFN_OK);
  ASSERT_EQ(short_calls::embed(model_, args.ids, args.offsets, args.n, LFFN_POOLING_MEAN, LFFN_NORMALIZE_NO,
                               embeddings_alone.data()),
            LFFN_OK);
  EXPECT_EQ(logits, logits_alone);
  EXPECT_EQ(scores, scores_alone);
  EXPECT_EQ(embeddings, embeddings_alone);
}

TEST_F(ModelCalls, Cancelled) {
  const Sequences input = sequences({5, 20, 3}, info_.vocab_size);
  std::vector<float> hidden(static_cast<size_t>(input.tokens() * info_.hidden_size));
  int32_t cancel = 1;
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.ids = input.ids.data();
  args.offsets = input.offsets.data();
  args.n = input.n();
  outputs::List list;
  list.add(LFFN_OUT_HIDDEN, hidden);
  list.give(args);
  args.cancel = &cancel;
  EXPECT_EQ(lffn_model_run(model_, &args), LFFN_ERROR_CANCELLED);
  cancel = 0;
  EXPECT_EQ(lffn_model_run(model_, &args), LFFN_OK);
}

TEST_F(ModelCalls, ManyCallersAtOnce) {
  const Sequences input = sequences({5, 20, 3, 17}, info_.vocab_size);
  const std::vector<float> expected = encode(input);
  std::vector<std::thread> threads;
  std::vector<int> same(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) same[i] += encode(input) == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 20));
}

}  // namespace
}  // namespace lffn
