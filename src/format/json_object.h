// SPDX-License-Identifier: Apache-2.0
// JSON values in memory, asked for by key and type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"

namespace lffn {

struct JsonValue {
  enum class Shape { kScalar, kList, kObject };
  Shape shape = Shape::kScalar;
  JsonScalar scalar;
  std::vector<JsonValue> items;    // of a list or an object
  std::vector<std::string> names;  // of an object, one for each item

  bool is_null() const { return shape == Shape::kScalar && scalar.kind == JsonScalar::Kind::kNull; }
  bool is_text() const { return shape == Shape::kScalar && scalar.kind == JsonScalar::Kind::kString; }
  // Whether callers can get it as a C string, which ends at the first zero.
  bool is_c_text() const { return is_text() && scalar.text.find('\0') == std::string::npos; }
};

// Parses a whole document. `what` begins every message. Throws Error(LFFN_ERROR_BAD_MODEL), also for texts of more than
// 1 MiB.
JsonValue parse_json_value(std::string_view text, const std::string& what);

class JsonObject {
 public:
  // Both throw Error(LFFN_ERROR_BAD_MODEL) unless it is an object. All functions here throw this error.
  JsonObject(std::string_view text, std::string what);
  JsonObject(JsonValue value, std::string what);

  // From here on a key whose value is null counts as missing, which is what transformers' own files mean by it.
  void drop_nulls();

  // From here on the value of key `from` belongs to key `to`, unless that has a value already.
  void rename(const char* from, const char* to);

  // Each throws if the key has a value of another type and, without a default, if the key is missing.
  int32_t integer(const char* key, std::optional<int32_t> otherwise = std::nullopt) const;
  float number(const char* key, std::optional<float> otherwise = std::nullopt) const;
  bool boolean(const char* key, std::optional<bool> otherwise = std::nullopt) const;
  std::string text(const char* key, std::optional<std::string> otherwise = std::nullopt) const;
  // The place of the value in `names`.
  int32_t choice(const char* key, std::initializer_list<const char*> names,
                 std::optional<int32_t> otherwise = std::nullopt) const;
  // nullptr: the key is missing.
  const JsonValue* value(const char* key) const;

  const JsonValue& root() const { return root_; }
  [[noreturn]] void refuse(const char* key, const std::string& wanted) const;

 private:
  const JsonScalar* find(const char* key, bool required, const char* wanted) const;

  std::string what_;
  JsonValue root_;
};

}  // namespace lffn
