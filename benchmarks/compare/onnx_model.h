// Writes a vanilla FFN as an ONNX model (a protobuf message), by hand, so that no ONNX package is needed.
#pragma once

#include <string>

#include "problem.h"

namespace compare {

// MatMul, Add, GELU, MatMul, Add in float32. Input "x" and output "y" are [n, d].
std::string onnx_float32_model(const Problem& problem);

// The same with dynamic quantisation: inputs to 8 bits per batch, weights to int8 with a scale per output column, on 7
// bits so that AVX2's saturating products cannot saturate (what ONNX Runtime's own quantiser calls reduce_range).
std::string onnx_int8_model(const Problem& problem);

}  // namespace compare
