// SPDX-License-Identifier: Apache-2.0
// Long texts in windows.
#include <cmath>
#include <string>
#include <vector>

#include "tests/run/run_fixture.h"
#include "tests/support/cpu_time.h"

namespace {

TEST_F(Wanted, WindowsCoverATextAndTellWhere) {
  args_.max_tokens = 12;
  args_.windows = LFFN_WINDOWS_EACH;
  args_.stride = 3;
  const std::vector<const char*> texts = {"short", long_.c_str(), ""};
  const outputs::View view =
      run(texts, outputs::kIds | outputs::kEmbeddings | outputs::kSpans | outputs::kUncut | outputs::kStatuses);
  EXPECT_EQ(view.n_texts, 3);
  const Places of_text(view.text_offsets, view.text_offsets + 4);
  EXPECT_EQ(of_text[1], 1);
  ASSERT_GT(of_text[2], 5);
  EXPECT_EQ(of_text[3], of_text[2] + 1);
  ASSERT_EQ(view.n, of_text[3]);
  EXPECT_EQ(view.text_begins[0], 0);
  EXPECT_EQ(view.text_ends[0], 5);

  // Uncut, the same tokens in the same places.
  const Places begins(view.text_begins, view.text_begins + view.n), ends(view.text_ends, view.text_ends + view.n);
  const Places offsets(view.offsets, view.offsets + view.n + 1);
  const std::vector<int32_t> ids(view.ids, view.ids + view.n_tokens);
  const Places token_begins(view.token_begins, view.token_begins + view.n_tokens);
  const Floats all(view.embeddings, view.embeddings + view.n * view.embedding_size);
  const int64_t uncut = view.uncut[1];
  lffn_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(lffn_model_tokenizer(model_, &tokenizer), LFFN_OK);
  std::vector<int32_t> whole(static_cast<size_t>(uncut));
  lffn_tokenizer_encode_args tokenize;
  lffn_tokenizer_encode_args_init(&tokenize);
  tokenize.n = 1;
  tokenize.texts = &texts[1];
  int64_t counted[2] = {};
  outputs::List list = {{LFFN_OUT_TOKEN_OFFSETS, 0, counted, 2}};
  list.add(LFFN_OUT_TOKEN_IDS, whole);
  list.give(tokenize);
  ASSERT_EQ(lffn_tokenizer_encode(tokenizer, &tokenize), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(counted[1], uncut);
  lffn_tokenizer_free(tokenizer);
  const lffn_tokenizer_info special = model_told::tokenizer_of(model_);
  int64_t at = 1;  // behind the token that begins a text
  for (int64_t s = of_text[1]; s < of_text[2]; ++s) {
    const auto w = static_cast<size_t>(s);
    ASSERT_LE(offsets[w + 1] - offsets[w], 12);
    EXPECT_EQ(ids[static_cast<size_t>(offsets[w])], special.bos_id);
    EXPECT_EQ(ids[static_cast<size_t>(offsets[w + 1] - 1)], special.eos_id);
    for (int64_t t = offsets[w] + 1; t < offsets[w + 1] - 1; ++t, ++at) {
      ASSERT_EQ(ids[static_cast<size_t>(t)], whole[static_cast<size_t>(at)]) << s;
    }
    EXPECT_EQ(begins[w], s == of_text[1] ? 0 : token_begins[static_cast<size_t>(offsets[w] + 1)]);
    if (s + 1 < of_text[2]) {
      EXPECT_GT(ends[w], begins[w + 1]) << "they share tokens";
      at -= 3;
    }
  }
  EXPECT_EQ(at, uncut - 1);
  EXPECT_EQ(ends[static_cast<size_t>(of_text[2] - 1)], static_cast<int64_t>(long_.size()));

  // A window's embedding is that of its tokens; their mean is the text's.
  args_.texts = nullptr;
  args_.ids = ids.data();
  args_.offsets = offsets.data();
  args_.n = static_cast<int64_t>(offsets.size()) - 1;
  args_.windows = LFFN_WINDOWS_NONE;
  args_.stride = 0;
  outputs::keep(args_, outputs::kEmbeddings);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  const outputs::View again(result_);
  EXPECT_EQ(Floats(again.embeddings, again.embeddings + all.size()), all);
  args_.ids = nullptr;
  args_.offsets = nullptr;
  args_.windows = LFFN_WINDOWS_MEAN;
  args_.stride = 3;
  const Floats means = embeddings(texts);
  const auto size = static_cast<size_t>(info_.embedding_size);
  ASSERT_EQ(means.size(), 3 * size);
  Floats mean(size);
  double squares = 0;
  for (size_t i = 0; i < size; ++i) {
    for (int64_t s = of_text[1]; s < of_text[2]; ++s) mean[i] += all[static_cast<size_t>(s) * size + i];
    squares += double{mean[i]} * double{mean[i]};
  }
  for (size_t i = 0; i < size; ++i) EXPECT_NEAR(means[size + i], mean[i] / std::sqrt(squares), 1e-5);
  EXPECT_EQ(Floats(means.begin(), means.begin() + info_.embedding_size),
            Floats(all.begin(), all.begin() + info_.embedding_size));

  // The mean has a size that is known before.
  Floats memory(3 * size);
  args_.result = nullptr;
  list = {};
  list.add(LFFN_OUT_EMBEDDINGS, memory);
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(memory, means);
}

TEST_F(Wanted, WindowsOfAPairRepeatTheFirstText) {
  const char* query = "what is it";
  const char* document = long_.c_str();
  args_.pairs = &document;
  args_.windows = LFFN_WINDOWS_EACH;
  args_.stride = LFFN_STRIDE_DEFAULT;
  args_.max_tokens = 24;
  const outputs::View view = run({query}, outputs::kIds | outputs::kSpans | outputs::kClassScores);
  ASSERT_GT(view.n, 2);
  for (int64_t s = 0; s < view.n; ++s) {
    EXPECT_EQ(view.text_begins[s], 0);
    EXPECT_EQ(view.text_ends[s], 10);
    for (int64_t t = 0; t < 4; ++t) EXPECT_EQ(view.ids[view.offsets[s] + t], view.ids[t]);
    if (s > 0) {
      EXPECT_LT(view.pair_begins[s], view.pair_ends[s - 1]);
      EXPECT_GT(view.pair_ends[s], view.pair_ends[s - 1]);
    }
  }
  EXPECT_EQ(view.pair_ends[view.n - 1], static_cast<int64_t>(long_.size()));
  args_.max_tokens = 6;
  refused("the first text has");
}

// Of each window it is asked which bytes it stands for; to answer must not take longer the more windows there are.
TEST_F(Wanted, SpansOfManyWindowsTakeTimeByTheText) {
  std::string text;
  while (text.size() < 600000) text += "a b c d e ";
  const std::vector<const char*> pairs = {text.c_str()};
  args_.windows = LFFN_WINDOWS_EACH;
  args_.stride = LFFN_STRIDE_DEFAULT;
  args_.max_tokens = 32;
  for (const bool has_pair : {false, true}) {
    args_.pairs = has_pair ? pairs.data() : nullptr;
    const char* const whole = has_pair ? "a" : text.c_str();
    const auto seconds = [&](uint32_t wanted) {
      const double begin = lffn::cpu_seconds();
      EXPECT_GT(run({whole}, wanted).n, 10000);
      return lffn::cpu_seconds() - begin;
    };
    seconds(outputs::kIds | outputs::kSpans);  // takes the memory
    const double without = seconds(outputs::kIds);
    EXPECT_LT(seconds(outputs::kIds | outputs::kSpans), 20 * without);
  }
}

TEST_F(Wanted, WindowsThatCannotBeMeant) {
  const char* text = long_.c_str();
  args_.texts = &text;
  args_.n = 1;
  outputs::keep(args_, outputs::kEmbeddings);
  args_.stride = 2;
  refused("stride is given, but windows are not wanted");
  args_.windows = LFFN_WINDOWS_MEAN + 1;
  refused("windows is 3");
  args_.windows = LFFN_WINDOWS_EACH;
  args_.stride = -2;
  refused("stride is -2");
  args_.max_tokens = 12;
  for (const int64_t stride : {int64_t{10}, int64_t{1} << 31, INT64_MAX}) {
    args_.stride = stride;
    refused("stride is " + std::to_string(stride) + ", a window has only 10 tokens");
  }
  args_.stride = INT64_MIN;
  refused("stride is -9223372036854775808");
  args_.stride = 0;
  args_.max_tokens = LFFN_MAX_TOKENS_NEVER;
  refused("max_tokens, their size, is LFFN_MAX_TOKENS_NEVER");
  args_.max_tokens = 12;
  args_.stride = 0;
  float out[1];
  args_.result = nullptr;
  outputs::List list = {{LFFN_OUT_EMBEDDINGS, 0, out, 1}};
  list.give(args_);
  refused("embeddings: capacity is 1", LFFN_ERROR_TOO_SMALL);
  args_.windows = LFFN_WINDOWS_MEAN;
  refused("embeddings: capacity is 1", LFFN_ERROR_TOO_SMALL);
  const int32_t id = 5;
  const int64_t offsets[] = {0, 1};
  args_.texts = nullptr;
  args_.ids = &id;
  args_.offsets = offsets;
  refused("windows are wanted, but no texts are given");
  args_.windows = LFFN_WINDOWS_NONE;
  args_.result = result_;
  outputs::keep(args_, outputs::kSpans);
  refused("places in texts are asked for, but no texts are given");
}

}  // namespace
