// SPDX-License-Identifier: Apache-2.0
#include "format/json.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "format/utf8.h"
#include "runtime/error.h"

// The library never aborts, not even when built for debugging.
#define JSON_ASSERT(condition) static_cast<void>(0)
#include <nlohmann/json.hpp>

namespace lffn {
namespace {

// Stands between the parser, which knows JSON, and the events, which know what is wanted.
class Sax : public nlohmann::json_sax<nlohmann::json> {
 public:
  Sax(size_t max_depth, JsonEvents& events) : max_depth_(max_depth), events_(events) {}

  size_t error_position() const { return error_position_; }

  bool null() override {
    events_.scalar(JsonScalar());
    return true;
  }
  bool boolean(bool given) override {
    JsonScalar value;
    value.kind = JsonScalar::Kind::kBoolean;
    value.boolean = given;
    events_.scalar(std::move(value));
    return true;
  }
  bool number_integer(int64_t given) override { return number(static_cast<double>(given)); }
  bool number_float(double given, const std::string&) override { return number(given); }
  bool number_unsigned(uint64_t given) override {
    JsonScalar value;
    value.kind = JsonScalar::Kind::kUnsigned;
    value.integer = given;
    value.number = static_cast<double>(given);
    events_.scalar(std::move(value));
    return true;
  }
  bool string(std::string& given) override {
    JsonScalar value;
    value.kind = JsonScalar::Kind::kString;
    value.text = std::move(given);
    events_.scalar(std::move(value));
    return true;
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }

  bool start_object(size_t) override {
    open();
    events_.begin_object();
    return true;
  }
  bool key(std::string& name) override {
    if (!keys_.back().insert(name).second) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: duplicate key %s", events_.where().c_str(), in_quotes(name).c_str());
    }
    events_.key(name);
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    events_.end_object();
    return true;
  }
  bool start_array(size_t) override {
    open();
    events_.begin_array();
    return true;
  }
  bool end_array() override {
    keys_.pop_back();
    events_.end_array();
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) override {
    error_position_ = position;
    return false;
  }

 private:
  bool number(double given) {
    JsonScalar value;
    value.kind = JsonScalar::Kind::kNumber;
    value.number = given;
    events_.scalar(std::move(value));
    return true;
  }
  void open() {
    if (keys_.size() == max_depth_) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: nested deeper than %zu levels", events_.where().c_str(), max_depth_);
    }
    keys_.emplace_back();
  }

  size_t max_depth_;
  JsonEvents& events_;
  // One set for each open object or array. Ordered: names that all hash alike cannot slow it down.
  std::vector<std::set<std::string>> keys_;
  size_t error_position_ = 0;
};

}  // namespace

void parse_json(std::string_view text, size_t first_byte, size_t max_depth, JsonEvents& events) {
  const size_t valid = valid_utf8_length(text);
  if (valid != text.size()) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: byte %zu is not valid UTF-8", events.where().c_str(), first_byte + valid);
  }
  // The parser takes a null byte for the end, and would never see what follows it.
  const size_t null_byte = text.find('\0');
  if (null_byte != std::string_view::npos) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: byte %zu is not valid JSON", events.where().c_str(), first_byte + null_byte);
  }
  Sax sax(max_depth, events);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &sax)) {
    const size_t position = std::min(std::max<size_t>(sax.error_position(), 1) - 1, text.size());
    fail(LFFN_ERROR_BAD_MODEL, "%s: byte %zu is not valid JSON", events.where().c_str(), first_byte + position);
  }
}

double json_number(std::string_view text) {
  struct Number final : JsonEvents {
    double value = 0;
    void begin_object() override {}
    void end_object() override {}
    void begin_array() override {}
    void end_array() override {}
    void key(std::string&) override {}
    void scalar(JsonScalar&& scalar) override { value = scalar.number; }
    std::string where() const override { return "a number"; }
  } number;
  parse_json(text, 0, 1, number);
  return number.value;
}

void append_json_number(std::string& out, double number) { out += nlohmann::json(number).dump(); }

void append_json_string(std::string& out, std::string_view text) {
  if (valid_utf8_length(text) != text.size()) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is not valid UTF-8", in_quotes(text).c_str());
  }
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace lffn
