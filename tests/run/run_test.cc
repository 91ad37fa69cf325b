// SPDX-License-Identifier: Apache-2.0
// What lffn_model_run gives, and where.
#include <string>
#include <vector>

#include "tests/run/run_fixture.h"
#include "tests/support/short_calls.h"

namespace {

TEST_F(Run, ResultAndCallersMemoryAgree) {
  args_.result = result_;
  args_.top_k = 2;
  outputs::keep(args_, outputs::kIds | outputs::kHidden | outputs::kEmbeddings | outputs::kLogits |
                           outputs::kClassScores | outputs::kFillings | outputs::kUncut);
  args_.flags = LFFN_RUN_ALL_LOGITS;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  const outputs::View all = view();
  EXPECT_EQ(all.n, 3);
  EXPECT_EQ(all.n_masks, 3);
  EXPECT_EQ(all.n_positions, all.n_tokens);
  EXPECT_EQ(std::vector<int64_t>(all.mask_offsets, all.mask_offsets + 4), (std::vector<int64_t>{0, 1, 1, 3}));
  EXPECT_EQ(all.offsets[3], all.n_tokens);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all.uncut[i], all.offsets[i + 1] - all.offsets[i]);
  }

  const auto tokens = static_cast<size_t>(all.n_tokens), d = static_cast<size_t>(info_.hidden_size);
  const auto vocabulary = static_cast<size_t>(info_.vocab_size);
  Floats hidden(tokens * d), embeddings(3 * static_cast<size_t>(info_.embedding_size)), logits(tokens * vocabulary);
  Floats scores(3 * static_cast<size_t>(info_.num_classes)), probabilities(6);
  std::vector<int32_t> fillings(6);
  std::vector<int64_t> offsets(4), uncut(3);
  args_.result = nullptr;
  outputs::List list;
  list.add(LFFN_OUT_HIDDEN, hidden);
  list.add(LFFN_OUT_EMBEDDINGS, embeddings);
  list.add(LFFN_OUT_LOGITS, logits);
  list.add(LFFN_OUT_CLASS_SCORES, scores);
  list.add(LFFN_OUT_FILLING_IDS, fillings);
  list.add(LFFN_OUT_FILLING_PROBABILITIES, probabilities);
  list.add(LFFN_OUT_TOKEN_OFFSETS, offsets);
  list.add(LFFN_OUT_UNCUT_LENGTHS, uncut);
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(hidden, Floats(all.hidden, all.hidden + hidden.size()));
  EXPECT_EQ(embeddings, Floats(all.embeddings, all.embeddings + embeddings.size()));
  EXPECT_EQ(logits, Floats(all.logits, all.logits + logits.size()));
  EXPECT_EQ(scores, Floats(all.class_scores, all.class_scores + scores.size()));
  EXPECT_EQ(fillings, std::vector<int32_t>(all.filling_ids, all.filling_ids + 6));
  EXPECT_EQ(probabilities, Floats(all.filling_probabilities, all.filling_probabilities + 6));
  EXPECT_EQ(offsets, std::vector<int64_t>(all.offsets, all.offsets + 4));
  EXPECT_EQ(uncut, std::vector<int64_t>(all.uncut, all.uncut + 3));

  // The same ids without text.
  Floats again(hidden.size());
  ASSERT_EQ(short_calls::encode(model_, all.ids, all.offsets, 3, again.data()), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(again, hidden);
}

TEST_F(Run, FillingsLeaveTheLogitsAlone) {
  const int64_t position = 1;
  args_.result = result_;
  outputs::keep(args_, outputs::kLogits | outputs::kFillings);
  args_.logit_positions = &position;
  args_.n_logit_positions = 1;
  args_.top_k = 1;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(view().n_positions, 1) << "the rows of masks are nobody's";
  EXPECT_EQ(view().n_masks, 3);
  const std::vector<int32_t> fillings(view().filling_ids, view().filling_ids + 3);
  const Floats row(view().logits, view().logits + info_.vocab_size);
  outputs::keep(args_, outputs::kLogits);
  refused("top_k is given, but no fillings are asked for");
  args_.top_k = 0;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(row, Floats(view().logits, view().logits + info_.vocab_size));
  // Probabilities alone.
  Floats probabilities(3);
  std::vector<int32_t> again(3, -1);
  args_.result = nullptr;
  args_.logit_positions = nullptr;
  args_.n_logit_positions = 0;
  args_.top_k = 1;
  outputs::List list;
  list.add(LFFN_OUT_FILLING_PROBABILITIES, probabilities);
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_GT(probabilities[2], 0);
  list.add(LFFN_OUT_FILLING_IDS, again);
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(again, fillings);
}

// Logits of all masks at once would be 2,700 times the vocabulary.
TEST_F(Run, FillingManyMasksTakesLittleMemory) {
  std::string text;
  for (int i = 0; i < 90; ++i) text += "<mask>";
  const std::vector<const char*> texts(30, text.c_str());
  args_.texts = texts.data();
  args_.n = 30;
  args_.top_k = 2;
  args_.result = result_;
  outputs::keep(args_, outputs::kFillings);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(view().n_masks, 2700);
  const std::vector<int32_t> many(view().filling_ids, view().filling_ids + 5400);
  args_.n = 1;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(view().n_masks, 90);
  for (size_t i = 0; i < many.size(); ++i) ASSERT_EQ(many[i], view().filling_ids[i % 180]) << i;
}

TEST_F(Run, TextsMayEndWithAZeroByteOrBeCounted) {
  const auto size = static_cast<size_t>(info_.embedding_size);
  Floats whole(2 * size), counted(2 * size);
  const char* const texts[] = {"a bc", "a b"};
  const size_t sizes[] = {3, SIZE_MAX};
  args_.texts = texts;
  args_.text_sizes = sizes;
  args_.n = 2;
  args_.prompt_kind = LFFN_PROMPT_TEXT;
  args_.prompt = "to the";
  args_.prompt_size = 3;
  outputs::List list;
  list.add(LFFN_OUT_EMBEDDINGS, counted);
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(Floats(&counted[0], &counted[size]), Floats(&counted[size], &counted[2 * size]));
  args_.text_sizes = nullptr;
  args_.prompt = "to ";
  args_.prompt_size = SIZE_MAX;
  list = {};
  list.add(LFFN_OUT_EMBEDDINGS, whole);
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(Floats(&whole[size], &whole[2 * size]), Floats(&counted[size], &counted[2 * size]));
  EXPECT_NE(whole, counted);
}

}  // namespace
