// SPDX-License-Identifier: Apache-2.0
#include "format/json.h"

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "format/json_keys.h"
#include "format/utf8.h"
#include "runtime/error.h"

// Only for numbers, which <charconv> does not convert in all C++ libraries: so a saved file, and with it a fingerprint,
// has the same digits on every system. It takes 84 KB of 4 MB. The library never aborts, not even when built for
// debugging.
#define JSON_ASSERT(condition) static_cast<void>(0)
#include <nlohmann/json.hpp>

namespace lffn {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The value of a number as JSON writes it; not finite if it is too large.
double number_of(std::string_view written) {
#ifdef __cpp_lib_to_chars
  double value = 0;
  const auto read = std::from_chars(written.data(), written.data() + written.size(), value);
  if (read.ec == std::errc()) return value;
#endif
  const auto parsed = nlohmann::json::parse(written.begin(), written.end(), nullptr, false);
  return parsed.is_number() ? parsed.get<double>() : HUGE_VAL;
}

// Reads a document that is UTF-8. It does not recurse, so that no text can make the stack overflow.
class Parser {
 public:
  Parser(std::string_view text, size_t first_byte, size_t max_depth, JsonEvents& events)
      : text_(text), first_byte_(first_byte), max_depth_(max_depth), events_(events) {}

  void parse() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) at_ = kByteOrderMark.size();
    do {
      skip_blanks();
      read_value();
    } while (goes_on());
    skip_blanks();
    if (at_ < text_.size()) refuse();
  }

 private:
  struct Level {
    bool is_object;
    JsonKeys keys;
  };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void want(char wanted) {
    if (!take(wanted)) refuse();
  }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
  }
  [[noreturn]] void refuse() const {
    const bool is_empty = text_.find_first_not_of(" \t\r\n") == std::string_view::npos;
    const char* const why = is_empty ? ": it is empty" : at_ >= text_.size() ? ": it ends there" : "";
    fail(LFFN_ERROR_BAD_MODEL, "%s: byte %zu is not valid JSON%s", events_.where().c_str(), first_byte_ + at_, why);
  }

  void read_value() {
    while (peek() == '{' || peek() == '[') {
      const bool is_object = text_[at_++] == '{';
      if (levels_.size() == max_depth_) {
        fail(LFFN_ERROR_BAD_MODEL, "%s: nested deeper than %zu levels", events_.where().c_str(), max_depth_);
      }
      levels_.push_back({is_object, {}});
      if (is_object) {
        events_.begin_object();
      } else {
        events_.begin_array();
      }
      skip_blanks();
      if (take(is_object ? '}' : ']')) return close();
      if (is_object) read_key();
    }
    read_scalar();
  }
  void close() {
    const bool is_object = levels_.back().is_object;
    levels_.pop_back();
    if (is_object) {
      events_.end_object();
    } else {
      events_.end_array();
    }
  }
  // After a value: whether another one follows.
  bool goes_on() {
    while (!levels_.empty()) {
      skip_blanks();
      const bool is_object = levels_.back().is_object;
      if (take(',')) {
        skip_blanks();
        if (is_object) read_key();
        return true;
      }
      want(is_object ? '}' : ']');
      close();
    }
    return false;
  }

  void read_key() {
    read_string();
    if (!levels_.back().keys.insert(string_)) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: duplicate key %s", events_.where().c_str(), in_quotes(string_).c_str());
    }
    skip_blanks();
    want(':');
    skip_blanks();
    events_.key(string_);
  }

  void read_scalar() {
    JsonScalar value;
    switch (peek()) {
      case '"':
        read_string();
        value.kind = JsonScalar::Kind::kString;
        value.text = std::move(string_);
        break;
      case 't':
      case 'f':
        value.kind = JsonScalar::Kind::kBoolean;
        value.boolean = peek() == 't';
        read_word(value.boolean ? "true" : "false");
        break;
      case 'n':
        read_word("null");
        break;
      default:
        read_number(value);
    }
    events_.scalar(std::move(value));
  }
  void read_word(std::string_view word) {
    for (const char c : word) want(c);
  }

  void read_number(JsonScalar& to) {
    const size_t begin = at_;
    const bool is_negative = take('-');
    bool is_whole = true;
    if (!take('0')) skip_digits();
    if (take('.')) {
      is_whole = false;
      skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      is_whole = false;
      ++at_;
      if (!take('-')) take('+');
      skip_digits();
    }
    const std::string_view written = text_.substr(begin, at_ - begin);
    to.kind = JsonScalar::Kind::kNumber;
    if (is_whole && !is_negative) {
      const auto read = std::from_chars(written.data(), written.data() + written.size(), to.integer);
      if (read.ec == std::errc()) {
        to.kind = JsonScalar::Kind::kUnsigned;
        to.number = static_cast<double>(to.integer);
        return;
      }
      to.integer = 0;
    }
    to.number = number_of(written);
    if (!std::isfinite(to.number)) refuse();
  }
  void skip_digits() {
    if (!is_digit(peek())) refuse();
    while (is_digit(peek())) ++at_;
  }

  // Into string_.
  void read_string() {
    want('"');
    string_.clear();
    for (;;) {
      const size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20) {
        ++at_;
      }
      string_.append(text_, begin, at_ - begin);
      if (take('"')) return;
      want('\\');
      read_escaped();
    }
  }
  void read_escaped() {
    constexpr std::string_view kNames = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
    if (take('u')) return append_utf8(string_, read_escaped_number());
    const size_t place = at_ < text_.size() ? kNames.find(text_[at_]) : std::string_view::npos;
    if (place == std::string_view::npos) refuse();
    ++at_;
    string_ += kCharacters[place];
  }
  // A character beyond the first 65536 is written as two numbers.
  uint32_t read_escaped_number() {
    const uint32_t first = read_hex();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF) refuse();
    want('\\');
    want('u');
    const uint32_t second = read_hex();
    if (second < 0xDC00 || second > 0xDFFF) refuse();
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }
  uint32_t read_hex() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek(), low = static_cast<char>(c | 0x20);
      if (!is_digit(c) && (low < 'a' || low > 'f')) refuse();
      value = value << 4 | static_cast<uint32_t>(is_digit(c) ? c - '0' : low - 'a' + 10);
    }
    return value;
  }

  std::string_view text_;
  size_t first_byte_;
  size_t max_depth_;
  JsonEvents& events_;
  size_t at_ = 0;
  std::vector<Level> levels_;
  std::string string_;
};

}  // namespace

void parse_json(std::string_view text, size_t first_byte, size_t max_depth, JsonEvents& events) {
  const size_t valid = valid_utf8_length(text);
  if (valid != text.size()) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: byte %zu is not valid UTF-8", events.where().c_str(), first_byte + valid);
  }
  Parser(text, first_byte, max_depth, events).parse();
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
