// SPDX-License-Identifier: Apache-2.0
// Steps that make texts longer: all of them together may make four times as much and 256 KiB, with spans and without.
#include "tests/tokenizer/small.h"
#include "tokenizer/character_map.h"

namespace lffn {
namespace {

constexpr size_t kFree = 1 << 18;

// The letter a, and what the steps make of a text of it.
std::unique_ptr<const Tokenizer> with_steps(const std::string& normalizer, const std::string& pre_tokenizer,
                                            const std::string& decoder = "null") {
  return Tokenizer::from_tokenizer_json(
      R"({"normalizer": )" + normalizer + R"(, "pre_tokenizer": )" + pre_tokenizer + R"(, "decoder": )" + decoder +
      R"(, "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["▁", -1], ["x", -1]]}})");
}

std::string replace(const std::string& from, const std::string& to) {
  return R"({"type": "Replace", "pattern": {"String": ")" + from + R"("}, "content": ")" + to + "\"}";
}

std::string rows(const char* list, const std::string& step, size_t times) {
  std::string all = step;
  while (--times > 0) all += ", " + step;
  return std::string(R"({"type": "Sequence", ")") + list + "\": [" + all + "]}";
}

// Rules that make `to` of the letter a: a trie of two bytes' units, and the text behind them.
std::string precompiled(const std::string& to) {
  std::string rules;
  const auto append = [&](uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) rules += static_cast<char>(value >> shift & 0xFF);
  };
  constexpr uint32_t kUnits = 0x62, kLeaf = 1u << 8;
  append(kUnits * 4);
  for (uint32_t unit = 0; unit < kUnits; ++unit) append(unit == 'a' ? 1u << 10 | kLeaf | 'a' : 0);
  return R"({"type": "Precompiled", "precompiled_charsmap": ")" + to_base64(rules + to + '\0') + "\"}";
}

void expect_bounded(const Tokenizer& tokenizer, const std::string& text, const std::string& name) {
  const size_t most = 4 * text.size() + kFree;
  for (const bool has_spans : {false, true}) {
    Tokenizer::Options options;
    options.spans = has_spans;
    try {
      encode(tokenizer, text, options);
      ADD_FAILURE() << name << (has_spans ? " with spans" : "");
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_BAD_TEXT) << name;
      EXPECT_EQ(error.what(), "the steps of the tokenizer make the text longer than " + std::to_string(most) +
                                  " bytes; give it in parts");
    }
  }
}

TEST(Growth, IsBoundedForEachStepAndForAllTogether) {
  const std::string text(100000, 'a'), none = "null";
  expect_bounded(*with_steps(replace("a", std::string(8, 'x')), none), text, "Replace");
  expect_bounded(*with_steps(rows("normalizers", replace("a", "aa"), 4), none), text, "four of them");
  expect_bounded(*with_steps(precompiled(std::string(256, 'x')), none), text, "Precompiled");
  std::string long_ones;
  for (size_t i = 0; i < 100000; ++i) long_ones += "\ufdfa";  // becomes 33 bytes
  expect_bounded(*with_steps(R"({"type": "NFKC"})", none), long_ones, "NFKC");
  // Each digit gets a sign, and each again.
  const std::string digits = R"({"type": "Digits", "individual_digits": true})";
  const std::string meta = R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": false})";
  const std::string again = R"({"type": "ByteLevel", "add_prefix_space": true, "use_regex": false})";
  const std::string all = R"({"type": "Sequence", "pretokenizers": [)" + digits + ", " + meta + ", " + again + "]}";
  expect_bounded(*with_steps(none, all), std::string(200000, '1'), "pre-tokenizers");
  // The normalizers' part counts for the pre-tokenizers, too.
  expect_bounded(*with_steps(replace("a", "11"), all), std::string(200000, 'a'), "both");
}

TEST(Growth, AllowsWhatTextsNeed) {
  const auto korean = with_steps(R"({"type": "NFD"})", "null");
  std::string text;
  for (size_t i = 0; i < 100000; ++i) text += "\uac01";  // becomes three letters
  EXPECT_EQ(encode(*korean, text), (Ids{0}));
  const auto replaced = with_steps(replace("a", std::string(256, 'x')), "null");
  EXPECT_EQ(encode(*replaced, std::string(1000, 'a')).size(), 256000u);
}

TEST(Growth, IsBoundedForDecoders) {
  const auto tokenizer = with_steps("null", "null", rows("decoders", replace("a", "aa"), 6));
  const Ids few(1000, 1), many(100000, 1);
  EXPECT_EQ(tokenizer->decode(few.data(), few.size(), false), std::string(64000, 'a'));
  try {
    tokenizer->decode(many.data(), many.size(), false);
    FAIL() << "64 times as long";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), LFFN_ERROR_BAD_TEXT);
    EXPECT_STREQ(error.what(), "the steps of the decoder make the text far longer; give fewer ids");
  }
}

}  // namespace
}  // namespace lffn
