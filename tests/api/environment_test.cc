// SPDX-License-Identifier: Apache-2.0
// By itself, as the environment is read once in a process.
#include <gtest/gtest.h>

#include <cstdlib>

#include "lookupffn/lookupffn.hpp"

namespace {

// What a runtime names counts in place of the environment, also where that names what cannot be.
TEST(RuntimeIsa, ReplacesTheEnvironments) {
  setenv("LOOKUPFFN_ISA", "bogus", 1);
  lookupffn::RuntimeOptions options;
  EXPECT_NE(lookupffn::Runtime::try_create(options).status, LFFN_OK);
  options.isa = "generic";
  const auto runtime = lookupffn::Runtime::try_create(options);
  ASSERT_TRUE(runtime);
  EXPECT_EQ(runtime.value.isa(), "generic");
}

}  // namespace
