// SPDX-License-Identifier: Apache-2.0
// What fills masks in text, against the logits of ids.
#include <cmath>

#include "tests/tokenizer/text_api_fixture.h"

namespace {

TEST_F(Text, FillsMasks) {
  const std::string text = "Freedom is <mask> word that <mask> uses.";
  const auto vocabulary = static_cast<size_t>(info_.vocab_size);
  const Ids ids = tokenize(text, kSpecial);
  std::vector<int64_t> positions;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == info_.mask_id) positions.push_back(static_cast<int64_t>(i));
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
    args.filling_ids = ids.data();
    args.fillings_capacity = 3;
    args.n_masks = &masks;
    args.cancel = &cancel;
    return lffn_model_run(model_, &args);
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
