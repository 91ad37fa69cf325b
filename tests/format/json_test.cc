// SPDX-License-Identifier: Apache-2.0
// The reader of JSON against another one: the same texts are JSON, with the same values.
#include "format/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/error.h"

namespace lffn {
namespace {

// Builds the document again.
class Builder : public JsonEvents {
 public:
  nlohmann::json root;

  void begin_object() override { open(nlohmann::json::object()); }
  void end_object() override { levels_.pop_back(); }
  void begin_array() override { open(nlohmann::json::array()); }
  void end_array() override { levels_.pop_back(); }
  void key(std::string& name) override { key_ = std::move(name); }
  void scalar(JsonScalar&& value) override {
    switch (value.kind) {
      case JsonScalar::Kind::kNull:
        put(nullptr);
        break;
      case JsonScalar::Kind::kBoolean:
        put(value.boolean);
        break;
      case JsonScalar::Kind::kUnsigned:
        EXPECT_EQ(static_cast<double>(value.integer), value.number);
        put(value.integer);
        break;
      case JsonScalar::Kind::kNumber:
        put(value.number);
        break;
      case JsonScalar::Kind::kString:
        put(value.text);
    }
  }
  std::string where() const override { return "here"; }

 private:
  nlohmann::json* put(nlohmann::json value) {
    if (levels_.empty()) {
      root = std::move(value);
      return &root;
    }
    nlohmann::json& level = *levels_.back();
    if (level.is_object()) return &(level[key_] = std::move(value));
    level.push_back(std::move(value));
    return &level.back();
  }
  void open(nlohmann::json value) { levels_.push_back(put(std::move(value))); }

  std::vector<nlohmann::json*> levels_;
  std::string key_;
};

// What is wrong with the text; "" if it is JSON.
std::string failure(const std::string& text, size_t max_depth = 16) {
  Builder builder;
  try {
    parse_json(text, 0, max_depth, builder);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_same(const std::string& text) {
  const nlohmann::json expected = nlohmann::json::parse(text, nullptr, false);
  Builder builder;
  bool is_json = true;
  try {
    parse_json(text, 0, 64, builder);
  } catch (const Error& error) {
    is_json = false;
    if (std::string(error.what()).find("duplicate") != std::string::npos) return;  // the other takes them
  }
  EXPECT_EQ(is_json, !expected.is_discarded()) << text;
  if (is_json && !expected.is_discarded()) {
    EXPECT_EQ(builder.root, expected) << text;
  }
}

constexpr char kDocument[] =
    R"( {"a": [1, -2, 3.5e+2, 0, -0.25E-3, 12345678901234567890, 123456789012345678901], "\u00e9\ud83d\ude00\n": [],
 "b": {"c": {}, "d": [true, false, null, "x\\\"\/\b\f\r\t", ""]}, "h": 0.1, "é": "日本" } )";

TEST(JsonTest, ReadsWhatTheOtherReads) {
  expect_same(kDocument);
  for (const char* text : {"",
                           " ",
                           "0",
                           "-0",
                           "-",
                           "01",
                           "1.",
                           ".5",
                           "1e",
                           "1e+",
                           "1e5",
                           "1E400",
                           "-1e400",
                           "1e-400",
                           "4.9e-324",
                           "tru",
                           "true1",
                           "nul",
                           "\"",
                           "\"\\",
                           "\"\\u12",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\x\"",
                           "[1,]",
                           "[,1]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "[1 2]",
                           "[1]]",
                           "[[]",
                           "\xEF\xBB\xBF[1]",
                           "\xEF\xBB\xBF",
                           "9007199254740993",
                           "0.30000000000000004",
                           "179769313486231580793e289",
                           "2.2250738585072011e-308"}) {
    expect_same(text);
  }
}

TEST(JsonTest, RefusesWhatTheOtherRefusesInSpoiltDocuments) {
  const std::string document = kDocument;
  for (size_t at = 0; at < document.size(); ++at) {
    expect_same(document.substr(0, at));
    expect_same(std::string(document).erase(at, 1));
    for (const char byte : {'"', '\\', '{', '}', '[', ']', ',', ':', '0', 'e', '-', ' ', 'u', '\x01', '\x80'}) {
      std::string spoilt = document;
      spoilt[at] = byte;
      expect_same(spoilt);
      expect_same(std::string(document).insert(at, 1, byte));
    }
  }
}

TEST(JsonTest, TellsWhereItStopped) {
  EXPECT_EQ(failure("[1, x]"), "here: byte 4 is not valid JSON");
  EXPECT_EQ(failure("[1"), "here: byte 2 is not valid JSON: it ends there");
  EXPECT_EQ(failure(std::string("[1]\0", 4)), "here: byte 3 is not valid JSON");  // the other would take it for the end
  EXPECT_EQ(failure("[\"\xC3\"]"), "here: byte 2 is not valid UTF-8");
  EXPECT_EQ(failure("[[[]]]", 2), "here: nested deeper than 2 levels");
}

TEST(JsonTest, RefusesAKeyThatIsThereTwice) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) {
    text += "\"key " + std::to_string(i) + "\": {\"key 1\": 0},";
    EXPECT_EQ(failure(text + "\"last\": 1}"), "");
    EXPECT_EQ(failure(text + "\"key " + std::to_string(i / 2) + "\": 1}"),
              "here: duplicate key 'key " + std::to_string(i / 2) + "'");
  }
}

}  // namespace
}  // namespace lffn
