// SPDX-License-Identifier: Apache-2.0
// Grapheme clusters by Unicode's own test, which Debian's package unicode-data has.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "format/utf8.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

constexpr char kFile[] = "/usr/share/unicode/auxiliary/GraphemeBreakTest.txt";

TEST(Grapheme, EndsWhereUnicodesTestSays) {
  std::ifstream file(kFile);
  if (!file) GTEST_SKIP() << kFile << " is missing; the package unicode-data has it";
  size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string text;
    std::vector<size_t> expected, found;
    for (std::string word; words >> word;) {
      if (word == "\u00f7") {
        expected.push_back(text.size());
      } else if (word != "\u00d7") {
        append_utf8(text, static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
      }
    }
    if (text.empty()) continue;
    ++count;
    found.push_back(0);
    while (found.back() < text.size()) found.push_back(cluster_end(text, found.back()));
    EXPECT_EQ(found, expected) << line;
  }
  EXPECT_GT(count, 500u);
}

}  // namespace
}  // namespace lffn
