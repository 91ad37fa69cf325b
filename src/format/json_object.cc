// SPDX-License-Identifier: Apache-2.0
#include "format/json_object.h"

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <utility>

#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr size_t kMaxDepth = 32;

// Builds the tree of a document.
class Builder : public JsonEvents {
 public:
  explicit Builder(const std::string& what) : what_(what) {}
  JsonValue take() { return std::move(root_); }

  void begin_object() override { begin(JsonValue::Shape::kObject); }
  void end_object() override { open_.pop_back(); }
  void begin_array() override { begin(JsonValue::Shape::kList); }
  void end_array() override { open_.pop_back(); }
  void key(std::string& name) override { open_.back()->names.push_back(std::move(name)); }
  void scalar(JsonScalar&& value) override { add().scalar = std::move(value); }
  std::string where() const override { return what_; }

 private:
  // No pointer to a value outlives a change of the list that holds it: only the last value of a list is ever open.
  JsonValue& add() {
    if (open_.empty()) return root_;
    open_.back()->items.emplace_back();
    return open_.back()->items.back();
  }
  void begin(JsonValue::Shape shape) {
    JsonValue& value = add();
    value.shape = shape;
    open_.push_back(&value);
  }

  const std::string& what_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
};

}  // namespace

JsonValue parse_json_value(std::string_view text, const std::string& what) {
  if (text.size() > kMaxBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %zu bytes, more than the %zu allowed", what.c_str(), text.size(), kMaxBytes);
  }
  Builder builder(what);
  parse_json(text, 0, kMaxDepth, builder);
  return builder.take();
}

JsonObject::JsonObject(std::string_view text, std::string what)
    : JsonObject(parse_json_value(text, what), std::string(what)) {}

JsonObject::JsonObject(JsonValue value, std::string what) : what_(std::move(what)), root_(std::move(value)) {
  if (root_.shape != JsonValue::Shape::kObject) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: must be a JSON object", what_.c_str());
  }
}

void JsonObject::drop_nulls() {
  size_t kept = 0;
  for (size_t i = 0; i < root_.items.size(); ++i) {
    if (root_.items[i].is_null()) continue;
    if (kept != i) {
      root_.items[kept] = std::move(root_.items[i]);
      root_.names[kept] = std::move(root_.names[i]);
    }
    ++kept;
  }
  root_.items.resize(kept);
  root_.names.resize(kept);
}

void JsonObject::rename(const char* from, const char* to) {
  if (value(to) != nullptr) return;
  for (std::string& name : root_.names) {
    if (name == from) name = to;
  }
}

const JsonValue* JsonObject::value(const char* key) const {
  const auto found = std::find(root_.names.begin(), root_.names.end(), key);
  return found == root_.names.end() ? nullptr : &root_.items[static_cast<size_t>(found - root_.names.begin())];
}

const JsonScalar* JsonObject::find(const char* key, bool required, const char* wanted) const {
  const JsonValue* found = value(key);
  if (found == nullptr) {
    if (required) fail(LFFN_ERROR_BAD_MODEL, "%s: '%s' is missing", what_.c_str(), key);
    return nullptr;
  }
  if (found->shape != JsonValue::Shape::kScalar) refuse(key, wanted);
  return &found->scalar;
}

void JsonObject::refuse(const char* key, const std::string& wanted) const {
  fail(LFFN_ERROR_BAD_MODEL, "%s: '%s' must be %s", what_.c_str(), key, wanted.c_str());
}

int32_t JsonObject::integer(const char* key, std::optional<int32_t> otherwise) const {
  constexpr char kWanted[] = "a whole number from 0 to 2^31 - 1";
  const JsonScalar* value = find(key, !otherwise, kWanted);
  if (value == nullptr) return *otherwise;
  if (value->kind != JsonScalar::Kind::kUnsigned || value->integer > INT32_MAX) refuse(key, kWanted);
  return static_cast<int32_t>(value->integer);
}

float JsonObject::number(const char* key, std::optional<float> otherwise) const {
  constexpr char kWanted[] = "a number in the range of float32";
  const JsonScalar* value = find(key, !otherwise, kWanted);
  if (value == nullptr) return *otherwise;
  const bool is_number = value->kind == JsonScalar::Kind::kUnsigned || value->kind == JsonScalar::Kind::kNumber;
  // Half a step above FLT_MAX: what lies below still rounds to it, as "3.4028235e38" must.
  if (!is_number || !(std::fabs(value->number) < 0x1.ffffffp+127)) refuse(key, kWanted);
  return static_cast<float>(std::clamp<double>(value->number, -FLT_MAX, FLT_MAX));
}

bool JsonObject::boolean(const char* key, std::optional<bool> otherwise) const {
  constexpr char kWanted[] = "true or false";
  const JsonScalar* value = find(key, !otherwise, kWanted);
  if (value == nullptr) return *otherwise;
  if (value->kind != JsonScalar::Kind::kBoolean) refuse(key, kWanted);
  return value->boolean;
}

std::string JsonObject::text(const char* key, std::optional<std::string> otherwise) const {
  constexpr char kWanted[] = "text";
  const JsonScalar* value = find(key, !otherwise, kWanted);
  if (value == nullptr) return std::move(*otherwise);
  if (value->kind != JsonScalar::Kind::kString) refuse(key, kWanted);
  return value->text;
}

int32_t JsonObject::choice(const char* key, std::initializer_list<const char*> names,
                           std::optional<int32_t> otherwise) const {
  std::string wanted;
  for (const char* name : names) wanted += (wanted.empty() ? "\"" : ", \"") + std::string(name) + '"';
  wanted = "one of " + wanted;
  const JsonScalar* value = find(key, !otherwise, wanted.c_str());
  if (value == nullptr) return *otherwise;
  if (value->kind == JsonScalar::Kind::kString) {
    int32_t place = 0;
    for (const char* name : names) {
      if (value->text == name) return place;
      ++place;
    }
  }
  refuse(key, wanted);
}

}  // namespace lffn
