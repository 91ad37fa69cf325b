// SPDX-License-Identifier: Apache-2.0
// Texts and arguments that lffn_model_run refuses, cuts or leaves out.
#include <string>
#include <vector>

#include "tests/run/run_fixture.h"

namespace {

TEST_F(Run, ATextHasItsReason) {
  const std::string text(2000, 'z');
  const char* const texts[] = {"fine", nullptr, "\xff", text.c_str()};
  args_.texts = texts;
  args_.n = 4;
  args_.max_tokens = LFFN_MAX_TOKENS_NEVER;
  args_.result = result_;
  outputs::keep(args_, outputs::kEmbeddings | outputs::kStatuses);
  lffn_model_run_args none = args_;
  none.top_k = -1;
  outputs::keep(none, outputs::kFillings);
  EXPECT_EQ(lffn_model_run(model_, &none), LFFN_ERROR_INVALID_ARGUMENT);
  const std::string before = lffn_last_error();
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(lffn_last_error(), before) << "a call that succeeds is no failure";
  const outputs::View seen = view();
  EXPECT_EQ(std::vector<lffn_status>(seen.statuses, seen.statuses + 4),
            (std::vector<lffn_status>{LFFN_OK, LFFN_ERROR_NULL_TEXT, LFFN_ERROR_BAD_TEXT, LFFN_ERROR_TOO_LONG}));
  EXPECT_STREQ(seen.messages[0], "");
  EXPECT_STREQ(seen.messages[1], "the text is NULL");
  EXPECT_STREQ(seen.messages[2], "byte 0 of the text is not valid UTF-8");
  EXPECT_EQ(std::string(seen.messages[3]).rfind("the text has 2002 tokens", 0), 0u) << seen.messages[3];
}

TEST_F(Run, TooLittleRoomTellsHowMuchIsNeeded) {
  Places uncut(3, -1);
  Floats hidden(4096, 7.0f);
  outputs::List list = {{LFFN_OUT_HIDDEN, 0, hidden.data(), 5}, {LFFN_OUT_TOKEN_IDS, 0, nullptr, 0}};
  list.add(LFFN_OUT_UNCUT_LENGTHS, uncut);
  list.give(args_);
  args_.result = result_;
  refused("hidden: capacity is 5, expected ", LFFN_ERROR_TOO_SMALL);
  EXPECT_EQ(uncut, Places(3, -1)) << "nothing is written";
  EXPECT_EQ(hidden, Floats(4096, 7.0f));
  lffn_array array;
  ASSERT_EQ(lffn_result_array(result_, LFFN_OUT_HIDDEN, &array), LFFN_OK);
  EXPECT_EQ(array.columns, info_.hidden_size);
  EXPECT_EQ(array.data, nullptr);
  const int64_t tokens = array.rows;
  EXPECT_GT(tokens, 3);
  ASSERT_EQ(lffn_result_array(result_, LFFN_OUT_TOKEN_IDS, &array), LFFN_OK);
  EXPECT_EQ(array.rows, tokens);
  EXPECT_EQ(array.data, nullptr) << "of those too that have room";
  hidden.resize(static_cast<size_t>(tokens * info_.hidden_size));
  list = {{LFFN_OUT_HIDDEN, 0, hidden.data(), tokens * info_.hidden_size}};
  list.give(args_);
  EXPECT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
}

TEST_F(Run, OneBadTextNeedNotFailABatch) {
  texts_[1] = "\xff";
  Floats embeddings(3 * static_cast<size_t>(info_.embedding_size), 7.0f), alone(embeddings.size() / 3);
  outputs::List list;
  list.add(LFFN_OUT_EMBEDDINGS, embeddings);
  list.give(args_);
  refused("texts[1]: byte 0 of the text is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  lffn_status statuses[3] = {-1, -1, -1};
  list.add(LFFN_OUT_STATUSES, statuses, 3);
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(statuses[0], LFFN_OK);
  EXPECT_EQ(statuses[1], LFFN_ERROR_BAD_TEXT);
  EXPECT_EQ(statuses[2], LFFN_OK);
  const auto size = static_cast<size_t>(info_.embedding_size);
  for (size_t i = 0; i < size; ++i) EXPECT_EQ(embeddings[size + i], 0.0f);
  ASSERT_EQ(lffn_model_embed_texts(model_, &texts_[2], nullptr, 1, 0, alone.data(), info_.embedding_size), LFFN_OK);
  EXPECT_EQ(alone, Floats(&embeddings[2 * size], &embeddings[3 * size]));
}

TEST_F(Run, AResultMayTellOfBadTexts) {
  texts_[1] = "\xff";
  args_.result = result_;
  outputs::keep(args_, outputs::kEmbeddings);
  refused("texts[1]: byte 0 of the text is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  outputs::keep(args_, outputs::kEmbeddings | outputs::kStatuses);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  const outputs::View seen = view();
  EXPECT_EQ(std::vector<lffn_status>(seen.statuses, seen.statuses + 3),
            (std::vector<lffn_status>{LFFN_OK, LFFN_ERROR_BAD_TEXT, LFFN_OK}));
  EXPECT_STREQ(seen.messages[0], "");
  EXPECT_STREQ(seen.messages[1], "byte 0 of the text is not valid UTF-8");
  EXPECT_EQ(seen.offsets[1], seen.offsets[2]) << "it has no tokens";
  EXPECT_EQ(seen.embeddings[info_.embedding_size], 0.0f);
  args_.n = 1;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(view().statuses[0], LFFN_OK);
}

TEST_F(Run, DocumentsAreCalledSo) {
  const char* queries[] = {"a fox", "a fox", "a fox"};
  const char* documents[] = {"the quick fox", nullptr, "the slow \xff fox"};
  args_.texts = queries;
  args_.pairs = documents;
  args_.result = result_;
  outputs::keep(args_, outputs::kIds);
  refused("texts[2]: byte 9 of the pair is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  args_.flags = LFFN_RUN_DOCUMENTS;
  refused("document 2: byte 9 of the document is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  outputs::keep(args_, outputs::kIds | outputs::kStatuses | outputs::kClassScores);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_STREQ(view().messages[2], "byte 9 of the document is not valid UTF-8");
  const Floats scores(view().class_scores, view().class_scores + 2 * info_.num_classes);
  args_.flags = 0;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(Floats(view().class_scores, view().class_scores + 2 * info_.num_classes), scores);
  outputs::keep(args_, outputs::kIds);
  args_.flags = LFFN_RUN_DOCUMENTS;
  queries[0] = nullptr;
  refused("document 0: the query is NULL", LFFN_ERROR_NULL_TEXT);
  args_.pairs = nullptr;
  refused("document 0: the document is NULL", LFFN_ERROR_NULL_TEXT);
}

TEST_F(Run, CutsAsTheModelMeansUnlessToldOtherwise) {
  const std::string text(2000, 'z');
  texts_[1] = text.c_str();
  std::vector<int64_t> offsets(4), uncut(3);
  outputs::List list;
  list.add(LFFN_OUT_TOKEN_OFFSETS, offsets);
  list.add(LFFN_OUT_UNCUT_LENGTHS, uncut);
  list.give(args_);
  args_.max_tokens = LFFN_MAX_TOKENS_NEVER;
  refused("texts[1]: the text has 2002 tokens, the model can run at most " + std::to_string(info_.max_tokens),
          LFFN_ERROR_TOO_LONG);
  const char* pairs[] = {nullptr, "b", nullptr};
  args_.pairs = pairs;
  refused("texts[1]: the text and its pair have 200", LFFN_ERROR_TOO_LONG);
  lffn_model_run_args_init(&args_);
  EXPECT_EQ(args_.max_tokens, LFFN_MAX_TOKENS_MODEL);
  args_.texts = texts_;
  args_.n = 3;
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(offsets[2] - offsets[1], info_.own_max_tokens);
  EXPECT_EQ(uncut[1], 2002);
  args_.max_tokens = 1000;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(offsets[2] - offsets[1], info_.max_tokens) << "never more than it can run";
  args_.max_tokens = 9;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(offsets[2] - offsets[1], 9);
  EXPECT_EQ(uncut[1], 2002);
  args_.max_tokens = 1;
  refused("the special ones alone are 2");
  args_.max_tokens = -2;
  refused("max_tokens is -2");
}

TEST_F(Run, RefusesWhatCannotBeMeant) {
  const int32_t id = 5;
  const int64_t offsets[2] = {0, 1};
  args_.ids = &id;
  refused("texts and ids are given");
  args_.ids = nullptr;
  outputs::keep(args_, outputs::kHidden);
  refused("has no data, and the call has no result that could keep it");
  args_.result = result_;
  outputs::keep(args_, outputs::kFillings);
  refused("top_k is 0");
  outputs::keep(args_, 0);
  args_.flags = 16;
  refused("flags is 0x10");
  args_.flags = 0;
  args_.prompt_kind = 9;
  refused("prompt_kind is 9");
  args_.prompt_kind = LFFN_PROMPT_NAMED;
  refused("prompt is NULL");
  args_.prompt = "query";
  refused("prompt");
  args_.prompt_kind = LFFN_PROMPT_MODEL;
  refused("prompt is given, but prompt_kind is 0");
  args_.prompt = nullptr;
  args_.reading = 2;
  refused("reading is 2");
  args_.reading = LFFN_READING_MODEL;
  args_.n_logit_positions = -3;
  refused("n_logit_positions is -3");
  args_.n_logit_positions = 0;
  args_.token_types = &id;
  refused("token_types are given, but no ids");
  args_.token_types = nullptr;
  args_.num_threads = -1;
  refused("num_threads is -1");
  args_.num_threads = 0;
  args_.pairs = texts_;
  args_.texts = nullptr;
  refused("pairs are given, but no texts");
  args_.pairs = nullptr;
  args_.texts = nullptr;
  args_.n = 1;
  args_.ids = &id;
  args_.offsets = offsets;
  const int32_t type = info_.num_token_types;
  args_.token_types = &type;
  if (type > 0) refused("token_types[0] is " + std::to_string(type));
  EXPECT_EQ(view().n, 0) << "a failed call leaves an empty result";
}

TEST_F(Run, APromptGoesBeforeTheText) {
  const char* whole = "query: x";
  const char* text = "x";
  const auto size = static_cast<size_t>(info_.embedding_size);
  Floats expected(size), found(size);
  ASSERT_EQ(lffn_model_embed_texts(model_, &whole, nullptr, 1, 0, expected.data(), info_.embedding_size), LFFN_OK);
  args_.texts = &text;
  args_.n = 1;
  args_.prompt_kind = LFFN_PROMPT_TEXT;
  args_.prompt = "query: ";
  outputs::List list;
  list.add(LFFN_OUT_EMBEDDINGS, found);
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(found, expected);
}

TEST_F(Run, NothingToRun) {
  args_.n = 0;
  args_.texts = nullptr;
  args_.result = result_;
  outputs::keep(args_, outputs::kEmbeddings | outputs::kIds);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(view().n_tokens, 0);
}

}  // namespace
