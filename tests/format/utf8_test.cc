// SPDX-License-Identifier: Apache-2.0
#include "format/utf8.h"

#include <gtest/gtest.h>

namespace lffn {
namespace {

// The decoder of RFC 3629, written the long way round: decode, then ask whether encoding gives the same bytes.
bool is_one_character(const std::string& bytes) {
  const auto at = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])); };
  uint32_t code = 0;
  const size_t size = bytes.size();
  if (size == 1) return at(0) < 0x80;
  if (size == 2 && at(0) >> 5 == 6) code = at(0) & 0x1F;
  if (size == 3 && at(0) >> 4 == 14) code = at(0) & 0x0F;
  if (size == 4 && at(0) >> 3 == 30) code = at(0) & 0x07;
  for (size_t i = 1; i < size; ++i) {
    if (at(i) >> 6 != 2) return false;
    code = code << 6 | (at(i) & 0x3F);
  }
  const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool right_lead =
      (size == 2 && at(0) >> 5 == 6) || (size == 3 && at(0) >> 4 == 14) || (size == 4 && at(0) >> 3 == 30);
  return right_lead && code >= least[size] && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
}

TEST(Utf8, AcceptsEveryCharacterAndNothingElseOfUpToThreeBytes) {
  std::string text;
  for (unsigned first = 0; first < 256; ++first) {
    text.assign(1, static_cast<char>(first));
    ASSERT_EQ(valid_utf8_length(text) == 1, is_one_character(text)) << first;
    if (first < 0x80) continue;
    for (unsigned second = 0; second < 256; ++second) {
      text.assign({static_cast<char>(first), static_cast<char>(second)});
      ASSERT_EQ(valid_utf8_length(text) == 2, is_one_character(text)) << first << ' ' << second;
      if (first < 0xE0) continue;
      for (unsigned third = 0; third < 256; ++third) {
        text.assign({static_cast<char>(first), static_cast<char>(second), static_cast<char>(third)});
        ASSERT_EQ(valid_utf8_length(text) == 3, is_one_character(text)) << first << ' ' << second << ' ' << third;
      }
    }
  }
}

TEST(Utf8, ChecksTheEdgesOfFourBytes) {
  for (const unsigned first : {0xF0u, 0xF1u, 0xF3u, 0xF4u, 0xF5u, 0xF8u, 0xFFu}) {
    for (const unsigned second : {0x7Fu, 0x80u, 0x8Fu, 0x90u, 0xBFu, 0xC0u}) {
      for (const unsigned third : {0x7Fu, 0x80u, 0xBFu, 0xC0u}) {
        for (const unsigned fourth : {0x7Fu, 0x80u, 0xBFu, 0xC0u}) {
          const std::string text = {static_cast<char>(first), static_cast<char>(second), static_cast<char>(third),
                                    static_cast<char>(fourth)};
          EXPECT_EQ(valid_utf8_length(text) == 4, is_one_character(text)) << first << ' ' << second;
        }
      }
    }
  }
}

TEST(Utf8, CountsUpToTheFirstBadByte) {
  const std::string good = "eight ascii bytes, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x98\x80 and more";
  EXPECT_EQ(valid_utf8_length(good), good.size());
  EXPECT_EQ(valid_utf8_length(""), 0u);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad.insert(i, 1, '\xFF');
    EXPECT_LE(valid_utf8_length(bad), i);
    EXPECT_GE(valid_utf8_length(bad) + 3, i) << "at most a cut character of three bytes is left out";
  }
}

TEST(Utf8, QuotesForMessages) {
  EXPECT_EQ(in_quotes("tables"), "'tables'");
  EXPECT_EQ(in_quotes(std::string_view("a\0b\n\xFF", 5)), "'a\\x00b\\x0a\\xff'");
  EXPECT_EQ(in_quotes("\xF0\x9F\x98\x80"), "'\xF0\x9F\x98\x80'");
  const std::string cut = in_quotes(std::string(79, 'x') + "\xF0\x9F\x98\x80" + "yz");
  EXPECT_EQ(cut, "'" + std::string(79, 'x') + "\xF0\x9F\x98\x80...'");
  EXPECT_EQ(valid_utf8_length(cut), cut.size());
}

}  // namespace
}  // namespace lffn
