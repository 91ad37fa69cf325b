// SPDX-License-Identifier: Apache-2.0
// Texts and arguments that lffn_model_run refuses, cuts or leaves out.
#include <string>
#include <vector>

#include "tests/api/run_fixture.h"

namespace {

TEST_F(Run, ATextHasItsReason) {
  const std::string text(2000, 'z');
  const char* const texts[] = {"fine", nullptr, "\xff", text.c_str()};
  args_.texts = texts;
  args_.n = 4;
  args_.max_tokens = LFFN_MAX_TOKENS_NEVER;
  args_.result = result_;
  args_.wanted = LFFN_WANT_EMBEDDINGS | LFFN_WANT_STATUSES;
  lffn_model_run_args none = args_;
  none.top_k = -1;
  none.wanted |= LFFN_WANT_FILLINGS;
  EXPECT_EQ(lffn_model_run(model_, &none), LFFN_ERROR_INVALID_ARGUMENT);
  const std::string before = lffn_last_error();
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(lffn_last_error(), before) << "a call that succeeds is no failure";
  const lffn_result_view seen = view();
  EXPECT_EQ(std::vector<lffn_status>(seen.statuses, seen.statuses + 4),
            (std::vector<lffn_status>{LFFN_OK, LFFN_ERROR_NULL_TEXT, LFFN_ERROR_BAD_TEXT, LFFN_ERROR_TOO_LONG}));
  EXPECT_STREQ(seen.messages[0], "");
  EXPECT_STREQ(seen.messages[1], "the text is NULL");
  EXPECT_STREQ(seen.messages[2], "byte 0 of the text is not valid UTF-8");
  EXPECT_EQ(std::string(seen.messages[3]).rfind("the text has 2002 tokens", 0), 0u) << seen.messages[3];
}

TEST_F(Run, TooLittleRoomTellsHowMuchIsNeeded) {
  std::vector<int64_t> offsets(4, -1), uncut(3, -1);
  int64_t masks = -1;
  lffn_status statuses[3] = {-1, -1, -1};
  Floats hidden(4096, 7.0f);
  args_.hidden = hidden.data();
  args_.hidden_capacity = 5;
  args_.offsets_out = offsets.data();
  args_.uncut = uncut.data();
  args_.n_masks = &masks;
  args_.statuses = statuses;
  refused("hidden_capacity is 5, the result has ", LFFN_ERROR_TOO_SMALL);
  EXPECT_GT(offsets[3], 0);
  EXPECT_EQ(uncut[0], offsets[1]);
  EXPECT_EQ(masks, 3);
  EXPECT_EQ(statuses[2], LFFN_OK);
  EXPECT_EQ(hidden, Floats(4096, 7.0f)) << "nothing is computed";
  args_.hidden_capacity = offsets[3] * info_.hidden_size;
  hidden.resize(static_cast<size_t>(args_.hidden_capacity));
  args_.hidden = hidden.data();
  EXPECT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
}

TEST_F(Run, OneBadTextNeedNotFailABatch) {
  texts_[1] = "\xff";
  Floats embeddings(3 * static_cast<size_t>(info_.embedding_size), 7.0f), alone(embeddings.size() / 3);
  args_.embeddings = embeddings.data();
  args_.embeddings_capacity = static_cast<int64_t>(embeddings.size());
  refused("texts[1]: byte 0 of the text is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  lffn_status statuses[3] = {-1, -1, -1};
  args_.statuses = statuses;
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
  args_.wanted = LFFN_WANT_EMBEDDINGS;
  refused("texts[1]: byte 0 of the text is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  args_.wanted |= LFFN_WANT_STATUSES;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  const lffn_result_view seen = view();
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
  args_.wanted = LFFN_WANT_IDS;
  refused("texts[2]: byte 9 of the pair is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  args_.flags = LFFN_RUN_DOCUMENTS;
  refused("document 2: byte 9 of the document is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  args_.wanted |= LFFN_WANT_STATUSES | LFFN_WANT_CLASS_SCORES;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_STREQ(view().messages[2], "byte 9 of the document is not valid UTF-8");
  const Floats scores(view().class_scores, view().class_scores + 2 * info_.num_classes);
  args_.flags = 0;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(Floats(view().class_scores, view().class_scores + 2 * info_.num_classes), scores);
  args_.wanted = LFFN_WANT_IDS;
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
  args_.offsets_out = offsets.data();
  args_.uncut = uncut.data();
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
  args_.offsets_out = offsets.data();
  args_.uncut = uncut.data();
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
  args_.wanted = LFFN_WANT_HIDDEN;
  refused("result is NULL");
  args_.result = result_;
  args_.wanted = 1u << 30;
  refused("wanted is 0x40000000");
  args_.wanted = LFFN_WANT_FILLINGS;
  refused("top_k is 0");
  args_.wanted = 0;
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
  args_.n_positions = -3;
  refused("n_positions is -3");
  args_.n_positions = 0;
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
  args_.embeddings = found.data();
  args_.embeddings_capacity = static_cast<int64_t>(size);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(found, expected);
}

TEST_F(Run, NothingToRun) {
  args_.n = 0;
  args_.texts = nullptr;
  args_.result = result_;
  args_.wanted = LFFN_WANT_EMBEDDINGS | LFFN_WANT_IDS;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(view().n_tokens, 0);
}

}  // namespace
