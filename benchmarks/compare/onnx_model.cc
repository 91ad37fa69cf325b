// SPDX-License-Identifier: Apache-2.0
#include "onnx_model.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace compare {
namespace {

// A protobuf message under construction. Field numbers below are those of onnx.proto.
class Message {
 public:
  Message& integer(int field, uint64_t value) {
    varint(static_cast<uint64_t>(field) << 3);
    varint(value);
    return *this;
  }
  Message& bytes(int field, const std::string& value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    text_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return bytes(field, value.text_); }
  const std::string& text() const { return text_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

constexpr int kFloat = 1, kInt8 = 3;  // TensorProto.DataType

template <class T>
Message tensor(const std::string& name, int type, const std::vector<int64_t>& shape, const std::vector<T>& values) {
  Message m;
  for (const int64_t n : shape) m.integer(1, static_cast<uint64_t>(n));
  m.integer(2, static_cast<uint64_t>(type)).bytes(8, name);
  return m.bytes(9, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
}

// A [n, d] matrix of floats with n left open.
Message value_info(const std::string& name, int64_t d) {
  Message open, fixed, shape, type, tensor_type;
  open.bytes(2, "n");
  fixed.integer(1, static_cast<uint64_t>(d));
  shape.message(1, open).message(1, fixed);
  tensor_type.integer(1, kFloat).message(2, shape);
  type.message(1, tensor_type);
  return Message().bytes(1, name).message(2, type);
}

class Graph {
 public:
  void node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
            const std::string& domain = "") {
    Message m;
    for (const std::string& input : inputs) m.bytes(1, input);
    m.bytes(2, output).bytes(3, output + "_node").bytes(4, op).bytes(7, domain);
    graph_.message(1, m);
  }
  void initializer(const Message& tensor) { graph_.message(5, tensor); }

  // GELU the way PyTorch's exporter writes it; ONNX Runtime makes one operation of it.
  void gelu(const std::string& input, const std::string& output) {
    initializer(tensor<float>("sqrt2", kFloat, {}, {1.41421354f}));
    initializer(tensor<float>("one", kFloat, {}, {1.0f}));
    initializer(tensor<float>("half", kFloat, {}, {0.5f}));
    node("Div", {input, "sqrt2"}, "gelu_scaled");
    node("Erf", {"gelu_scaled"}, "gelu_erf");
    node("Add", {"gelu_erf", "one"}, "gelu_sum");
    node("Mul", {input, "gelu_sum"}, "gelu_product");
    node("Mul", {"gelu_product", "half"}, output);
  }

  std::string model(int64_t inputs, int64_t outputs) {
    graph_.bytes(2, "ffn").message(11, value_info("x", inputs)).message(12, value_info("y", outputs));
    Message onnx, microsoft;
    onnx.bytes(1, "").integer(2, 17);
    microsoft.bytes(1, "com.microsoft").integer(2, 1);
    return Message().integer(1, 8).message(7, graph_).message(8, onnx).message(8, microsoft).text();
  }

 private:
  Message graph_;
};

// ONNX multiplies from the left, so weights are stored [in, out].
std::vector<float> transposed(const float* w, int64_t out, int64_t in) {
  std::vector<float> result(static_cast<size_t>(out * in));
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) result[static_cast<size_t>(i * out + o)] = w[o * in + i];
  }
  return result;
}

std::vector<float> copy(const float* values, int64_t n) { return std::vector<float>(values, values + n); }

void add_int8_linear(Graph& graph, const std::string& input, const float* w, const float* b, int64_t out, int64_t in,
                     const std::string& output) {
  float largest = 1e-30f;
  for (int64_t i = 0; i < in * out; ++i) largest = std::fmax(largest, std::fabs(w[i]));
  const float scale = largest / 64;
  std::vector<int8_t> weights(static_cast<size_t>(out * in));
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) {
      weights[static_cast<size_t>(i * out + o)] = static_cast<int8_t>(std::lrint(w[o * in + i] / scale));
    }
  }
  graph.initializer(tensor(output + "_w", kInt8, {in, out}, weights));
  graph.initializer(tensor<float>(output + "_scale", kFloat, {}, {scale}));
  graph.initializer(tensor<int8_t>(output + "_zero", kInt8, {}, {0}));
  graph.initializer(tensor(output + "_b", kFloat, {out}, copy(b, out)));
  graph.node("DynamicQuantizeMatMul", {input, output + "_w", output + "_scale", output + "_zero", output + "_b"},
             output, "com.microsoft");
}

}  // namespace

std::string onnx_float32_model(const Problem& problem) {
  const int64_t d = problem.shape().d, t = problem.shape().t;
  Graph graph;
  graph.initializer(tensor("w1", kFloat, {d, t}, transposed(problem.w1(), t, d)));
  graph.initializer(tensor("b1", kFloat, {t}, copy(problem.b1(), t)));
  graph.node("MatMul", {"x", "w1"}, "product1");
  if (problem.shape().is_linear()) {
    graph.node("Add", {"product1", "b1"}, "y");
    return graph.model(d, t);
  }
  graph.initializer(tensor("w2", kFloat, {t, d}, transposed(problem.w2(), d, t)));
  graph.initializer(tensor("b2", kFloat, {d}, copy(problem.b2(), d)));
  graph.node("Add", {"product1", "b1"}, "hidden");
  graph.gelu("hidden", "active");
  graph.node("MatMul", {"active", "w2"}, "product2");
  graph.node("Add", {"product2", "b2"}, "y");
  return graph.model(d, d);
}

std::string onnx_int8_model(const Problem& problem) {
  const int64_t d = problem.shape().d, t = problem.shape().t;
  Graph graph;
  if (problem.shape().is_linear()) {
    add_int8_linear(graph, "x", problem.w1(), problem.b1(), t, d, "y");
    return graph.model(d, t);
  }
  add_int8_linear(graph, "x", problem.w1(), problem.b1(), t, d, "hidden");
  graph.gelu("hidden", "active");
  add_int8_linear(graph, "active", problem.w2(), problem.b2(), d, t, "y");
  return graph.model(d, d);
}

}  // namespace compare
