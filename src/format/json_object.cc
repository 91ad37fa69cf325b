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

using Values = std::map<std::string, std::optional<JsonScalar>, std::less<>>;

class Collector : public JsonEvents {
 public:
  Collector(const std::string& what, Values& values) : what_(what), values_(values) {}

  void begin_object() override { begin(); }
  void end_object() override { --depth_; }
  void begin_array() override {
    if (depth_ == 0) refuse();
    begin();
  }
  void end_array() override { --depth_; }
  void key(std::string& name) override {
    if (depth_ == 1) key_ = std::move(name);
  }
  void scalar(JsonScalar&& value) override {
    if (depth_ == 0) refuse();
    if (depth_ == 1) values_[key_] = std::move(value);
  }
  std::string where() const override { return what_; }

 private:
  void begin() {
    if (depth_ == 1) values_[key_] = std::nullopt;
    ++depth_;
  }
  [[noreturn]] void refuse() const { fail(LFFN_ERROR_BAD_MODEL, "%s: must be a JSON object", what_.c_str()); }

  const std::string& what_;
  Values& values_;
  std::string key_;
  size_t depth_ = 0;
};

}  // namespace

JsonObject::JsonObject(std::string_view text, std::string what) : what_(std::move(what)) {
  if (text.size() > kMaxBytes) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %zu bytes, more than the %zu allowed", what_.c_str(), text.size(), kMaxBytes);
  }
  Collector collector(what_, values_);
  parse_json(text, 0, kMaxDepth, collector);
}

const JsonScalar* JsonObject::find(const char* key, bool required, const char* wanted) const {
  const auto found = values_.find(key);
  if (found == values_.end()) {
    if (required) fail(LFFN_ERROR_BAD_MODEL, "%s: '%s' is missing", what_.c_str(), key);
    return nullptr;
  }
  if (!found->second.has_value()) refuse(key, wanted);
  return &*found->second;
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
