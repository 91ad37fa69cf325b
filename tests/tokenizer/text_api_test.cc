// SPDX-License-Identifier: Apache-2.0
// The functions on text against those on ids, with the golden models; what fills masks in text.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tokenizer/text_api_fixture.h"

namespace {

namespace fs = std::filesystem;

TEST_F(Text, KnowsItsTokenizer) {
  EXPECT_EQ(info_.has_tokenizer, 1);
  const lffn_tokenizer_info tokens = model_told::tokenizer_of(model_);
  EXPECT_EQ(tokens.bos_id, 0);
  EXPECT_EQ(tokens.pad_id, 1);
  EXPECT_EQ(tokens.eos_id, 2);
  EXPECT_EQ(tokens.unk_id, 3);
  EXPECT_EQ(tokens.mask_id, 4);
}

TEST_F(Text, GivesTheGoldenTokensAlsoFromASingleFile) {
  for (const std::string name : {"model-lookup", "model-mixed"}) {
    lffn_model* folder = nullptr;
    lffn_model* single = nullptr;
    const fs::path file = fs::temp_directory_path() / ("lffn-text-" + std::to_string(getpid()) + ".safetensors");
    ASSERT_EQ(lffn_model_load((kData + "/" + name).c_str(), nullptr, &folder), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(lffn_model_save(folder, file.c_str(), nullptr), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(lffn_model_load(file.c_str(), nullptr, &single), LFFN_OK) << lffn_last_error();
    fs::remove(file);
    std::ifstream cases(kData + "/" + name + "/tokens.json");
    for (const auto& entry : nlohmann::json::parse(cases)) {
      const auto text = entry["text"].get<std::string>();
      for (const lffn_model* model : {folder, single}) {
        EXPECT_EQ(tokenize(model, text, kBare), entry["ids"].get<Ids>()) << text;
        EXPECT_EQ(tokenize(model, text, kSpecial), entry["ids_with_special"].get<Ids>()) << text;
      }
    }
    lffn_model_free(folder);
    lffn_model_free(single);
  }
}

TEST_F(Text, WritesNoMoreThanThereIsRoomFor) {
  const std::string text = "two spaces";
  const Ids all = tokenize(text, kSpecial);
  ASSERT_GT(all.size(), 3u);
  Ids ids(all.size(), -7);
  int64_t count = 0;
  EXPECT_EQ(short_calls::tokenize(model_, text.data(), text.size(), kSpecial, ids.data(), nullptr, nullptr, 2, &count),
            LFFN_ERROR_TOO_SMALL);
  EXPECT_EQ(count, static_cast<int64_t>(all.size()));
  EXPECT_EQ(ids, Ids(all.size(), -7));
}

TEST_F(Text, TellsWhereTokensAre) {
  const std::string text = "na\u00efve <mask> x";
  std::vector<int64_t> begins(32, -7), ends(32, -7);
  Ids ids(32);
  int64_t n_ids = 0;
  ASSERT_EQ(short_calls::tokenize(model_, text.data(), text.size(), kSpecial, ids.data(), begins.data(), ends.data(),
                                  32, &n_ids),
            LFFN_OK);
  const auto count = static_cast<size_t>(n_ids);
  ids.resize(count);
  EXPECT_EQ(ids, tokenize(text, kSpecial));
  for (const size_t special : {size_t{0}, count - 1}) {
    EXPECT_EQ(begins[special], 0);
    EXPECT_EQ(ends[special], 0);
  }
  for (size_t i = 1; i + 1 < count; ++i) {
    EXPECT_LE(begins[i], ends[i]) << i;
    EXPECT_GE(begins[i], begins[i - 1]) << i;
  }
  EXPECT_EQ(begins[count - 2], static_cast<int64_t>(text.size()) - 1);  // without the blank before it
  EXPECT_EQ(ends[count - 2], static_cast<int64_t>(text.size()));
  EXPECT_EQ(begins[count], -7);
  const auto mask = std::find(ids.begin(), ids.end(), model_told::tokenizer_of(model_).mask_id) - ids.begin();
  EXPECT_EQ(begins[static_cast<size_t>(mask)], 7);
  EXPECT_EQ(ends[static_cast<size_t>(mask)], 13);
  EXPECT_EQ(tokenize(text, kBare).size(), count - 2);
}

TEST_F(Text, Detokenizes) {
  const std::string text = "caf\u00e9 \u65e5\u672c \U0001F600";
  const Ids ids = tokenize(text, kSpecial);
  std::string again(64, '#');
  size_t size = 0;
  ASSERT_EQ(short_calls::detokenize(model_, ids.data(), static_cast<int64_t>(ids.size()), LFFN_DECODE_SKIP_SPECIAL,
                                    again.data(), again.size(), &size),
            LFFN_OK);
  EXPECT_EQ(again.substr(0, size), text);
  EXPECT_EQ(again[size], '#');
  ASSERT_EQ(short_calls::detokenize(model_, ids.data(), static_cast<int64_t>(ids.size()), 0, nullptr, 0, &size),
            LFFN_OK);
  EXPECT_EQ(size, text.size() + 7);  // <s> and </s>
  again.assign(64, '#');
  EXPECT_EQ(short_calls::detokenize(model_, ids.data(), static_cast<int64_t>(ids.size()), 0, again.data(), 4, &size),
            LFFN_ERROR_TOO_SMALL);
  EXPECT_EQ(size, text.size() + 7);
  EXPECT_EQ(again, std::string(64, '#'));
  ASSERT_EQ(short_calls::detokenize(model_, nullptr, 0, 0, nullptr, 0, &size), LFFN_OK);
  EXPECT_EQ(size, 0u);
}

TEST_F(Text, EmbedsAndClassifiesAsTheFunctionsOnIdsDo) {
  const std::vector<std::string> texts = {"The quick brown fox", "", "na\u00efve <mask>", "x"};
  std::vector<const char*> pointers;
  std::vector<size_t> sizes;
  Ids ids;
  std::vector<int64_t> offsets = {0};
  for (const std::string& text : texts) {
    pointers.push_back(text.c_str());
    sizes.push_back(text.size());
    const Ids more = tokenize(text, kSpecial);
    ids.insert(ids.end(), more.begin(), more.end());
    offsets.push_back(static_cast<int64_t>(ids.size()));
  }
  const auto n = static_cast<int64_t>(texts.size());
  for (const size_t* given : {static_cast<const size_t*>(sizes.data()), static_cast<const size_t*>(nullptr)}) {
    Floats vectors(texts.size() * static_cast<size_t>(info_.embedding_size)), same(vectors.size());
    ASSERT_EQ(short_calls::embed(model_, ids.data(), offsets.data(), n, 0, 0, vectors.data()), LFFN_OK);
    ASSERT_EQ(lffn_model_embed_texts(model_, pointers.data(), given, n, 0, same.data(), n * info_.embedding_size),
              LFFN_OK);
    EXPECT_EQ(same, vectors);
    Floats expected(texts.size() * static_cast<size_t>(info_.num_classes)), found(expected.size());
    ASSERT_EQ(short_calls::classify(model_, ids.data(), offsets.data(), n, expected.data()), LFFN_OK);
    ASSERT_EQ(short_calls::classify_texts(model_, pointers.data(), given, n, 0, found.data(), n * info_.num_classes),
              LFFN_OK);
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(lffn_model_embed_texts(model_, nullptr, nullptr, 0, 0, nullptr, 0), LFFN_OK);
  EXPECT_EQ(short_calls::classify_texts(model_, nullptr, nullptr, 0, 0, nullptr, 0), LFFN_OK);
}

TEST_F(Text, CutsLongTextsUnlessTheyAreToBeRefused) {
  std::string text(2000, 'z');
  const char* pointer = text.c_str();
  Floats vector(static_cast<size_t>(info_.embedding_size)), cut(vector.size());
  const int64_t room = info_.embedding_size;
  refused(lffn_model_embed_texts(model_, &pointer, nullptr, 1, LFFN_MAX_TOKENS_NEVER, vector.data(), room),
          "texts[0]: the text has 2002 tokens, the model can run at most " + std::to_string(info_.max_tokens),
          LFFN_ERROR_TOO_LONG);
  ASSERT_EQ(lffn_model_embed_texts(model_, &pointer, nullptr, 1, LFFN_MAX_TOKENS_MODEL, vector.data(), room), LFFN_OK);
  ASSERT_EQ(lffn_model_embed_texts(model_, &pointer, nullptr, 1, 1 << 20, cut.data(), room), LFFN_OK);
  EXPECT_EQ(vector, cut) << "never more than the model can run";
  text.resize(static_cast<size_t>(info_.max_tokens) - 2);
  pointer = text.c_str();
  ASSERT_EQ(lffn_model_embed_texts(model_, &pointer, nullptr, 1, 0, cut.data(), room), LFFN_OK);
  EXPECT_EQ(vector, cut);
  text.assign(2000, 'z');
  int64_t masks = 0;
  refused(short_calls::fill_mask(model_, text.data(), text.size(), 1, nullptr, nullptr, 0, &masks),
          "texts[0]: the text has 2002 tokens, the model can run at most " + std::to_string(info_.max_tokens),
          LFFN_ERROR_TOO_LONG);
}

TEST_F(Text, RefusesMisuse) {
  lffn_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(lffn_model_tokenizer(model_, &tokenizer), LFFN_OK);
  int64_t count = 77;
  size_t size = 77;
  int32_t id = -7;
  float number = -7;
  char byte = '#';
  const char* token = nullptr;
  const char* texts[2] = {"a", nullptr};
  lffn_tokenizer_encode_args args;
  lffn_tokenizer_encode_args_init(&args);
  refused(lffn_tokenizer_encode(nullptr, &args), "tokenizer is NULL");
  refused(lffn_tokenizer_encode(tokenizer, nullptr), "args is NULL");
  args.n = 1;
  refused(lffn_tokenizer_encode(tokenizer, &args), "texts is NULL");
  const char* text = nullptr;
  size_t text_size = SIZE_MAX - 1;
  args.texts = &text;
  refused(lffn_tokenizer_encode(tokenizer, &args), "the text is NULL", LFFN_ERROR_NULL_TEXT);
  text = "a";
  args.flags = 4;
  refused(lffn_tokenizer_encode(tokenizer, &args), "flags is 0x4, which has bits this version does not know");
  args.flags = 0;
  args.max_tokens = -2;
  refused(lffn_tokenizer_encode(tokenizer, &args),
          "max_tokens is -2, expected a number above 0 or an LFFN_MAX_TOKENS_ value");
  args.max_tokens = 0;
  args.text_sizes = &text_size;
  refused(lffn_tokenizer_encode(tokenizer, &args),
          "the text: 18446744073709551614 bytes are more than any memory holds");
  text = "ab\xff";
  text_size = 3;
  refused(lffn_tokenizer_encode(tokenizer, &args), "byte 2 of the text is not valid UTF-8", LFFN_ERROR_BAD_TEXT);
  const Ids bad = {5, info_.vocab_size};
  const int64_t offsets[] = {0, 1};
  lffn_output output = {LFFN_OUT_DECODED, 0, &byte, 1};
  lffn_tokenizer_decode_args decode;
  lffn_tokenizer_decode_args_init(&decode);
  decode.n = 1;
  decode.outputs = &output;
  decode.n_outputs = 1;
  refused(lffn_tokenizer_decode(tokenizer, &decode), "offsets is NULL");
  decode.offsets = offsets;
  refused(lffn_tokenizer_decode(tokenizer, &decode), "ids is NULL");
  decode.ids = bad.data();
  decode.n = -1;
  refused(lffn_tokenizer_decode(tokenizer, &decode), "n is -1, expected 0 or more");
  decode.n = 1;
  refused(lffn_tokenizer_decode(tokenizer, &decode), "decoded: capacity is 1, expected 2, for 2 rows of 1",
          LFFN_ERROR_TOO_SMALL);
  decode.flags = 2;
  refused(lffn_tokenizer_decode(tokenizer, &decode), "flags is 0x2, which has bits this version does not know");
  decode.flags = 0;
  output.data = nullptr;
  output.capacity = 0;
  refused(lffn_tokenizer_decode(tokenizer, &decode),
          "outputs[0], decoded, has no data, and the call has no result that could keep it");
  decode.ids = bad.data() + 1;
  output.data = &byte;
  EXPECT_EQ(lffn_tokenizer_decode(tokenizer, &decode), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_tokenizer_token(tokenizer, 461, &token, &size), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_tokenizer_token(tokenizer, -1, &token, &size), LFFN_ERROR_INVALID_ARGUMENT);
  for (const int32_t top_k : {0, -1, 462, INT32_MIN}) {
    refused(short_calls::fill_mask(model_, "<mask>", 6, top_k, &id, &number, 1, &count),
            "top_k is " + std::to_string(top_k) + ", expected 1 to 461, the size of the vocabulary");
  }
  refused(lffn_model_embed_texts(model_, texts, nullptr, 2, 0, &number, 1), "texts[1]: the text is NULL",
          LFFN_ERROR_NULL_TEXT);
  refused(lffn_model_embed_texts(model_, nullptr, nullptr, 1, 0, &number, 1), "texts is NULL");
  refused(lffn_model_embed_texts(model_, texts, nullptr, -1, 0, &number, 1), "n is -1, expected 0 or more");
  refused(lffn_model_embed_texts(model_, texts, nullptr, 1, 0, nullptr, 0), "out is NULL");
  EXPECT_EQ(size, 77u);
  EXPECT_EQ(id, -7);
  EXPECT_EQ(number, -7);
  EXPECT_EQ(byte, '#');
  lffn_tokenizer_free(tokenizer);
}

TEST_F(Text, LooksTokensUp) {
  lffn_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(lffn_tokenizer_load((kData + "/model-lookup").c_str(), nullptr, &tokenizer), LFFN_OK) << lffn_last_error();
  lffn_tokenizer_info info;
  lffn_tokenizer_info_init(&info);
  ASSERT_EQ(lffn_tokenizer_get_info(tokenizer, &info), LFFN_OK);
  EXPECT_EQ(info.vocab_size, info_.vocab_size);
  EXPECT_EQ(info.mask_id, 4);
  EXPECT_EQ(info.added_to_text, 2);
  EXPECT_EQ(info.kind, LFFN_TOKENIZER_KIND_BYTE_PAIRS);
  const char* token = nullptr;
  size_t size = 0;
  int32_t id = 0;
  ASSERT_EQ(lffn_tokenizer_token(tokenizer, info.mask_id, &token, &size), LFFN_OK);
  EXPECT_EQ(std::string(token, size), "<mask>");
  ASSERT_EQ(lffn_tokenizer_find(tokenizer, token, size, &id), LFFN_OK);
  EXPECT_EQ(id, info.mask_id);
  ASSERT_EQ(lffn_tokenizer_find(tokenizer, "no such token", 13, &id), LFFN_OK);
  EXPECT_EQ(id, -1);
  lffn_tokenizer_free(tokenizer);
}

// What fills masks in text, against the logits of ids.

TEST_F(Text, FillsMasks) {
  const std::string text = "Freedom is <mask> word that <mask> uses.";
  const auto vocabulary = static_cast<size_t>(info_.vocab_size);
  const Ids ids = tokenize(text, kSpecial);
  std::vector<int64_t> positions;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == model_told::tokenizer_of(model_).mask_id) positions.push_back(static_cast<int64_t>(i));
  }
  ASSERT_EQ(positions.size(), 2u);
  const int64_t offsets[2] = {0, static_cast<int64_t>(ids.size())};
  Floats logits(2 * vocabulary);
  ASSERT_EQ(short_calls::logits(model_, ids.data(), offsets, 1, positions.data(), 2, logits.data()), LFFN_OK);

  Ids found(2 * vocabulary);
  Floats probabilities(2 * vocabulary);
  int64_t masks = 0;
  ASSERT_EQ(short_calls::fill_mask(model_, text.data(), text.size(), info_.vocab_size, found.data(),
                                   probabilities.data(), 2 * info_.vocab_size, &masks),
            LFFN_OK);
  EXPECT_EQ(masks, 2);
  for (size_t mask = 0; mask < 2; ++mask) {
    const float* row = &logits[mask * vocabulary];
    double sum = 0, total = 0;
    for (size_t i = 0; i < vocabulary; ++i) sum += std::exp(static_cast<double>(row[i]));
    for (size_t i = 0; i < vocabulary; ++i) {
      const size_t at = mask * vocabulary + i;
      EXPECT_NEAR(probabilities[at], std::exp(static_cast<double>(row[found[at]])) / sum, 1e-6);
      if (i > 0) {
        EXPECT_GE(row[found[at - 1]], row[found[at]]);
      }
      total += static_cast<double>(probabilities[at]);
    }
    EXPECT_NEAR(total, 1, 1e-5);
  }

  // Fewer candidates are the beginning of the same.
  Ids first(7, -7);
  Floats first_probabilities(7, -7);
  ASSERT_EQ(
      short_calls::fill_mask(model_, text.data(), text.size(), 3, first.data(), first_probabilities.data(), 6, &masks),
      LFFN_OK);
  EXPECT_EQ(masks, 2);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first[i], found[i]);
    EXPECT_EQ(first[3 + i], found[vocabulary + i]);
    EXPECT_EQ(first_probabilities[i], probabilities[i]);
  }
  EXPECT_EQ(first[6], -7);
  masks = 0;
  EXPECT_EQ(short_calls::fill_mask(model_, text.data(), text.size(), 3, first.data(), nullptr, 5, &masks),
            LFFN_ERROR_TOO_SMALL);
  EXPECT_EQ(masks, 2) << "how much room is needed";
  EXPECT_EQ(short_calls::fill_mask(model_, "none", 4, 3, nullptr, nullptr, 0, &masks), LFFN_OK);
  EXPECT_EQ(masks, 0);
}

TEST_F(Text, FillingAMaskCanBeCancelled) {
  const std::string text = "The quick <mask>";
  int32_t cancel = 0;
  Ids ids(3, -7), expected(3, -7);
  int64_t masks = 77;
  const char* const pointer = text.c_str();
  const auto fill = [&] {
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.texts = &pointer;
    args.n = 1;
    args.top_k = 3;
    int64_t offsets[2] = {0, masks};
    const lffn_output outputs[] = {{LFFN_OUT_FILLING_IDS, 0, ids.data(), 3}, {LFFN_OUT_MASK_OFFSETS, 0, offsets, 2}};
    args.outputs = outputs;
    args.n_outputs = 2;
    args.cancel = &cancel;
    const lffn_status status = lffn_model_run(model_, &args);
    masks = offsets[1];
    return status;
  };
  cancel = 1;
  EXPECT_EQ(fill(), LFFN_ERROR_CANCELLED);
  EXPECT_EQ(ids, expected);
  cancel = 0;
  EXPECT_EQ(fill(), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(masks, 1);
  ASSERT_EQ(short_calls::fill_mask(model_, text.data(), text.size(), 3, expected.data(), nullptr, 3, &masks), LFFN_OK);
  EXPECT_EQ(ids, expected);
}

}  // namespace
