// SPDX-License-Identifier: Apache-2.0
#include "model/config/sentence_settings.h"

#include <algorithm>

#include "format/json_object.h"
#include "format/layer_config.h"
#include "model/config/activations.h"
#include "runtime/error.h"

namespace lffn {

bool SentenceSettings::normalises() const {
  return std::any_of(modules.begin(), modules.end(), [](const Module& module) { return module.normalise; });
}

int32_t SentenceSettings::find_prompt(std::string_view name) const {
  for (size_t i = 0; i < prompts.size(); ++i) {
    if (prompts[i].first == name) return static_cast<int32_t>(i);
  }
  return -1;
}

std::string module_prefix(size_t module) { return "sentence." + std::to_string(module) + "."; }

namespace {

constexpr const char* kPoolings[] = {"cls", "mean", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"};
constexpr char kWhat[] = "metadata: \"sentence\"";

std::string text_of(bool value) { return value ? "true" : "false"; }

int32_t place_in(const char* const* names, size_t count, const JsonValue& value, const JsonObject& object,
                 const char* key) {
  for (size_t i = 0; i < count; ++i) {
    if (value.is_text() && value.scalar.text == names[i]) return static_cast<int32_t>(i);
  }
  object.refuse(key, "made of names that are known");
}

const JsonValue& list(const JsonObject& object, const char* key) {
  const JsonValue* value = object.value(key);
  if (value == nullptr || value->shape != JsonValue::Shape::kList) object.refuse(key, "a list");
  return *value;
}

}  // namespace

std::string sentence_to_json(const SentenceSettings& settings) {
  std::string json = "{\"pooling\": [";
  for (size_t i = 0; i < settings.pooling.size(); ++i) {
    json += std::string(i > 0 ? ", \"" : "\"") + kPoolings[static_cast<size_t>(settings.pooling[i])] + '"';
  }
  json += "], \"include_prompt\": " + text_of(settings.include_prompt) + ", \"strips\": " + text_of(settings.strips) +
          ", \"lower_case\": " + text_of(settings.lower_case) +
          ", \"max_seq_length\": " + std::to_string(settings.max_seq_length) + ", \"modules\": [";
  for (size_t i = 0; i < settings.modules.size(); ++i) {
    const SentenceSettings::Module& module = settings.modules[i];
    if (i > 0) json += ", ";
    if (module.normalise) {
      json += "{\"normalize\": true}";
    } else {
      json += "{\"inputs\": " + std::to_string(module.inputs) + ", \"outputs\": " + std::to_string(module.outputs) +
              ", \"activation\": \"" + activation_row(module.activation).own_name + "\"}";
    }
  }
  json += "], \"prompts\": [";
  for (size_t i = 0; i < settings.prompts.size(); ++i) {
    if (i > 0) json += ", ";
    json += '[';
    append_json_string(json, settings.prompts[i].first);
    json += ", ";
    append_json_string(json, settings.prompts[i].second);
    json += ']';
  }
  json += ']';
  const SparseSettings& sparse = settings.sparse;
  if (sparse.pools) {
    json += ", \"sparse\": {\"sums\": " + text_of(sparse.sums) +
            ", \"takes_log_twice\": " + text_of(sparse.takes_log_twice) +
            ", \"max_active\": " + std::to_string(sparse.max_active) +
            ", \"starts_with_query\": " + text_of(sparse.starts_with_query);
    if (sparse.of_tokens) {
      json += ", \"of_tokens\": true";
      append_ids(json, "left_out", sparse.left_out);
    }
    json += '}';
  }
  if (settings.late.is_late) json += ", \"late\": " + late_to_json(settings.late);
  if (settings.pairs) {
    json += ", \"pairs\": ";
    append_json(json, *settings.pairs);
  }
  if (settings.default_prompt >= 0) json += ", \"default_prompt\": " + std::to_string(settings.default_prompt);
  return json + "}";
}

SentenceSettings sentence_from_json(std::string_view json) {
  const JsonObject object(json, kWhat);
  SentenceSettings settings;
  settings.is_sentence_encoder = true;
  settings.pooling.clear();
  for (const JsonValue& value : list(object, "pooling").items) {
    settings.pooling.push_back(
        static_cast<Pooling>(place_in(kPoolings, std::size(kPoolings), value, object, "pooling")));
  }
  if (settings.pooling.empty() || settings.pooling.size() > std::size(kPoolings)) {
    object.refuse("pooling", "a list of 1 to 6 ways");
  }
  settings.include_prompt = object.boolean("include_prompt");
  settings.strips = object.boolean("strips", true);
  settings.lower_case = object.boolean("lower_case");
  settings.max_seq_length = object.integer("max_seq_length");
  settings.modules.clear();
  for (const JsonValue& value : list(object, "modules").items) {
    const JsonObject inner(value, std::string(kWhat) + ": 'modules'");
    SentenceSettings::Module module;
    module.normalise = inner.boolean("normalize", false);
    if (!module.normalise) {
      module.inputs = inner.integer("inputs");
      module.outputs = inner.integer("outputs");
      if (module.inputs < 1 || module.inputs > kMaxSize || module.outputs < 1 || module.outputs > kMaxSize) {
        object.refuse("modules", "of sizes from 1 to 2^20");
      }
      const JsonValue* activation = inner.value("activation");
      if (activation == nullptr) inner.refuse("activation", "there");
      const ActivationRow* row = activation->is_text() ? find_own_activation(activation->scalar.text) : nullptr;
      if (row == nullptr) inner.refuse("activation", "made of names that are known");
      module.activation = row->activation;
    }
    settings.modules.push_back(module);
  }
  for (const JsonValue& value : list(object, "prompts").items) {
    if (value.shape != JsonValue::Shape::kList || value.items.size() != 2 || !value.items[0].is_c_text() ||
        !value.items[1].is_c_text()) {
      object.refuse("prompts", "a list of pairs of texts without zero bytes");
    }
    settings.prompts.emplace_back(value.items[0].scalar.text, value.items[1].scalar.text);
  }
  if (const JsonValue* value = object.value("sparse")) {
    const JsonObject sparse(*value, std::string(kWhat) + ": 'sparse'");
    settings.sparse.pools = true;
    settings.sparse.sums = sparse.boolean("sums");
    settings.sparse.takes_log_twice = sparse.boolean("takes_log_twice");
    settings.sparse.max_active = sparse.integer("max_active");
    settings.sparse.starts_with_query = sparse.boolean("starts_with_query");
    if (settings.sparse.max_active < 0) sparse.refuse("max_active", "0 or more");
    settings.sparse.of_tokens = sparse.boolean("of_tokens", false);
    settings.sparse.left_out = read_ids(sparse, "left_out");
  }
  if (const JsonValue* value = object.value("late")) {
    settings.late = late_from_json(*value, std::string(kWhat) + ": 'late'");
  }
  if (const JsonValue* value = object.value("pairs")) {
    settings.pairs = pairs_from_json(*value, std::string(kWhat) + ": 'pairs'");
    settings.is_sentence_encoder = false;
  }
  if (object.value("default_prompt") != nullptr) {
    settings.default_prompt = object.integer("default_prompt");
    if (static_cast<size_t>(settings.default_prompt) >= settings.prompts.size()) {
      object.refuse("default_prompt", "the place of a prompt");
    }
  }
  return settings;
}

}  // namespace lffn
