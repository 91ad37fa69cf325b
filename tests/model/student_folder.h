// SPDX-License-Identifier: Apache-2.0
// A small model whose layers are not all alike, made from one of the folders beside the tests.
#pragma once

#include <cmath>

#include "made_folder.h"

namespace lffn {

constexpr int kWords = 1200, kSize = 48, kShared = 40;
inline const std::string kLayers = "roberta.encoder.layer.";

template <typename Number>
inline std::string bytes_of(const std::vector<Number>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

// -8 to 7 times a small power of two is exact in every element type.
inline int number_at(int layer, int row, int column) { return (row * 7 + column * 5 + layer * 3) % 16 - 8; }
inline float scale_at(int row) { return static_cast<float>(1 + row % 3) / 64; }

inline uint16_t half_of(float value) {
  if (value == 0) return 0;
  int exponent;
  const float fraction = std::frexp(std::fabs(value), &exponent);  // 0.5 to 1
  const int bits = ((exponent + 14) << 10) + static_cast<int>((fraction * 2 - 1) * 1024);
  return static_cast<uint16_t>(bits | (value < 0 ? 0x8000 : 0));
}

inline std::vector<MadeTensor> rows_of(int layer, const std::string& dtype, int rows) {
  std::vector<float> floats, scales;
  std::vector<uint16_t> halves;
  std::string bytes;
  for (int r = 0; r < rows; ++r) {
    scales.push_back(scale_at(r));
    for (int c = 0; c < kSize; ++c) {
      const int number = number_at(layer, r, c);
      const float value = static_cast<float>(number) * scale_at(r);
      floats.push_back(value);
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      halves.push_back(dtype == "F16" ? half_of(value) : static_cast<uint16_t>(bits >> 16));
      if (dtype == "I8") bytes += static_cast<char>(number);
      if (dtype == "U8" && c % 2 == 0) {
        bytes += static_cast<char>((number + 8) | (number_at(layer, r, c + 1) + 8) << 4);
      }
    }
  }
  const std::string name = kLayers + std::to_string(layer) + ".FFN.words";
  const bool scaled = dtype == "I8" || dtype == "U8";
  std::vector<MadeTensor> made = {{name,
                                   dtype,
                                   {rows, dtype == "U8" ? kSize / 2 : kSize},
                                   scaled           ? bytes
                                   : dtype == "F32" ? bytes_of(floats)
                                                    : bytes_of(halves)}};
  if (scaled) made.push_back({name + ".scale", "F32", {rows}, bytes_of(scales)});
  return made;
}

// Layer 0 has 24 neurons and two heads of 8, layer 1 neither; both have rows by word.
struct Student : MadeFolder {
  explicit Student(const std::string& dtype, int rows = kWords) : MadeFolder("roberta-classes") {
    configure("\"intermediate_size\": 160", "\"intermediate_size\": [24, 0], \"ffn_words\": [true, true]");
    configure("\"num_attention_heads\": 6", "\"num_attention_heads\": [2, 0], \"attention_head_size\": 8");
    add_config("\"ffn_kinds\": [\"vanilla\", \"none\"]");
    const std::string first = kLayers + "0.", second = kLayers + "1.";
    for (const char* name : {"query", "key", "value"}) {
      replace(first + "attention.self." + name, {16, kSize});
      remove(second + "attention.self." + name);
    }
    tensor(first + "attention.output.dense.weight") = made_tensor(first + "attention.output.dense.weight", {kSize, 16});
    remove(second + "attention.output.dense.weight");
    replace(first + "intermediate.dense", {24, kSize});
    tensor(first + "output.dense.weight") = made_tensor(first + "output.dense.weight", {kSize, 24});
    remove(second + "intermediate.dense");
    remove(second + "output.dense");
    tensors.push_back(made_tensor(second + "FFN.bias", {kSize}));
    for (int layer = 0; layer < 2; ++layer) {
      for (MadeTensor& made : rows_of(layer, dtype, rows)) tensors.push_back(std::move(made));
    }
    if (rows == kWords) return;
    add_config("\"ffn_word_rows\": " + std::to_string(rows));
    std::vector<int32_t> row_of_word;
    for (int word = 0; word < kWords; ++word) row_of_word.push_back(word % rows);
    tensors.push_back({"roberta.embeddings.word_rows", "I32", {kWords}, bytes_of(row_of_word)});
  }

  void replace(const std::string& linear, std::vector<int64_t> shape) {
    tensor(linear + ".bias") = made_tensor(linear + ".bias", {shape[0]});
    tensor(linear + ".weight") = made_tensor(linear + ".weight", std::move(shape));
  }

  // Takes its attention's heads or its feed-forward block's neurons from a layer.
  void without_heads(int layer) {
    const std::string name = kLayers + std::to_string(layer) + ".attention.";
    remove(name + "self.");
    remove(name + "output.dense.weight");
  }
  void without_neurons(int layer) {
    const std::string name = kLayers + std::to_string(layer) + ".";
    remove(name + "intermediate.dense");
    remove(name + "output.dense");
    tensors.push_back(made_tensor(name + "FFN.bias", {kSize}));
  }
  void without_words(int layer) { remove(kLayers + std::to_string(layer) + ".FFN.words"); }
};

}  // namespace lffn
