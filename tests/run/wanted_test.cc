// SPDX-License-Identifier: Apache-2.0
// What a result holds beyond numbers as the model gives them: places in texts, other forms of embeddings.
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "tests/run/run_fixture.h"

namespace {

TEST_F(Wanted, TellsWhereATextWasCut) {
  args_.max_tokens = 10;
  const outputs::View view = run({long_.c_str(), "x"}, outputs::kSpans);
  EXPECT_EQ(view.uncut, nullptr) << "nobody asked, so nobody read to the end";
  EXPECT_EQ(view.text_begins[0], 0);
  EXPECT_EQ(view.text_ends[0], view.token_ends[view.offsets[1] - 2]);
  EXPECT_LT(view.text_ends[0], static_cast<int64_t>(long_.size()));
  EXPECT_EQ(view.text_ends[1], 1);
  EXPECT_EQ(view.pair_ends[0], 0);
  const Places cut(view.offsets, view.offsets + 3);
  const outputs::View counted = run({long_.c_str(), "x"}, outputs::kUncut);
  EXPECT_EQ(Places(counted.offsets, counted.offsets + 3), cut);
  EXPECT_GT(counted.uncut[0], 40);
  EXPECT_EQ(counted.uncut[1], 3);
}

TEST_F(Wanted, DimensionsBytesAndBits) {
  const std::vector<const char*> texts = {"a cat", "", "another sentence"};
  const Floats whole = embeddings(texts);
  const auto size = static_cast<size_t>(info_.embedding_size);
  args_.dimensions = 11;
  const outputs::View view = run(texts, outputs::kEmbeddings | outputs::kInt8Embeddings | outputs::kBitEmbeddings);
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
  const outputs::View bytes = run(texts, outputs::kInt8Embeddings);
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
  const outputs::View view =
      run({text.c_str()}, outputs::kTokenVectors | outputs::kHidden | outputs::kSpans | outputs::kIds);
  const auto numbers = static_cast<size_t>(view.n_tokens * view.token_vector_size);
  const Floats hidden(view.hidden, view.hidden + numbers);
  EXPECT_EQ(Floats(view.token_vectors, view.token_vectors + numbers), hidden);
  EXPECT_EQ(view.token_texts[0], -1);
  EXPECT_EQ(view.token_texts[1], 0);
  EXPECT_EQ(view.token_texts[view.n_tokens - 1], -1);
  EXPECT_EQ(view.token_ends[view.n_tokens - 2], static_cast<int64_t>(text.size()));
  EXPECT_EQ(view.token_types[0], 0);
  args_.normalize = LFFN_NORMALIZE_YES;
  const outputs::View scaled = run({text.c_str()}, outputs::kTokenVectors);
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
  const outputs::View view = run({"cats"}, outputs::kSpans | outputs::kIds);
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
  const outputs::View windows = run({long_.c_str()}, outputs::kSpans | outputs::kIds);
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
  outputs::keep(args_, outputs::kEmbeddings);
  refused("byte 1 of the text is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  const Floats expected = embeddings({whole.c_str()});
  args_.flags = LFFN_RUN_REPAIR_TEXT;
  EXPECT_EQ(embeddings({broken.c_str()}), expected);
  const outputs::View view = run({broken.c_str()}, outputs::kSpans);
  EXPECT_EQ(view.text_ends[0], static_cast<int64_t>(broken.size()));
  EXPECT_EQ(view.token_ends[view.n_tokens - 2], static_cast<int64_t>(broken.size()));
  int64_t before = 0;
  for (int64_t t = 1; t + 1 < view.n_tokens; ++t) {
    EXPECT_GE(view.token_begins[t], before);
    before = view.token_begins[t];
  }
}

TEST_F(Wanted, CountsAsAnEmbeddingWouldWithoutComputing) {
  const char* const texts[] = {long_.c_str(), "y"};
  double seconds[LFFN_NUM_STAGES] = {};
  int64_t offsets[3] = {};
  args_.texts = texts;
  args_.n = 2;
  args_.max_tokens = 10;
  outputs::List list = {{LFFN_OUT_STAGE_SECONDS, 0, seconds, LFFN_NUM_STAGES}, {LFFN_OUT_EMBEDDINGS, 0, nullptr, 0}};
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_GT(seconds[LFFN_STAGE_ATTENTION], 0);
  list = {{LFFN_OUT_STAGE_SECONDS, 0, seconds, LFFN_NUM_STAGES},
          {LFFN_OUT_TOKEN_OFFSETS, 0, offsets, 3},
          {LFFN_OUT_UNCUT_LENGTHS, 0, nullptr, 0}};
  list.give(args_);
  ASSERT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(seconds[LFFN_STAGE_ATTENTION], 0);
  EXPECT_EQ(offsets[1], 10);
  EXPECT_EQ(offsets[2], 13);
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
  run({}, outputs::kEmbeddings);
  EXPECT_EQ(told.done, std::vector<int64_t>{0});
}

// The first call waits in its progress until the others were refused.
TEST_F(Wanted, AResultIsFilledByOneCall) {
  struct Others {
    lffn_model* model;
    lffn_result* result;
    lffn_model_run_args args;
    std::vector<std::string> messages;
    void expect_refusal(lffn_status status) {
      EXPECT_EQ(status, LFFN_ERROR_INVALID_ARGUMENT);
      messages.push_back(lffn_last_error());
    }
    void ask() {
      expect_refusal(lffn_model_run(model, &args));
      lffn_array array;
      expect_refusal(lffn_result_array(result, LFFN_OUT_EMBEDDINGS, &array));
      lffn_tokenizer* tokenizer = nullptr;
      ASSERT_EQ(lffn_model_tokenizer(model, &tokenizer), LFFN_OK);
      lffn_tokenizer_encode_args tokenize;
      lffn_tokenizer_encode_args_init(&tokenize);
      tokenize.result = result;
      expect_refusal(lffn_tokenizer_encode(tokenizer, &tokenize));
      lffn_tokenizer_decode_args detokenize;
      lffn_tokenizer_decode_args_init(&detokenize);
      detokenize.result = result;
      expect_refusal(lffn_tokenizer_decode(tokenizer, &detokenize));
      lffn_tokenizer_free(tokenizer);
    }
  } others{model_, result_, args_, {}};
  outputs::keep(others.args, outputs::kIds);
  const Floats alone = embeddings({"cats", "dogs"});
  args_.progress = [](int64_t, int64_t, void* user) {
    Others& asking = *static_cast<Others*>(user);
    asking.ask();
    std::thread([&asking] { asking.ask(); }).join();
  };
  args_.progress_user = &others;
  EXPECT_EQ(embeddings({"cats", "dogs"}), alone);
  EXPECT_GE(others.messages.size(), 8u);
  for (const std::string& message : others.messages) {
    EXPECT_NE(message.find("another call is filling result"), std::string::npos) << message;
  }
  args_.progress = nullptr;
  args_.max_tokens = -5;
  refused("max_tokens");  // and it is free again
  args_.max_tokens = 0;
  EXPECT_EQ(embeddings({"cats", "dogs"}), alone);
}

// Whoever looks while others fill sees all that a call gave, or is refused.
TEST_F(Wanted, AnArrayIsNeverTorn) {
  lffn_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(lffn_model_tokenizer(model_, &tokenizer), LFFN_OK);
  const int64_t offsets[] = {0, 0};
  const lffn_output output = {LFFN_OUT_DECODED_OFFSETS, 0, nullptr, 0};
  lffn_tokenizer_decode_args args;
  lffn_tokenizer_decode_args_init(&args);
  args.n = 1;
  args.offsets = offsets;
  args.outputs = &output;
  args.n_outputs = 1;
  args.result = result_;
  const auto fill = [&] { ASSERT_EQ(lffn_tokenizer_decode(tokenizer, &args), LFFN_OK) << lffn_last_error(); };
  fill();
  std::atomic<bool> done{false};
  std::thread filler([&] {
    for (int i = 0; i < 20000; ++i) fill();
    done = true;
  });
  lffn_array array;
  int64_t torn = 0;
  while (!done) {
    if (lffn_result_array(result_, output.what, &array) == LFFN_OK && (array.rows != 2 || array.data == nullptr))
      ++torn;
  }
  filler.join();
  EXPECT_EQ(torn, 0);
  lffn_tokenizer_free(tokenizer);
}

TEST_F(Wanted, TokenizersAndLayersLiveAsLongAsTheirOwners) {
  EXPECT_EQ(lffn_tokenizer_retain(nullptr), nullptr);
  EXPECT_EQ(lffn_layer_retain(nullptr), nullptr);
  const int64_t handles = lffn_live_handles();
  lffn_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(lffn_model_tokenizer(model_, &tokenizer), LFFN_OK);
  lffn_tokenizer* const other = lffn_tokenizer_retain(tokenizer);
  EXPECT_EQ(other, tokenizer);
  lffn_tokenizer_free(tokenizer);
  EXPECT_EQ(lffn_live_handles(), handles + 1);
  int32_t id = -7;
  EXPECT_EQ(lffn_tokenizer_find(other, "x", 1, &id), LFFN_OK);
  lffn_tokenizer_free(other);
  EXPECT_EQ(lffn_live_handles(), handles);

  lffn_layer_config config;
  lffn_layer_config_init(&config);
  config.hidden_size = 8;
  config.num_tables = 2;
  config.table_size = 4;
  config.block_size = 8;
  lffn_layer* layer = nullptr;
  ASSERT_EQ(lffn_layer_create(&config, nullptr, 0, nullptr, &layer), LFFN_OK) << lffn_last_error();
  lffn_layer* const owned = lffn_layer_retain(layer);
  lffn_layer_free(layer);
  EXPECT_EQ(lffn_live_handles(), handles + 1);
  const float x[8] = {1};
  float y[8];
  EXPECT_EQ(lffn_layer_forward(owned, x, 1, y), LFFN_OK);
  lffn_layer_free(owned);
  EXPECT_EQ(lffn_live_handles(), handles);
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
