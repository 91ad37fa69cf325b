// SPDX-License-Identifier: Apache-2.0
// Calls that ask for some tokens only, which of the last layer compute no others, give the bits of calls that ask for
// all.
#include <algorithm>
#include <cctype>

#include "model_fixture.h"
#include "tests/support/outputs.h"

namespace lffn {
namespace {

struct Results {
  std::vector<float> logits, class_scores, embeddings;
};

class AskedRows : public WithModel {
 protected:
  // What heads make of some positions and of first tokens; with `hidden`, all rows are wanted.
  Results run(const Sequences& input, const std::vector<int64_t>& positions, bool hidden, bool logits, bool classes,
              bool embeddings) const {
    Results results;
    std::vector<float> states(static_cast<size_t>(input.tokens() * info_.hidden_size));
    lffn_model_run_args args = short_calls::args_of(input.ids.data(), input.offsets.data(), input.n());
    outputs::List list;
    if (hidden) list.add(LFFN_OUT_HIDDEN, states);
    if (logits && info_.has_lm_head != 0) {
      results.logits.assign(positions.size() * static_cast<size_t>(info_.vocab_size), 7.0f);
      args.logit_positions = positions.data();
      args.n_logit_positions = static_cast<int64_t>(positions.size());
      list.add(LFFN_OUT_LOGITS, results.logits);
    }
    if (classes) {
      results.class_scores.assign(static_cast<size_t>(input.n() * info_.num_classes), 7.0f);
      list.add(LFFN_OUT_CLASS_SCORES, results.class_scores);
    }
    if (embeddings) {
      results.embeddings.assign(static_cast<size_t>(input.n() * info_.hidden_size), 7.0f);
      args.pooling = LFFN_POOLING_FIRST;
      args.normalize = LFFN_NORMALIZE_NO;
      list.add(LFFN_OUT_EMBEDDINGS, results.embeddings);
    }
    list.give(args);
    EXPECT_EQ(lffn_model_run(model_, &args), LFFN_OK) << lffn_last_error();
    return results;
  }

  void same_bits(const Sequences& input, const std::vector<int64_t>& positions, const std::string& what) const {
    const Results all = run(input, positions, true, true, true, true);
    EXPECT_EQ(run(input, positions, false, true, false, false).logits, all.logits) << what;
    EXPECT_EQ(run(input, positions, false, false, true, false).class_scores, all.class_scores) << what;
    EXPECT_EQ(run(input, positions, false, false, false, true).embeddings, all.embeddings) << what;
    const Results heads = run(input, positions, false, true, true, true);
    EXPECT_EQ(heads.logits, all.logits) << what;
    EXPECT_EQ(heads.class_scores, all.class_scores) << what;
    EXPECT_EQ(heads.embeddings, all.embeddings) << what;
  }
};

class AskedRowsOfFamilies : public AskedRows, public ::testing::WithParamInterface<const Family*> {};

TEST_P(AskedRowsOfFamilies, GiveTheSameBits) {
  std::vector<int64_t> lengths = {7, 1, 16, 130, 2, 3, 257, 24, 600, 64, 12, 300};
  if (kEmulated) lengths = {7, 1, 16, 130, 2, 3, 57, 24, 70};
  const Family* const family = GetParam();
  // The last layer with neurons, a lookup, one with a linear map, and without a block of its own.
  for (const std::string kinds : {"lv", "vl", "vw", "v", "n"}) {
    if (family == &kAuthors && (kinds == "vw" || kinds == "n")) continue;
    for (const int32_t threads : {1, 3}) {
      for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
        RandomModelShape shape;
        shape.family = family;
        shape.ffn_kinds = kinds;
        load(shape, threads, dtype);
        const Sequences input = sequences(lengths, info_.vocab_size);
        // In no order, some of one sequence, one twice, a whole sequence.
        const std::vector<int64_t> positions = {input.tokens() - 16, 3,  7,  300, 301, 302, 3,
                                                input.tokens() - 1,  24, 25, 26,  27};
        same_bits(input, positions, kinds + ", " + std::to_string(threads));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AskedRowsOfFamilies, ::testing::Values(&kAuthors, &kBert, &kMpnet, &kElectra),
                         [](const auto& info) {
                           std::string name;
                           for (const char c : std::string(info.param->name)) {
                             if (std::isalnum(static_cast<unsigned char>(c))) name += c;
                           }
                           return name;
                         });

TEST_F(AskedRows, OfStudents) {
  for (const std::vector<int32_t>& heads : {std::vector<int32_t>{4, 2}, {4, 0}, {0, 1}}) {
    for (const std::string kinds : {"vv", "vn", "vl"}) {
      RandomModelShape shape;
      shape.family = &kBert;
      shape.ffn_kinds = kinds;
      shape.heads = heads;
      shape.has_word_rows = {true, true};
      shape.word_rows = 50;
      load(shape, 2, LFFN_DTYPE_INT8);
      const Sequences input = sequences({30, 1, 200, 17}, info_.vocab_size);
      same_bits(input, {5, 40, 41, 240}, kinds + ", heads " + std::to_string(heads[1]));
    }
  }
}

// Heads whose width is no whole number of panels keep their rows.
TEST_F(AskedRows, OfNarrowHeads) {
  RandomModelShape shape;
  shape.family = &kBert;
  shape.ffn_kinds = "vv";
  shape.num_heads = 3;
  shape.head_size = 7;
  load(shape, 2, LFFN_DTYPE_INT8);
  same_bits(sequences({30, 1, 200, 17}, info_.vocab_size), {5, 40, 41, 240}, "3 heads of 7");
}

// More tokens than go through the layers at once.
TEST_F(AskedRows, OfManyChunks) {
  RandomModelShape shape;
  shape.family = &kBert;
  shape.hidden_size = 16;
  shape.num_heads = 2;
  shape.head_size = 8;
  shape.intermediate_size = 24;
  shape.ffn_kinds = "vv";
  load(shape, 2);
  std::vector<int64_t> lengths, positions;
  for (int64_t i = 0; i < 40; ++i) lengths.push_back(i % 2 == 0 ? 37 : 471);
  const Sequences input = sequences(lengths, info_.vocab_size);
  for (int64_t t = 11; t < input.tokens(); t += 97) positions.push_back(t);
  same_bits(input, positions, "chunks");
}

}  // namespace
}  // namespace lffn
