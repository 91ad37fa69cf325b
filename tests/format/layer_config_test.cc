// SPDX-License-Identifier: Apache-2.0
#include "format/layer_config.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "lookupffn/layer.h"
#include "tests/format/helpers.h"

namespace lffn {
namespace {

using Keys = std::map<std::string, std::string>;

const Keys kGood = {{"hidden_size", "96"},    {"output_size", "100"},         {"ffn_num_table", "20"},
                    {"ffn_table_size", "64"}, {"projection_type", "\"bh3\""}, {"block_size", "16"},
                    {"decay_coeff", "0.25"},  {"activation", "\"sigmoid\""},  {"num_probes", "5"},
                    {"layer_norm", "false"},  {"layer_norm_eps", "1e-6"}};

std::string json_of(const Keys& keys) {
  std::string text = "{";
  for (const auto& [key, value] : keys) text += (text.size() > 1 ? ",\"" : "\"") + key + "\":" + value;
  return text + "}";
}

std::string good_but(const std::string& key, const std::string& value) {
  Keys keys = kGood;
  keys[key] = value;
  return json_of(keys);
}

std::string good_without(const std::string& key) {
  Keys keys = kGood;
  keys.erase(key);
  return json_of(keys);
}

void expect_same(const LayerConfig& a, const LayerConfig& b) {
  EXPECT_EQ(a.hidden_size, b.hidden_size);
  EXPECT_EQ(a.output_size, b.output_size);
  EXPECT_EQ(a.num_tables, b.num_tables);
  EXPECT_EQ(a.table_size, b.table_size);
  EXPECT_EQ(a.projection, b.projection);
  EXPECT_EQ(a.block_size, b.block_size);
  EXPECT_EQ(a.activation, b.activation);
  EXPECT_EQ(a.num_probes, b.num_probes);
  EXPECT_EQ(a.layer_norm, b.layer_norm);
  EXPECT_EQ(std::memcmp(&a.decay_coeff, &b.decay_coeff, sizeof(float)), 0) << a.decay_coeff << ' ' << b.decay_coeff;
  EXPECT_EQ(std::memcmp(&a.layer_norm_eps, &b.layer_norm_eps, sizeof(float)), 0);
}

TEST(LayerConfig, ReadsEveryKey) {
  const LayerConfig config = parse_layer_config(json_of(kGood));
  EXPECT_EQ(config.hidden_size, 96);
  EXPECT_EQ(config.output_size, 100);
  EXPECT_EQ(config.num_tables, 20);
  EXPECT_EQ(config.table_size, 64);
  EXPECT_EQ(config.projection, 3);
  EXPECT_EQ(config.block_size, 16);
  EXPECT_EQ(config.activation, LFFN_ACTIVATION_SIGMOID);
  EXPECT_EQ(config.num_probes, 5);
  EXPECT_FALSE(config.layer_norm);
  EXPECT_EQ(config.decay_coeff, 0.25f);
  EXPECT_EQ(config.layer_norm_eps, 1e-6f);
}

TEST(LayerConfig, FillsDefaults) {
  const LayerConfig config =
      parse_layer_config(R"({"hidden_size":64,"ffn_num_table":8,"ffn_table_size":2,"projection_type":"dense"})");
  EXPECT_EQ(config.output_size, 64);
  EXPECT_EQ(config.activation, LFFN_ACTIVATION_GELU);
  EXPECT_EQ(config.num_probes, 1);
  EXPECT_TRUE(config.layer_norm);
  EXPECT_EQ(config.decay_coeff, 0.7f);
  EXPECT_EQ(config.layer_norm_eps, 1e-5f);
}

TEST(LayerConfig, IgnoresUnknownKeysOfAnyKind) {
  Keys keys = kGood;
  keys["architectures"] = R"(["RobertaForMaskedLM", {"hidden_size": 3}])";
  keys["id2label"] = R"({"0": "no", "hidden_size": "seven"})";
  keys["torch_dtype"] = "null";
  keys["x"] = "1e999";
  expect_error(LFFN_ERROR_BAD_MODEL, "config", [&] { parse_layer_config(json_of(keys)); });  // not a number at all
  keys["x"] = "-1.5e300";
  expect_same(parse_layer_config(json_of(keys)), parse_layer_config(json_of(kGood)));
}

TEST(LayerConfig, NamesMissingKeys) {
  for (const char* key : {"hidden_size", "ffn_num_table", "ffn_table_size", "projection_type", "block_size"}) {
    expect_error(LFFN_ERROR_BAD_MODEL, "config: '" + std::string(key) + "' is missing",
                 [&] { parse_layer_config(good_without(key)); });
  }
}

TEST(LayerConfig, RefusesWrongTypes) {
  for (const auto& [key, good] : kGood) {
    for (const char* value : {"null", "[]", "{}", "\"x\"", "[1]", "1e39", "-1e39"}) {
      expect_error(LFFN_ERROR_BAD_MODEL, "config: '" + key + "' must be",
                   [&, &key = key] { parse_layer_config(good_but(key, value)); });
    }
  }
  for (const char* key :
       {"hidden_size", "output_size", "ffn_num_table", "ffn_table_size", "block_size", "num_probes"}) {
    for (const char* value : {"-1", "64.0", "2147483648", "18446744073709551616", "true", "\"64\""}) {
      expect_error(LFFN_ERROR_BAD_MODEL, "config: '" + std::string(key) + "' must be a whole number",
                   [&] { parse_layer_config(good_but(key, value)); });
    }
  }
  for (const char* value : {"0", "1", "\"true\""}) {
    expect_error(LFFN_ERROR_BAD_MODEL, "'layer_norm' must be true or false",
                 [&] { parse_layer_config(good_but("layer_norm", value)); });
  }
  for (const char* value : {"4", "\"bh\"", "\"bh0\"", "\"bh10\"", "\"BH4\"", "\"Dense\"", "\"\""}) {
    expect_error(LFFN_ERROR_BAD_MODEL, "'projection_type' must be",
                 [&] { parse_layer_config(good_but("projection_type", value)); });
  }
  for (const char* value : {"0", "\"relu\"", "true"}) {
    expect_error(LFFN_ERROR_BAD_MODEL, "'activation' must be",
                 [&] { parse_layer_config(good_but("activation", value)); });
  }
}

TEST(LayerConfig, RefusesBadValues) {
  const std::pair<const char*, const char*> bad[] = {
      {"hidden_size", "0"},      {"hidden_size", "1048577"},   {"output_size", "0"},    {"output_size", "1048577"},
      {"ffn_num_table", "0"},    {"ffn_num_table", "1048577"}, {"ffn_table_size", "0"}, {"ffn_table_size", "1"},
      {"ffn_table_size", "255"}, {"ffn_table_size", "131072"}, {"block_size", "0"},     {"block_size", "3"},
      {"block_size", "256"},     {"num_probes", "0"},          {"num_probes", "65"},    {"layer_norm_eps", "-1e-9"},
      {"block_size", "24"},
  };
  for (const auto& [key, value] : bad) {
    expect_error(LFFN_ERROR_BAD_MODEL, "config: '" + std::string(key) + "' is ",
                 [&, key = key, value = value] { parse_layer_config(good_but(key, value)); });
  }
  EXPECT_EQ(parse_layer_config(good_but("block_size", "128")).block_size, 128) << "up to the padded size";
  EXPECT_EQ(parse_layer_config(good_but("layer_norm_eps", "0")).layer_norm_eps, 0);
}

TEST(LayerConfig, RefusesWhatIsNoObject) {
  for (const char* text : {"", "x", "1", "[]", "[{}]", "null", "\"text\"", "{", "{}}", "{\"a\":1,}"}) {
    expect_error(LFFN_ERROR_BAD_MODEL, "config:", [&] { parse_layer_config(text); });
  }
  expect_error(LFFN_ERROR_BAD_MODEL, "config: duplicate key 'hidden_size'",
               [&] { parse_layer_config(R"({"hidden_size":1,"hidden_size":1})"); });
  expect_error(LFFN_ERROR_BAD_MODEL, "config: byte 2 is not valid UTF-8", [&] { parse_layer_config("{\"\xFF\":1}"); });
  expect_error(LFFN_ERROR_BAD_MODEL, "config: nested deeper than 32 levels",
               [&] { parse_layer_config(good_but("x", std::string(100000, '['))); });
  expect_error(LFFN_ERROR_BAD_MODEL, "more than the 1048576 allowed",
               [&] { parse_layer_config(json_of(kGood) + std::string(1 << 20, ' ')); });
}

TEST(LayerConfig, NamesTheMemberToCallers) {
  LayerConfig config = parse_layer_config(json_of(kGood));
  config.num_tables = 0;
  expect_error(LFFN_ERROR_INVALID_ARGUMENT, "'num_tables' is 0",
               [&] { check_layer_config(config, LFFN_ERROR_INVALID_ARGUMENT); });
  config.num_tables = 1;
  config.table_size = -2;
  expect_error(LFFN_ERROR_INVALID_ARGUMENT, "'table_size' is -2",
               [&] { check_layer_config(config, LFFN_ERROR_INVALID_ARGUMENT); });
  config.table_size = 64;
  for (const int32_t projection : {-1, 10, INT32_MAX}) {
    config.projection = projection;
    expect_error(LFFN_ERROR_INVALID_ARGUMENT, "'projection' is",
                 [&] { check_layer_config(config, LFFN_ERROR_INVALID_ARGUMENT); });
  }
  config.projection = 0;
  config.activation = 2;
  expect_error(LFFN_ERROR_INVALID_ARGUMENT, "'activation' is 2",
               [&] { check_layer_config(config, LFFN_ERROR_INVALID_ARGUMENT); });
  config.activation = 0;
  for (const float value : {INFINITY, -INFINITY, NAN}) {
    config.decay_coeff = value;
    expect_error(LFFN_ERROR_INVALID_ARGUMENT, "'decay_coeff' is not finite",
                 [&] { check_layer_config(config, LFFN_ERROR_INVALID_ARGUMENT); });
    config.decay_coeff = 1;
    config.layer_norm_eps = value;
    expect_error(LFFN_ERROR_INVALID_ARGUMENT, "'layer_norm_eps' is",
                 [&] { check_layer_config(config, LFFN_ERROR_INVALID_ARGUMENT); });
    config.layer_norm_eps = 0;
  }
  check_layer_config(config, LFFN_ERROR_INVALID_ARGUMENT);
}

TEST(LayerConfig, RefusesLayersBeyondAddressing) {
  const auto config_of = [](int32_t hidden, int32_t output, int32_t tables, int32_t rows, int32_t projection,
                            int32_t block) {
    LayerConfig config;
    config.hidden_size = hidden;
    config.output_size = output;
    config.num_tables = tables;
    config.table_size = rows;
    config.projection = projection;
    config.block_size = block;
    return config;
  };
  const LayerConfig too_large[] = {
      config_of(1, 1 << 20, 1 << 20, 65536, 0, 1),  // tables
      config_of(1, 1, 1 << 20, 1 << 16, 0, 1),      // still fine alone: 2^36 numbers
      config_of(1 << 20, 1, 1 << 19, 2, 0, 1),      // dense projection
      config_of(1 << 20, 1, 1, 2, 9, 1 << 20),      // BH blocks
  };
  for (const LayerConfig& config : too_large) {
    if (&config == &too_large[1]) {
      check_layer_config(config, LFFN_ERROR_BAD_MODEL);
      continue;
    }
    expect_error(LFFN_ERROR_BAD_MODEL, "larger than 2^40 bytes",
                 [&] { check_layer_config(config, LFFN_ERROR_BAD_MODEL); });
  }
}

TEST(LayerConfig, DerivesSizesAndCost) {
  LayerConfig config = parse_layer_config(
      R"({"hidden_size":512,"ffn_num_table":128,"ffn_table_size":256,"projection_type":"bh4","block_size":64})");
  EXPECT_EQ(config.code_bits(), 8);
  EXPECT_EQ(config.num_hashes(), 1024);
  EXPECT_EQ(config.padded_size(), 512);
  EXPECT_EQ(config.num_chains(), 2);
  EXPECT_EQ(config.flop_per_token(), 2 * 4 * (2 * 512 * 64 + 512 * 9) + 2 * 128 * 512);
  config.projection = LFFN_PROJECTION_DENSE;
  EXPECT_EQ(config.flop_per_token(), 2 * 512 * 1024 + 2 * 128 * 512);

  config = parse_layer_config(json_of(kGood));
  EXPECT_EQ(config.code_bits(), 6);
  EXPECT_EQ(config.padded_size(), 128);
  EXPECT_EQ(config.num_chains(), 1);
  EXPECT_EQ(config.flop_per_token(), 3 * (2 * 128 * 16 + 128 * 7) + 2 * 20 * 100);
  config.num_tables = 22;
  EXPECT_EQ(config.num_chains(), 2);
  config.hidden_size = 1;
  EXPECT_EQ(config.padded_size(), 1);
  EXPECT_EQ(config.num_chains(), 22 * 6);
}

TEST(LayerConfig, ReadsBackItsOwnJson) {
  LayerConfig config = parse_layer_config(json_of(kGood));
  expect_same(parse_layer_config(layer_config_to_json(config)), config);
  EXPECT_NE(layer_config_to_json(config).find("\"decay_coeff\": 0.25,"), std::string::npos);
  config.layer_norm = true;
  config.activation = LFFN_ACTIVATION_GELU;
  uint32_t random = 12345;
  const float edges[] = {0.7f, 0.1f,  1e-5f, FLT_MAX,    FLT_MIN, std::numeric_limits<float>::denorm_min(),
                         0.0f, -0.0f, -3.0f, 16777217.0f};
  for (int i = 0; i < 20000; ++i) {
    random = random * 1664525 + 1013904223;
    float value;
    std::memcpy(&value, &random, sizeof(value));
    if (i < 10) value = edges[i];
    if (!std::isfinite(value)) continue;
    config.decay_coeff = value;
    config.layer_norm_eps = value == 0 ? value : std::fabs(value);
    expect_same(parse_layer_config(layer_config_to_json(config)), config);
    if (HasFailure()) return;
  }
  for (int projection = 0; projection <= 9; ++projection) {
    config.projection = projection;
    expect_same(parse_layer_config(layer_config_to_json(config)), config);
  }
}

}  // namespace
}  // namespace lffn
