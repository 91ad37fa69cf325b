// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/json_settings.h"

#include <algorithm>
#include <utility>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "tokenizer/description.h"

namespace lffn {
namespace {

using Kind = JsonScalar::Kind;

constexpr size_t kMaxValues = 1 << 20;  // an added token has eight
// Limits for the paths of all values together: some times what a list of small numbers needs.
constexpr size_t kLeastPathBytes = 1 << 16, kPathTimes = 64;

}  // namespace

JsonSettings::JsonSettings(const char* where, size_t bytes)
    : where_(where), most_path_bytes_(std::min(kLeastPathBytes + kPathTimes * bytes, kMaxVocabularyBytes)) {}

void JsonSettings::keep(std::string path, std::optional<JsonScalar>&& value) {
  if (values_.size() == kMaxValues) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: more than %zu values besides vocabulary and merges", where_, kMaxValues);
  }
  // A long name counts as often as there are values under it: it is copied for each.
  path_bytes_ += path.size();
  if (path_bytes_ > most_path_bytes_) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: the names of the values besides vocabulary and merges have more than %zu bytes",
         where_, most_path_bytes_);
  }
  values_.emplace(std::move(path), std::move(value));
}

void JsonSettings::refuse(const std::string& path, const std::string& wanted) const {
  fail(LFFN_ERROR_BAD_MODEL, "%s: %s must be %s", where_, in_quotes(path).c_str(), wanted.c_str());
}

const JsonScalar* JsonSettings::scalar(const std::string& path) const {
  const auto found = values_.find(path);
  return found != values_.end() && found->second.has_value() ? &*found->second : nullptr;
}

bool JsonSettings::has(const std::string& path) const {
  const auto found = values_.find(path);
  return found != values_.end() && !(found->second.has_value() && found->second->kind == Kind::kNull);
}

std::string JsonSettings::text(const std::string& path) const {
  if (!has(path)) return "";
  const JsonScalar* value = scalar(path);
  if (value == nullptr || value->kind != Kind::kString) refuse(path, "a text");
  return value->text;
}

std::optional<bool> JsonSettings::optional_flag(const std::string& path) const {
  if (!has(path)) return std::nullopt;
  const JsonScalar* value = scalar(path);
  if (value == nullptr || value->kind != Kind::kBoolean) refuse(path, "true or false");
  return value->boolean;
}

bool JsonSettings::flag(const std::string& path, bool otherwise) const {
  return optional_flag(path).value_or(otherwise);
}

size_t JsonSettings::size(const std::string& path, size_t otherwise) const {
  if (!has(path)) return otherwise;
  const JsonScalar* value = scalar(path);
  const bool is_number = value != nullptr && (value->kind == Kind::kUnsigned || value->kind == Kind::kNumber);
  if (!is_number) refuse(path, "a number");
  if (!(value->number >= 0)) return otherwise;
  return value->number < 9e15 ? static_cast<size_t>(value->number) : SIZE_MAX;
}

int32_t JsonSettings::id(const std::string& path) const {
  const JsonScalar* value = scalar(path);
  if (value == nullptr || value->kind != Kind::kUnsigned || value->integer > kMaxTokenId) {
    refuse(path, "a whole number from 0 to " + std::to_string(kMaxTokenId));
  }
  return static_cast<int32_t>(value->integer);
}

std::vector<std::string> JsonSettings::keys(const std::string& path) const {
  const std::string start = path + '/';
  std::vector<std::string> result;
  for (auto at = values_.lower_bound(start); at != values_.end(); ++at) {
    if (at->first.compare(0, start.size(), start) != 0) break;
    if (at->first.find('/', start.size()) == std::string::npos) result.push_back(at->first.substr(start.size()));
  }
  return result;
}

void JsonSettings::want_text(const std::string& path, const char* wanted) const {
  const JsonScalar* value = scalar(path);
  if (value == nullptr || value->kind != Kind::kString || value->text != wanted) {
    refuse(path, std::string("\"") + wanted + "\"");
  }
}

void JsonSettings::want_flag(const std::string& path, bool wanted) const {
  if (flag(path, wanted) != wanted) {
    refuse(path, wanted ? "true; nothing else is known here" : "false; nothing else is known here");
  }
}

void JsonSettings::want_nothing(const std::string& path) const {
  const JsonScalar* value = scalar(path);
  const bool is_nothing =
      value != nullptr && ((value->kind == Kind::kString && value->text.empty()) ||
                           (value->kind != Kind::kString && value->kind != Kind::kBoolean && value->number == 0));
  if (has(path) && !is_nothing) refuse(path, "null; nothing else is known here");
}

void SettingsReader::scalar(JsonScalar&& value) {
  poll(cancel_);
  to_.keep(next_path(), std::move(value));
}

void SettingsReader::begin(bool is_array) {
  std::string path = next_path();
  to_.keep(path, std::nullopt);
  levels_.push_back({std::move(path), is_array, "", 0});
}

std::string SettingsReader::next_path() {
  if (levels_.empty()) return "";
  Level& level = levels_.back();
  return level.path + '/' + (level.is_array ? std::to_string(level.next_place++) : level.key);
}

JsonSettings read_json_settings(std::string_view text, const char* where, const int32_t* cancel) {
  constexpr size_t kMaxDepth = 16;
  check_vocabulary_size(text.size(), where);
  JsonSettings result(where, text.size());
  SettingsReader reader(result, cancel);
  parse_json(text, 0, kMaxDepth, reader);
  return result;
}

}  // namespace lffn
