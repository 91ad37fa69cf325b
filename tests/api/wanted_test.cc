// SPDX-License-Identifier: Apache-2.0
// What a result holds beyond numbers as the model gives them: windows, places in texts, other forms of embeddings.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"

namespace {

using Floats = std::vector<float>;
using Places = std::vector<int64_t>;

class Wanted : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(lffn_model_load(LFFN_MODEL_DATA "/model-lookup", nullptr, &model_), LFFN_OK) << lffn_last_error();
    lffn_model_info_init(&info_);
    ASSERT_EQ(lffn_model_get_info(model_, &info_), LFFN_OK);
    ASSERT_EQ(lffn_result_create(&result_), LFFN_OK);
    for (int i = 0; i < 40; ++i) long_ += "word" + std::to_string(i) + " and ";
    lffn_model_run_args_init(&args_);
    args_.result = result_;
  }
  void TearDown() override {
    lffn_result_free(result_);
    lffn_model_free(model_);
    EXPECT_EQ(lffn_live_handles(), 0);
  }
  lffn_result_view run(const std::vector<const char*>& texts, uint32_t wanted) {
    texts_ = texts;
    args_.texts = texts_.data();
    args_.n = static_cast<int64_t>(texts_.size());
    args_.wanted = wanted;
    EXPECT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
    lffn_result_view view;
    lffn_result_view_init(&view);
    EXPECT_EQ(lffn_result_get(result_, &view), LFFN_OK);
    return view;
  }
  Floats embeddings(const std::vector<const char*>& texts) {
    const lffn_result_view view = run(texts, LFFN_WANT_EMBEDDINGS);
    return Floats(view.embeddings, view.embeddings + static_cast<int64_t>(texts.size()) * view.embedding_size);
  }
  void refused(const std::string& part, lffn_status status = LFFN_ERROR_INVALID_ARGUMENT) {
    EXPECT_EQ(lffn_model_run(model_, &args_), status);
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error();
  }

  lffn_model* model_ = nullptr;
  lffn_result* result_ = nullptr;
  lffn_model_info info_;
  lffn_model_run_args args_;
  std::vector<const char*> texts_;
  std::string long_;
};

TEST_F(Wanted, WindowsCoverATextAndTellWhere) {
  args_.max_tokens = 12;
  args_.windows = LFFN_WINDOWS_EACH;
  args_.stride = 3;
  const std::vector<const char*> texts = {"short", long_.c_str(), ""};
  const lffn_result_view view =
      run(texts, LFFN_WANT_IDS | LFFN_WANT_EMBEDDINGS | LFFN_WANT_SPANS | LFFN_WANT_UNCUT | LFFN_WANT_STATUSES);
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
  int64_t count = 0;
  lffn_tokenize_args tokenize;
  lffn_tokenize_args_init(&tokenize);
  tokenize.text = long_.c_str();
  tokenize.ids = whole.data();
  tokenize.capacity = uncut;
  tokenize.n_ids = &count;
  ASSERT_EQ(lffn_tokenizer_encode(tokenizer, &tokenize), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(count, uncut);
  lffn_tokenizer_free(tokenizer);
  int64_t at = 1;  // behind the token that begins a text
  for (int64_t s = of_text[1]; s < of_text[2]; ++s) {
    const auto w = static_cast<size_t>(s);
    ASSERT_LE(offsets[w + 1] - offsets[w], 12);
    EXPECT_EQ(ids[static_cast<size_t>(offsets[w])], info_.bos_id);
    EXPECT_EQ(ids[static_cast<size_t>(offsets[w + 1] - 1)], info_.eos_id);
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
  args_.wanted = LFFN_WANT_EMBEDDINGS;
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  lffn_result_view again;
  lffn_result_view_init(&again);
  ASSERT_EQ(lffn_result_get(result_, &again), LFFN_OK);
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
  args_.wanted = 0;
  args_.embeddings = memory.data();
  args_.embeddings_capacity = static_cast<int64_t>(memory.size());
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
  const lffn_result_view view = run({query}, LFFN_WANT_IDS | LFFN_WANT_SPANS | LFFN_WANT_CLASS_SCORES);
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

TEST_F(Wanted, WindowsThatCannotBeMeant) {
  const char* text = long_.c_str();
  args_.texts = &text;
  args_.n = 1;
  args_.wanted = LFFN_WANT_EMBEDDINGS;
  args_.stride = 2;
  refused("stride is given, but windows are not wanted");
  args_.windows = LFFN_WINDOWS_MEAN + 1;
  refused("windows is 3");
  args_.windows = LFFN_WINDOWS_EACH;
  args_.stride = -2;
  refused("stride is -2");
  args_.stride = 10;
  args_.max_tokens = 12;
  refused("stride is 10, a window has only 10 tokens");
  args_.max_tokens = LFFN_MAX_TOKENS_NEVER;
  refused("max_tokens, their size, is LFFN_MAX_TOKENS_NEVER");
  args_.max_tokens = 12;
  args_.stride = 0;
  float out[1];
  args_.result = nullptr;
  args_.wanted = 0;
  args_.embeddings = out;
  args_.embeddings_capacity = 1;
  refused("needs a result");
  args_.windows = LFFN_WINDOWS_MEAN;
  refused("embeddings_capacity is 1", LFFN_ERROR_TOO_SMALL);
  args_.embeddings = nullptr;
  args_.hidden = out;
  refused("needs a result");
  const int32_t id = 5;
  const int64_t offsets[] = {0, 1};
  args_.hidden = nullptr;
  args_.texts = nullptr;
  args_.ids = &id;
  args_.offsets = offsets;
  refused("windows are wanted, but of no texts");
  args_.windows = LFFN_WINDOWS_NONE;
  args_.result = result_;
  args_.wanted = LFFN_WANT_SPANS;
  refused("spans of texts are wanted, but no texts are given");
  args_.wanted = LFFN_WANT_BIT_EMBEDDINGS << 1;
  refused("wanted is");
}

TEST_F(Wanted, TellsWhereATextWasCut) {
  args_.max_tokens = 10;
  const lffn_result_view view = run({long_.c_str(), "x"}, LFFN_WANT_SPANS);
  EXPECT_EQ(view.uncut, nullptr) << "nobody asked, so nobody read to the end";
  EXPECT_EQ(view.text_offsets, nullptr);
  EXPECT_EQ(view.text_begins[0], 0);
  EXPECT_EQ(view.text_ends[0], view.token_ends[view.offsets[1] - 2]);
  EXPECT_LT(view.text_ends[0], static_cast<int64_t>(long_.size()));
  EXPECT_EQ(view.text_ends[1], 1);
  EXPECT_EQ(view.pair_ends[0], 0);
  const Places cut(view.offsets, view.offsets + 3);
  const lffn_result_view counted = run({long_.c_str(), "x"}, LFFN_WANT_UNCUT);
  EXPECT_EQ(Places(counted.offsets, counted.offsets + 3), cut);
  EXPECT_GT(counted.uncut[0], 40);
  EXPECT_EQ(counted.uncut[1], 3);
}

TEST_F(Wanted, DimensionsBytesAndBits) {
  const std::vector<const char*> texts = {"a cat", "", "another sentence"};
  const Floats whole = embeddings(texts);
  const auto size = static_cast<size_t>(info_.embedding_size);
  args_.dimensions = 11;
  const lffn_result_view view = run(texts, LFFN_WANT_EMBEDDINGS | LFFN_WANT_INT8_EMBEDDINGS | LFFN_WANT_BIT_EMBEDDINGS);
  ASSERT_EQ(view.embedding_size, 11);
  for (size_t r = 0; r < 3; ++r) {
    double squares = 0;
    for (size_t i = 0; i < 11; ++i) squares += double{whole[r * size + i]} * double{whole[r * size + i]};
    for (size_t i = 0; i < 11; ++i) {
      const float value = view.embeddings[r * 11 + i];
      EXPECT_NEAR(value, whole[r * size + i] / std::sqrt(squares), 1e-6);
      EXPECT_NEAR(view.int8_embeddings[r * 11 + i] * view.embedding_scales[r], value, view.embedding_scales[r] * 0.51f);
      EXPECT_EQ(view.bit_embeddings[r * 2 + i / 8] >> (7 - i % 8) & 1, value > 0 ? 1 : 0);
    }
    EXPECT_EQ(view.bit_embeddings[r * 2 + 1] & 0x1F, 0);
  }
  // Unscaled the first numbers are the same, and bytes need no floats beside them.
  args_.normalize = LFFN_NORMALIZE_NO;
  args_.dimensions = 0;
  const Floats plain = embeddings(texts);
  args_.dimensions = info_.embedding_size - 1;
  const Floats less = embeddings(texts);
  for (size_t i = 0; i < size - 1; ++i) EXPECT_EQ(less[size - 1 + i], plain[size + i]);
  const lffn_result_view bytes = run(texts, LFFN_WANT_INT8_EMBEDDINGS);
  EXPECT_EQ(bytes.embeddings, nullptr);
  EXPECT_EQ(bytes.bit_embeddings, nullptr);
  EXPECT_NE(bytes.int8_embeddings, nullptr);
  args_.dimensions = info_.embedding_size + 1;
  refused("dimensions is ");
  args_.dimensions = -1;
  refused("dimensions is -1");
}

TEST_F(Wanted, TokenVectorsWithTheirPlaces) {
  EXPECT_EQ(info_.token_vector_size, info_.hidden_size);
  const std::string text = "two  words";
  const lffn_result_view view =
      run({text.c_str()}, LFFN_WANT_TOKEN_VECTORS | LFFN_WANT_HIDDEN | LFFN_WANT_SPANS | LFFN_WANT_IDS);
  const auto numbers = static_cast<size_t>(view.n_tokens * view.token_vector_size);
  const Floats hidden(view.hidden, view.hidden + numbers);
  EXPECT_EQ(Floats(view.token_vectors, view.token_vectors + numbers), hidden);
  EXPECT_EQ(view.token_texts[0], -1);
  EXPECT_EQ(view.token_texts[1], 0);
  EXPECT_EQ(view.token_texts[view.n_tokens - 1], -1);
  EXPECT_EQ(view.token_ends[view.n_tokens - 2], static_cast<int64_t>(text.size()));
  EXPECT_EQ(view.token_types[0], 0);
  args_.normalize = LFFN_NORMALIZE_YES;
  const lffn_result_view scaled = run({text.c_str()}, LFFN_WANT_TOKEN_VECTORS);
  for (int64_t t = 0; t < scaled.n_tokens; ++t) {
    double squares = 0;
    for (int64_t i = 0; i < scaled.token_vector_size; ++i) {
      const double number = scaled.token_vectors[t * scaled.token_vector_size + i];
      squares += number * number;
    }
    EXPECT_NEAR(squares, 1, 1e-5);
  }
}

TEST_F(Wanted, APromptHasNoPlaceInTheText) {
  args_.prompt_kind = LFFN_PROMPT_TEXT;
  args_.prompt = "query: ";
  const lffn_result_view view = run({"cats"}, LFFN_WANT_SPANS | LFFN_WANT_IDS);
  int64_t of_text = 0;
  for (int64_t t = 0; t < view.n_tokens; ++t) {
    if (view.token_texts[t] < 0) continue;
    if (of_text++ == 0) {
      EXPECT_EQ(view.token_begins[t], 0);
    }
    EXPECT_LE(view.token_ends[t], 4);
  }
  EXPECT_GT(of_text, 0);
  EXPECT_EQ(view.text_ends[0], 4);
  const Places offsets(view.offsets, view.offsets + 2);

  // In windows each has the prompt.
  args_.windows = LFFN_WINDOWS_EACH;
  args_.max_tokens = 16;
  const lffn_result_view windows = run({long_.c_str()}, LFFN_WANT_SPANS | LFFN_WANT_IDS);
  ASSERT_GT(windows.n, 2);
  for (int64_t s = 1; s < windows.n; ++s) {
    for (int64_t t = 0; windows.token_texts[t] < 0; ++t) {
      EXPECT_EQ(windows.ids[windows.offsets[s] + t], windows.ids[t]);
      EXPECT_EQ(windows.token_texts[windows.offsets[s] + t], -1);
    }
  }
  args_.windows = LFFN_WINDOWS_NONE;
  args_.prompt = nullptr;
  // This model has no prompts, so that these are none.
  for (const int32_t kind : {LFFN_PROMPT_QUERY, LFFN_PROMPT_DOCUMENT}) {
    args_.prompt_kind = kind;
    const Floats with = embeddings({"cats"});
    args_.prompt_kind = LFFN_PROMPT_NONE;
    EXPECT_EQ(embeddings({"cats"}), with);
  }
  args_.prompt_kind = LFFN_PROMPT_DOCUMENT + 1;
  refused("prompt_kind is 6");
}

TEST_F(Wanted, BrokenTextIsRepairedWhereAsked) {
  const std::string broken =
                        "a\xff"
                        "b \xe2\x82 c",
                    whole =
                        "a\xef\xbf\xbd"
                        "b \xef\xbf\xbd c";
  const char* text = broken.c_str();
  args_.texts = &text;
  args_.n = 1;
  args_.wanted = LFFN_WANT_EMBEDDINGS;
  refused("byte 1 of the text is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  const Floats expected = embeddings({whole.c_str()});
  args_.flags = LFFN_RUN_REPAIR_TEXT;
  EXPECT_EQ(embeddings({broken.c_str()}), expected);
  const lffn_result_view view = run({broken.c_str()}, LFFN_WANT_SPANS);
  EXPECT_EQ(view.text_ends[0], static_cast<int64_t>(broken.size()));
  EXPECT_EQ(view.token_ends[view.n_tokens - 2], static_cast<int64_t>(broken.size()));
  int64_t before = 0;
  for (int64_t t = 1; t + 1 < view.n_tokens; ++t) {
    EXPECT_GE(view.token_begins[t], before);
    before = view.token_begins[t];
  }
}

TEST_F(Wanted, CountsAsAnEmbeddingWouldWithoutComputing) {
  double seconds[LFFN_NUM_STAGES] = {};
  args_.seconds = seconds;
  args_.max_tokens = 10;
  const Floats computed = embeddings({long_.c_str(), "y"});
  EXPECT_GT(seconds[LFFN_STAGE_ATTENTION], 0);
  const lffn_result_view view = run({long_.c_str(), "y"}, LFFN_WANT_UNCUT);
  EXPECT_EQ(seconds[LFFN_STAGE_ATTENTION], 0);
  EXPECT_EQ(view.offsets[1], 10);
  EXPECT_EQ(view.offsets[2], 13);
}

TEST_F(Wanted, ProgressEndsWithAll) {
  struct Told {
    std::vector<int64_t> done;
    int64_t n = 0;
  } told;
  args_.progress = [](int64_t done, int64_t n, void* user) {
    static_cast<Told*>(user)->done.push_back(done);
    static_cast<Told*>(user)->n = n;
  };
  args_.progress_user = &told;
  const std::vector<const char*> texts(600, long_.c_str());
  embeddings(texts);
  EXPECT_EQ(told.n, 600);
  ASSERT_GT(told.done.size(), 1u) << "more than one part of the work";
  for (size_t i = 1; i < told.done.size(); ++i) EXPECT_GT(told.done[i], told.done[i - 1]);
  EXPECT_EQ(told.done.back(), 600);
  told = {};
  args_.windows = LFFN_WINDOWS_MEAN;
  args_.max_tokens = 20;
  embeddings(texts);
  for (size_t i = 1; i < told.done.size(); ++i) EXPECT_GT(told.done[i], told.done[i - 1]);
  EXPECT_EQ(told.done.back(), 600);
  told = {};
  run({}, LFFN_WANT_EMBEDDINGS);
  EXPECT_EQ(told.done, std::vector<int64_t>{0});
}

TEST_F(Wanted, AModelLivesAsLongAsItsOwners) {
  EXPECT_EQ(lffn_model_retain(nullptr), nullptr);
  const int64_t handles = lffn_live_handles();
  lffn_model* const other = lffn_model_retain(model_);
  EXPECT_EQ(other, model_);
  EXPECT_EQ(lffn_live_handles(), handles);
  const Floats expected = embeddings({"x"});
  lffn_model_free(model_);
  model_ = other;
  EXPECT_EQ(lffn_live_handles(), handles);
  EXPECT_EQ(embeddings({"x"}), expected);
}

}  // namespace
