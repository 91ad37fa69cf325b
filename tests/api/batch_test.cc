// SPDX-License-Identifier: Apache-2.0
// A tokenizer's batches against its single calls.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/support/outputs.h"
#include "tests/support/short_calls.h"

namespace {

class Batch : public testing::Test {
 protected:
  void SetUp() override {
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.num_threads = 3;
    ASSERT_EQ(lffn_tokenizer_load(LFFN_MODEL_DATA "/model-lookup", &options, &tokenizer_), LFFN_OK)
        << lffn_last_error();
    ASSERT_EQ(lffn_result_create(&result_), LFFN_OK);
    for (int i = 0; i < 200; ++i) {
      std::string text = i % 7 == 0 ? "" : "text " + std::to_string(i);
      for (int j = 0; j < i % 13; ++j) text += " na\u00efve <mask>";
      texts_.push_back(text);
    }
    for (const std::string& text : texts_) pointers_.push_back(text.c_str());
    lffn_tokenizer_encode_args_init(&args_);
    args_.n = static_cast<int64_t>(texts_.size());
    args_.texts = pointers_.data();
    args_.result = result_;
  }
  void TearDown() override {
    lffn_result_free(result_);
    lffn_tokenizer_free(tokenizer_);
    EXPECT_EQ(lffn_live_handles(), 0);
  }
  outputs::View encode(uint32_t groups = 0) {
    outputs::keep(args_, outputs::kIds | groups);
    EXPECT_EQ(lffn_tokenizer_encode(tokenizer_, &args_), LFFN_OK) << lffn_last_error();
    return outputs::View(result_);
  }
  void refused(const std::string& part, lffn_status status = LFFN_ERROR_INVALID_ARGUMENT) {
    outputs::keep(args_, outputs::kIds);
    EXPECT_EQ(lffn_tokenizer_encode(tokenizer_, &args_), status);
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error();
  }

  lffn_tokenizer* tokenizer_ = nullptr;
  lffn_result* result_ = nullptr;
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
  lffn_tokenizer_encode_args args_;
};

TEST_F(Batch, EachTextAsAlone) {
  std::vector<const char*> pairs(pointers_.rbegin(), pointers_.rend());
  pairs[5] = nullptr;
  args_.pairs = pairs.data();
  args_.max_tokens = 20;
  const outputs::View view = encode(outputs::kSpans | outputs::kUncut | outputs::kStatuses);
  ASSERT_EQ(view.n, args_.n);
  for (int64_t i = 0; i < args_.n; ++i) {
    std::vector<int32_t> ids(20), types(20);
    std::vector<int64_t> begins(20), ends(20);
    int64_t offsets[2] = {}, uncut = 0;
    lffn_tokenizer_encode_args alone;
    lffn_tokenizer_encode_args_init(&alone);
    alone.n = 1;
    alone.texts = &pointers_[static_cast<size_t>(i)];
    alone.pairs = &pairs[static_cast<size_t>(i)];
    alone.max_tokens = 20;
    outputs::List list = {{LFFN_OUT_TOKEN_OFFSETS, 0, offsets, 2}, {LFFN_OUT_UNCUT_LENGTHS, 0, &uncut, 1}};
    list.add(LFFN_OUT_TOKEN_IDS, ids);
    list.add(LFFN_OUT_TOKEN_TYPES, types);
    list.add(LFFN_OUT_TOKEN_BEGINS, begins);
    list.add(LFFN_OUT_TOKEN_ENDS, ends);
    list.give(alone);
    ASSERT_EQ(lffn_tokenizer_encode(tokenizer_, &alone), LFFN_OK) << lffn_last_error();
    const int64_t count = offsets[1];
    const int64_t first = view.offsets[i];
    ASSERT_EQ(view.offsets[i + 1] - first, count) << i;
    EXPECT_EQ(view.uncut[i], uncut);
    EXPECT_EQ(view.statuses[i], LFFN_OK);
    for (int64_t t = 0; t < count; ++t) {
      const auto at = static_cast<size_t>(t);
      EXPECT_EQ(view.ids[first + t], ids[at]);
      EXPECT_EQ(view.token_types[first + t], types[at]);
      EXPECT_EQ(view.token_begins[first + t], begins[at]);
      EXPECT_EQ(view.token_ends[first + t], ends[at]);
    }
    const std::string& text = texts_[static_cast<size_t>(i)];
    EXPECT_LE(view.text_ends[i], static_cast<int64_t>(text.size()));
    if (count == uncut) {
      EXPECT_EQ(view.text_ends[i], static_cast<int64_t>(text.size()));
    }
  }

  // Where nobody counts what is cut, it is cut to the same.
  const std::vector<int32_t> ids(view.ids, view.ids + view.n_tokens);
  args_.num_threads = 1;
  const outputs::View again = encode();
  EXPECT_EQ(std::vector<int32_t>(again.ids, again.ids + again.n_tokens), ids);
  EXPECT_EQ(again.uncut, nullptr);
  EXPECT_EQ(again.token_begins, nullptr);
}

TEST_F(Batch, BadTexts) {
  pointers_[150] = nullptr;
  pointers_[70] = "x\xff";
  refused("texts[70]: byte 1 of the text is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  const outputs::View view = encode(outputs::kStatuses);
  EXPECT_EQ(view.statuses[70], LFFN_ERROR_BAD_TEXT);
  EXPECT_STREQ(view.messages[70], "byte 1 of the text is not valid UTF-8");
  EXPECT_EQ(view.statuses[150], LFFN_ERROR_NULL_TEXT);
  EXPECT_EQ(view.statuses[151], LFFN_OK);
  EXPECT_STREQ(view.messages[151], "");
  EXPECT_EQ(view.offsets[71], view.offsets[70]);
  args_.flags |= LFFN_ENCODE_REPAIR_TEXT;
  EXPECT_EQ(encode(outputs::kStatuses).statuses[70], LFFN_OK);
  args_.flags = 1u << 2;
  refused("flags is 0x4");
  args_.flags = 0;
  args_.num_threads = -1;
  refused("num_threads is -1");
  args_.num_threads = 0;
  args_.max_tokens = -2;
  refused("max_tokens is -2");
  args_.max_tokens = 5;
  args_.n = -1;
  refused("n is -1");
  args_.n = INT64_MAX - 5;
  refused("n is 9223372036854775802, more than any memory holds");
  args_.n = 1;
  args_.texts = nullptr;
  refused("texts is NULL");
  args_.texts = pointers_.data();
  args_.result = nullptr;
  refused("has no data, and the call has no result");
  args_.result = result_;
  const int32_t cancel = 1;
  args_.cancel = &cancel;
  refused("cancelled", LFFN_ERROR_CANCELLED);
}

TEST_F(Batch, DecodesManyAtOnce) {
  const outputs::View view = encode();
  const std::vector<int32_t> ids(view.ids, view.ids + view.n_tokens);
  const std::vector<int64_t> offsets(view.offsets, view.offsets + view.n + 1);
  const std::vector<lffn_output> both_kept = outputs::kept({LFFN_OUT_DECODED, LFFN_OUT_DECODED_OFFSETS});
  const auto decode = [&](const int32_t* with_ids, const int64_t* with_offsets, int64_t n, uint32_t flags,
                          lffn_result* result) {
    lffn_tokenizer_decode_args args;
    lffn_tokenizer_decode_args_init(&args);
    args.n = n;
    args.ids = with_ids;
    args.offsets = with_offsets;
    args.flags = flags;
    args.outputs = both_kept.data();
    args.n_outputs = 2;
    args.result = result;
    return lffn_tokenizer_decode(tokenizer_, &args);
  };
  ASSERT_EQ(decode(ids.data(), offsets.data(), args_.n, LFFN_DECODE_SKIP_SPECIAL, result_), LFFN_OK)
      << lffn_last_error();
  lffn_array texts, places;
  ASSERT_EQ(lffn_result_array(result_, LFFN_OUT_DECODED, &texts), LFFN_OK);
  ASSERT_EQ(lffn_result_array(result_, LFFN_OUT_DECODED_OFFSETS, &places), LFFN_OK);
  ASSERT_EQ(places.rows, args_.n + 1);
  EXPECT_EQ(texts.dtype, LFFN_DTYPE_TEXT);
  for (int64_t i = 0; i < args_.n; ++i) {
    const int64_t begin = offsets[static_cast<size_t>(i)], count = offsets[static_cast<size_t>(i) + 1] - begin;
    char alone[1024];
    size_t size = 0;
    ASSERT_EQ(short_calls::decode(tokenizer_, ids.data() + begin, count, LFFN_DECODE_SKIP_SPECIAL, alone, sizeof alone,
                                  &size),
              LFFN_OK);
    const int64_t* const place = static_cast<const int64_t*>(places.data) + i;
    const char* const text = static_cast<const char*>(texts.data) + place[0];
    EXPECT_EQ(std::string(text, static_cast<size_t>(place[1] - place[0]) - 1), std::string(alone, size));
    EXPECT_EQ(text[size], '\0');
  }
  const int64_t falling[] = {0, 3, 2};
  EXPECT_EQ(decode(ids.data(), falling, 2, 0, result_), LFFN_ERROR_INVALID_ARGUMENT);
  const int32_t unknown[] = {5, 1 << 20};
  const int64_t both[] = {0, 1, 2};
  EXPECT_EQ(decode(unknown, both, 2, 0, result_), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lffn_last_error()).find("sequence 1: ids[0] is 1048576"), std::string::npos)
      << lffn_last_error();
  EXPECT_EQ(decode(nullptr, both, 2, 0, result_), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(decode(unknown, nullptr, 2, 0, result_), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(decode(unknown, both, 2, 0, nullptr), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(decode(nullptr, nullptr, 0, 0, result_), LFFN_OK);
}

TEST_F(Batch, OneRepairedTextAndItsSize) {
  const std::string broken =
      "a\xff"
      "b";
  std::vector<int64_t> begins(8), ends(8);
  int64_t offsets[2] = {};
  const char* const text = broken.c_str();
  lffn_tokenizer_encode_args args;
  lffn_tokenizer_encode_args_init(&args);
  args.n = 1;
  args.texts = &text;
  outputs::List list = {{LFFN_OUT_TOKEN_OFFSETS, 0, offsets, 2}};
  list.add(LFFN_OUT_TOKEN_BEGINS, begins);
  list.add(LFFN_OUT_TOKEN_ENDS, ends);
  list.give(args);
  EXPECT_EQ(lffn_tokenizer_encode(tokenizer_, &args), LFFN_ERROR_BAD_TEXT);
  args.flags |= LFFN_ENCODE_REPAIR_TEXT;
  ASSERT_EQ(lffn_tokenizer_encode(tokenizer_, &args), LFFN_OK) << lffn_last_error();
  const int64_t count = offsets[1];
  ASSERT_GE(count, 3);
  EXPECT_EQ(begins[static_cast<size_t>(count) - 2], 2) << "of the given bytes";
  EXPECT_EQ(ends[static_cast<size_t>(count) - 2], 3);
  lffn_tokenizer_info info;
  lffn_tokenizer_info_init(&info);
  ASSERT_EQ(lffn_tokenizer_get_info(tokenizer_, &info), LFFN_OK);
  EXPECT_GT(info.memory_bytes, 1500u << 10) << "the words that it remembers count, too";
  EXPECT_LT(info.memory_bytes, 3u << 20);
}

TEST(TokenizerInfo, TellsTheKind) {
  const struct {
    const char* folder;
    int32_t kind;
  } kKinds[] = {{"roberta-mlm", LFFN_TOKENIZER_KIND_BYTE_PAIRS},
                {"bert-mlm", LFFN_TOKENIZER_KIND_WORD_PIECE},
                {"deberta-v2-classes", LFFN_TOKENIZER_KIND_UNIGRAM}};
  for (const auto& one : kKinds) {
    lffn_tokenizer* tokenizer = nullptr;
    ASSERT_EQ(lffn_tokenizer_load((std::string(LFFN_SMALL_FOLDERS "/") + one.folder).c_str(), nullptr, &tokenizer),
              LFFN_OK)
        << lffn_last_error();
    lffn_tokenizer_info info;
    lffn_tokenizer_info_init(&info);
    EXPECT_EQ(lffn_tokenizer_get_info(tokenizer, &info), LFFN_OK);
    EXPECT_EQ(info.kind, one.kind) << one.folder;
    lffn_tokenizer_free(tokenizer);
  }
}

}  // namespace
