// SPDX-License-Identifier: Apache-2.0
// JSON from outside, as a stream of events, checked more strictly than the standard asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lffn {

// A JSON value that is neither an object nor an array.
struct JsonScalar {
  enum class Kind { kNull, kBoolean, kUnsigned, kNumber, kString };
  Kind kind = Kind::kNull;
  bool boolean = false;
  uint64_t integer = 0;  // of kUnsigned: a number written as digits only
  double number = 0;     // of kUnsigned and kNumber
  std::string text;      // of kString
};

// Receives the parts of a document in their order. Each function may throw to end the parsing.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual void begin_object() = 0;
  virtual void end_object() = 0;
  virtual void begin_array() = 0;
  virtual void end_array() = 0;
  virtual void key(std::string& name) = 0;  // may be moved from
  virtual void scalar(JsonScalar&& value) = 0;
  virtual std::string where() const = 0;  // what is being read, for messages: "tensor 'tables'"
};

// Parses one JSON document that fills the whole text. Throws Error(LFFN_ERROR_BAD_MODEL) for text that is not UTF-8 or
// not JSON, for a key that an object has twice, and for objects and arrays nested deeper than max_depth. Messages count
// bytes from first_byte, where the text stands in its file. Memory grows at most in proportion to the text.
void parse_json(std::string_view text, size_t first_byte, size_t max_depth, JsonEvents& events);

// The text as a number, as parse_json reads it. Not every C++ library has std::from_chars for it.
double json_number(std::string_view text);

// Appends the finite number in as few digits as tell it from all others.
void append_json_number(std::string& out, double number);

// Appends the text in double quotes, escaped as JSON requires. The text must be UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace lffn
