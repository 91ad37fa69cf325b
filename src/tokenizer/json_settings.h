// SPDX-License-Identifier: Apache-2.0
// A JSON document as a table of its values under their paths, such as "/added_tokens/0/content".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"

namespace lffn {

class JsonSettings {
 public:
  // For a file of so many bytes.
  explicit JsonSettings(const char* where, size_t bytes = 0);

  // For readers. Without a scalar the value is an object or an array.
  void keep(std::string path, std::optional<JsonScalar>&& value);
  const char* where() const { return where_; }

  // A missing value counts as null. Each throws Error(LFFN_ERROR_BAD_MODEL) for a value of another type.
  bool has(const std::string& path) const;
  bool is_said(const std::string& path) const { return values_.count(path) != 0; }  // has it, or is null in the file
  std::string text(const std::string& path) const;                                  // "" if there is none
  bool flag(const std::string& path, bool otherwise) const;
  std::optional<bool> optional_flag(const std::string& path) const;
  size_t size(const std::string& path, size_t otherwise) const;  // a huge number becomes SIZE_MAX
  int32_t id(const std::string& path) const;
  std::vector<std::string> keys(const std::string& path) const;  // of an object; without '/'

  void want_text(const std::string& path, const char* wanted) const;
  void want_flag(const std::string& path, bool wanted) const;  // or missing
  void want_nothing(const std::string& path) const;            // null, "", 0 or missing

  [[noreturn]] void refuse(const std::string& path, const std::string& wanted) const;

 private:
  const JsonScalar* scalar(const std::string& path) const;

  const char* where_;
  size_t path_bytes_ = 0;  // of all that keep() was given
  size_t most_path_bytes_;
  std::map<std::string, std::optional<JsonScalar>, std::less<>> values_;
};

// Keeps all values of a document. What a derived reader takes for itself is not kept.
class SettingsReader : public JsonEvents {
 public:
  // The flag is looked at for each value.
  SettingsReader(JsonSettings& to, const int32_t* cancel) : to_(to), cancel_(cancel) {}

  void begin_object() override { begin(false); }
  void end_object() override { levels_.pop_back(); }
  void begin_array() override { begin(true); }
  void end_array() override { levels_.pop_back(); }
  void key(std::string& name) override { levels_.back().key = std::move(name); }
  void scalar(JsonScalar&& value) override;
  std::string where() const override { return to_.where(); }

 protected:
  struct Level {
    std::string path;
    bool is_array;
    std::string key;
    size_t next_place;
  };
  std::vector<Level> levels_;

 private:
  void begin(bool is_array);
  std::string next_path();

  JsonSettings& to_;
  const int32_t* cancel_;
};

JsonSettings read_json_settings(std::string_view text, const char* where, const int32_t* cancel);

}  // namespace lffn
