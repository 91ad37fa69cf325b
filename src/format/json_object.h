// The outermost values of a JSON object, asked for by key and type. What lies deeper is checked to be JSON and dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "format/json.h"

namespace lffn {

class JsonObject {
 public:
  // `what` begins every message: "config". Throws Error(LFFN_ERROR_BAD_MODEL), as all functions here do. Texts of more
  // than 1 MiB are refused.
  JsonObject(std::string_view text, std::string what);

  // Each throws if the key has a value of another type. Without a default it throws if the key is missing, too.
  int32_t integer(const char* key, std::optional<int32_t> otherwise = std::nullopt) const;
  float number(const char* key, std::optional<float> otherwise = std::nullopt) const;
  bool boolean(const char* key, std::optional<bool> otherwise = std::nullopt) const;
  // The place of the value in `names`.
  int32_t choice(const char* key, std::initializer_list<const char*> names,
                 std::optional<int32_t> otherwise = std::nullopt) const;

 private:
  const JsonScalar* find(const char* key, bool required, const char* wanted) const;
  [[noreturn]] void refuse(const char* key, const std::string& wanted) const;

  std::string what_;
  std::map<std::string, std::optional<JsonScalar>, std::less<>> values_;  // without a value: an object or an array
};

}  // namespace lffn
