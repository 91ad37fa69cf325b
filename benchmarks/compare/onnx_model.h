// SPDX-License-Identifier: Apache-2.0
// Writes a vanilla FFN or a linear layer as an ONNX model (a protobuf message), by hand, so that no ONNX package is
// needed.
#pragma once

#include <string>

#include "problem.h"

namespace compare {

// MatMul, Add, GELU, MatMul, Add in float32; the first two for a linear layer. Input "x" and output "y" are [n, d].
std::string onnx_float32_model(const Problem& problem);

// The same with dynamic quantisation: inputs to 8 bits per batch, weights to int8 with one scale for the matrix, its
// quantiser's default (a scale for each output was up to a tenth slower), on 7 bits so that AVX2's saturating products
// cannot saturate (what the quantiser calls reduce_range).
std::string onnx_int8_model(const Problem& problem);

}  // namespace compare
