// SPDX-License-Identifier: Apache-2.0
#include "runtime/borders.h"

#include <gtest/gtest.h>

#include <cstring>

namespace lffn {
namespace {

// Two parts, and three alike behind them.
struct Places {
  ScratchParts parts{128};
  size_t stride = 0;
  size_t first, second, each;
  Places() : first(parts.place(100)), second(parts.place(64)), each(parts.place_each(3, 10, stride)) {}
};

TEST(Borders, PartsLieInOrderAndBeginOnCacheLines) {
  const Places at;
  EXPECT_EQ(at.first, 128u);
  EXPECT_EQ(at.second, at.first + 128 + kBorder);
  EXPECT_EQ(at.each, at.second + 64 + kBorder);
  EXPECT_EQ(at.stride, 64 + kBorder);
  EXPECT_EQ(at.parts.end(), at.each + 3 * at.stride);
  EXPECT_EQ(ScratchParts(64).end(), 64u);
}

TEST(Borders, AllOfEachPartMayBeTouched) {
  const Places at;
  const Memory memory(at.parts.end());
  auto* const bytes = memory.as<uint8_t>();
  for (int turn = 0; turn < 2; ++turn) {
    const Borders borders(bytes, at.parts);
    std::memset(bytes + at.first, 1, 100);
    std::memset(bytes + at.second, 2, 64);
    for (size_t i = 0; i < 3; ++i) std::memset(bytes + at.each + i * at.stride, 3, 10);
    EXPECT_EQ(bytes[at.first + 99] + bytes[at.second + 63] + bytes[at.each + 2 * at.stride + 9], 6);
  }
  std::memset(bytes, 4, at.parts.end());  // without borders it is one block, for other parts or its owner
  EXPECT_EQ(bytes[at.parts.end() - 1], 4);
}

#ifdef LFFN_BORDERS

TEST(Borders, WhatRunsOutOfAPartIsFound) {
  const Places at;
  const Memory memory(at.parts.end());
  auto* const bytes = memory.as<uint8_t>();
  volatile uint8_t* const seen = bytes;
  const Borders borders(bytes, at.parts);
  EXPECT_DEATH(seen[at.first + 100] = 1, "use-after-poison");
  EXPECT_DEATH(seen[at.first + 128] = 1, "use-after-poison");
  EXPECT_DEATH(seen[at.second - 1] = 1, "use-after-poison");
  EXPECT_DEATH(seen[at.second + 64] = 1, "use-after-poison");
  EXPECT_DEATH(static_cast<void>(seen[at.each + 10]), "use-after-poison");
  EXPECT_DEATH(seen[at.each + at.stride + 10] = 1, "use-after-poison");
  EXPECT_DEATH(seen[at.parts.end() - 1] = 1, "use-after-poison");
}

#else

TEST(Borders, WhatRunsOutOfAPartIsFound) { GTEST_SKIP() << "it needs AddressSanitizer"; }

#endif

}  // namespace
}  // namespace lffn
