// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/layer_maker.h"

#include <cstring>
#include <utility>
#include <vector>

namespace lffn_fuzz {
namespace {

using Shape = std::vector<uint32_t>;

// Gathers tensors, one behind the other.
class FileMaker {
 public:
  explicit FileMaker(Random& random) : random_(random) {}

  void add_floats(const std::string& name, const Shape& shape) {
    constexpr const char* kNames[] = {"F32", "F16", "BF16"};
    add_floats(name, shape, kNames[below(random_, 3)]);
  }

  void add_floats(const std::string& name, const Shape& shape, const std::string& dtype) {
    begin_tensor(name, shape, dtype);
    for (uint32_t i = 0; i < count(shape); ++i) {
      // From 2^-6 to 2: the exponent is drawn, the fraction is whatever comes.
      const uint32_t bits = static_cast<uint32_t>(random_());
      const uint32_t exponent = below(random_, 8);
      if (dtype == "F32") {
        append((bits & 0x807fffff) | (121 + exponent) << 23, 4);
      } else if (dtype == "BF16") {
        append((bits & 0x807f) | (121 + exponent) << 7, 2);
      } else {
        append((bits & 0x83ff) | (9 + exponent) << 10, 2);
      }
    }
    end_tensor();
  }

  void add_scales(const std::string& name, const Shape& shape) {
    begin_tensor(name, shape, "F32");
    for (uint32_t i = 0; i < count(shape); ++i) append((115 + below(random_, 8)) << 23, 4);
    end_tensor();
  }

  void add_bytes(const std::string& name, const Shape& shape) {
    begin_tensor(name, shape, "I8");
    for (uint32_t i = 0; i < count(shape); ++i) {
      const uint32_t byte = below(random_, 255);
      append(byte == 128 ? 0 : byte, 1);
    }
    end_tensor();
  }

  std::string file(const std::string& config) const {
    std::string escaped;
    for (const char c : config) escaped += c == '"' ? "\\\"" : std::string(1, c);
    return join_file(R"({"__metadata__":{"format":"lookupffn","format_version":"1","kind":"layer","config":")" +
                         escaped + "\"}" + entries_ + "}",
                     data_);
  }

 private:
  static uint32_t count(const Shape& shape) {
    uint32_t product = 1;
    for (const uint32_t size : shape) product *= size;
    return product;
  }
  void append(uint32_t bits, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) data_ += static_cast<char>(bits >> (8 * i));
  }
  void begin_tensor(const std::string& name, const Shape& shape, const std::string& dtype) {
    entries_ += ",\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[";
    for (size_t i = 0; i < shape.size(); ++i) entries_ += (i > 0 ? "," : "") + std::to_string(shape[i]);
    entries_ += "],\"data_offsets\":[" + std::to_string(data_.size()) + ",";
  }
  void end_tensor() { entries_ += std::to_string(data_.size()) + "]}"; }

  Random& random_;
  std::string entries_;
  std::string data_;
};

std::string text_of(const char* key, uint32_t value) { return std::string("\"") + key + "\":" + std::to_string(value); }

}  // namespace

std::string join_file(const std::string& header, const std::string& data) {
  std::string file;
  for (size_t i = 0; i < 8; ++i) file += static_cast<char>(uint64_t{header.size()} >> (8 * i));
  return file + header + data;
}

std::string make_layer_file(Random& random) {
  const uint32_t hidden = 1 + below(random, 12);
  const uint32_t output = below(random, 2) == 0 ? hidden : 1 + below(random, 12);
  const uint32_t tables = 1 + below(random, 5);
  const uint32_t bits = 1 + below(random, 4);
  const uint32_t rows = 1u << bits;
  const uint32_t probes = below(random, 2) == 0 ? 1 : 1 + below(random, rows);
  const uint32_t projection = below(random, 10);
  const bool norm = below(random, 2) == 0;
  uint32_t padded = 1;
  while (padded < hidden) padded *= 2;
  uint32_t block = 1;
  while (block < padded && below(random, 3) != 0) block *= 2;
  const uint32_t hashes = tables * bits;
  const uint32_t chains = (hashes + padded - 1) / padded;

  FileMaker maker(random);
  if (norm) {
    maker.add_floats("LayerNorm.weight", {hidden});
    maker.add_floats("LayerNorm.bias", {hidden});
  }
  Shape weight = {hashes, hidden};
  if (projection != 0) weight = {chains, projection, padded / block, block, block};
  if (below(random, 3) == 0) {
    maker.add_bytes("hash.projection.folded_weight", weight);
    weight.pop_back();
    maker.add_scales("hash.projection.folded_scale", weight);
  } else {
    maker.add_floats("hash.projection.weight", weight);
  }
  maker.add_floats("hash.projection.bias", {hashes});
  if (below(random, 3) == 0) {
    maker.add_bytes("tables", {tables, rows, output});
    maker.add_scales("tables.scale", {tables, rows});
  } else {
    maker.add_floats("tables", {tables, rows, output});
  }
  maker.add_floats("bias", {output});

  std::string config = "{" + text_of("hidden_size", hidden) + "," + text_of("ffn_num_table", tables) + "," +
                       text_of("ffn_table_size", rows) + ",\"projection_type\":\"" +
                       (projection == 0 ? "dense" : "bh" + std::to_string(projection)) + "\"," +
                       text_of("block_size", block);
  if (output != hidden) config += "," + text_of("output_size", output);
  if (probes != 1) config += "," + text_of("num_probes", probes);
  if (!norm) config += ",\"layer_norm\":false";
  if (below(random, 2) == 0) config += ",\"activation\":\"sigmoid\"";
  if (below(random, 2) == 0) config += ",\"decay_coeff\":0.25,\"layer_norm_eps\":1e-3";
  return maker.file(config + "}");
}

}  // namespace lffn_fuzz
