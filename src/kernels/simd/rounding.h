// SPDX-License-Identifier: Apache-2.0
// How floats become whole numbers, and which are too small for that.
#pragma once

namespace lffn {
namespace {

// Adding it leaves a number, rounded to the nearest whole one, in the lowest bits.
constexpr float kRoundInLowBits = 12582912.0f;  // 1.5 * 2^23
// Numbers whose range is below it count as zeros.
constexpr float kSmallestRange = 1e-30f;

}  // namespace
}  // namespace lffn
