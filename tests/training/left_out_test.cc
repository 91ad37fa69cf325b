// SPDX-License-Identifier: Apache-2.0
// What a build without LFFN_TRAINING has in place of training.
#include <gtest/gtest.h>

#include <string>

#include "lookupffn/lookupffn.h"
#include "lookupffn/train.h"

namespace {

TEST(TrainingLeftOut, SaysSo) {
  EXPECT_EQ(lffn_train_forward(nullptr, nullptr, nullptr, 0, 0, nullptr, nullptr), LFFN_ERROR_UNSUPPORTED);
  EXPECT_NE(std::string(lffn_last_error()).find("LFFN_TRAINING=ON"), std::string::npos) << lffn_last_error();
  EXPECT_EQ(lffn_train_backward(nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, nullptr, nullptr),
            LFFN_ERROR_UNSUPPORTED);
  lffn_train_weights weights;
  lffn_train_weights_init(&weights);
  EXPECT_EQ(weights.struct_size, sizeof weights);
  lffn_train_gradients gradients;
  lffn_train_gradients_init(&gradients);
  EXPECT_EQ(gradients.struct_size, sizeof gradients);
}

}  // namespace
