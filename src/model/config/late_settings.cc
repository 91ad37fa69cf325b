// SPDX-License-Identifier: Apache-2.0
#include "model/config/late_settings.h"

#include <algorithm>
#include <utility>

#include "format/layer_config.h"
#include "format/utf8.h"
#include "model/config/activations.h"
#include "runtime/error.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

bool LateSettings::keeps(LateRole role, int32_t id) const {
  const auto has = [&](const std::vector<int32_t>& ids) { return std::binary_search(ids.begin(), ids.end(), id); };
  if (role == LateRole::kQuery) return id == filler || !has(skipped_in_queries);
  if (role != LateRole::kDocument) return true;
  return !has(skipped_in_documents) && (kept_in_documents.empty() || has(kept_in_documents));
}

std::string late_prefix(size_t layer) { return "late." + std::to_string(layer) + "."; }

namespace {

constexpr size_t kMostLayers = 64;

int32_t need_token(const Tokenizer& tokenizer, const std::string& word, const char* what) {
  const int32_t id = tokenizer.id_of(word);
  if (id >= 0) return id;
  fail(LFFN_ERROR_BAD_MODEL,
       "%s of late interaction, %s, is no token of the tokenizer; save the model again with the library that trained "
       "it, which adds it",
       what, in_quotes(word).c_str());
}

// A Tokenizer never changes, so the word is added to the JSON text that it is made of.
bool add_to_text(std::string& json, const std::string& word, int32_t id) {
  constexpr std::string_view kBeginning = "\"added_tokens\": [";
  std::string content = "\"content\": ";
  append_json_string(content, word);
  const size_t list = json.find(kBeginning);
  if (id < 0 || list == std::string::npos || json.find(content) != std::string::npos) return false;
  const size_t at = json.find_first_not_of(" \n", list + kBeginning.size());
  const bool is_first = at == std::string::npos || json[at] == ']';
  json.insert(list + kBeginning.size(),
              "{\"id\": " + std::to_string(id) + ", " + content +
                  ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": true, "
                  "\"special\": false}" +
                  (is_first ? "" : ", "));
  return true;
}

}  // namespace

std::shared_ptr<const Tokenizer> with_late_prefixes(std::shared_ptr<const Tokenizer> tokenizer, const LateWords& words,
                                                    const int32_t* cancel) {
  if (words.query_prefix.empty() && words.document_prefix.empty()) return tokenizer;
  std::string json = tokenizer->to_json();
  bool changed = false;
  for (const std::string& word : {words.query_prefix, words.document_prefix}) {
    if (!word.empty() && add_to_text(json, word, tokenizer->id_of(word))) changed = true;
  }
  return changed ? Tokenizer::from_tokenizer_json(json, cancel) : std::move(tokenizer);
}

void find_late_words(const LateWords& words, const Tokenizer& tokenizer, LateSettings& settings) {
  if (!words.query_prefix.empty()) {
    settings.query_prefix = need_token(tokenizer, words.query_prefix, "the prefix of queries");
  }
  if (!words.document_prefix.empty()) {
    settings.document_prefix = need_token(tokenizer, words.document_prefix, "the prefix of documents");
  }
  if (words.fills) {
    const int32_t ends[] = {tokenizer.mask_id(), tokenizer.eos_id(), tokenizer.pad_id()};
    const auto* const found = std::find_if(std::begin(ends), std::end(ends), [](int32_t id) { return id >= 0; });
    if (!words.filler.empty()) {
      settings.filler = need_token(tokenizer, words.filler, "what fills queries");
    } else if (found != std::end(ends)) {
      settings.filler = *found;
    } else {
      fail(LFFN_ERROR_BAD_MODEL,
           "queries of late interaction are to be filled, but the tokenizer has neither a mask nor an end of texts nor "
           "padding; add a mask_token");
    }
  }
  std::vector<int32_t> skipped;
  const int32_t unknown = tokenizer.unk_id();
  for (const std::string& word : words.skipped) {
    int32_t id = tokenizer.id_of(word);
    if (id < 0 && words.skips_unknown) id = unknown;
    if (id >= 0) skipped.push_back(id);
  }
  std::sort(skipped.begin(), skipped.end());
  skipped.erase(std::unique(skipped.begin(), skipped.end()), skipped.end());
  if (words.skip_in_queries) settings.skipped_in_queries = skipped;
  if (words.skip_in_documents) settings.skipped_in_documents = std::move(skipped);
}

void append_ids(std::string& json, const char* key, const std::vector<int32_t>& ids) {
  if (ids.empty()) return;
  json += std::string(", \"") + key + "\": [";
  for (size_t i = 0; i < ids.size(); ++i) json += (i > 0 ? ", " : "") + std::to_string(ids[i]);
  json += "]";
}

std::vector<int32_t> read_ids(const JsonObject& object, const char* key) {
  constexpr char kWanted[] = "a list of rising token ids";
  std::vector<int32_t> ids;
  const JsonValue* const value = object.value(key);
  if (value == nullptr) return ids;
  if (value->shape != JsonValue::Shape::kList) object.refuse(key, kWanted);
  for (const JsonValue& item : value->items) {
    const bool is_id = item.shape == JsonValue::Shape::kScalar && item.scalar.kind == JsonScalar::Kind::kUnsigned &&
                       item.scalar.integer <= INT32_MAX;
    if (!is_id) object.refuse(key, kWanted);
    const auto id = static_cast<int32_t>(item.scalar.integer);
    if (!ids.empty() && id <= ids.back()) object.refuse(key, kWanted);
    ids.push_back(id);
  }
  return ids;
}

std::string late_to_json(const LateSettings& settings) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  const auto number = [](const char* key, int64_t value) {
    return std::string(", \"") + key + "\": " + std::to_string(value);
  };
  std::string json = std::string("{\"takes_means\": ") + flag(settings.takes_means) +
                     ", \"normalises\": " + flag(settings.normalises) +
                     ", \"skips_first_token\": " + flag(settings.skips_first_token) +
                     ", \"attends_to_filler\": " + flag(settings.attends_to_filler);
  json += number("query_tokens", settings.query_tokens) + number("document_tokens", settings.document_tokens);
  if (settings.filled_tokens > 0) json += number("filled_tokens", settings.filled_tokens);
  if (settings.query_prefix >= 0) json += number("query_prefix", settings.query_prefix);
  if (settings.document_prefix >= 0) json += number("document_prefix", settings.document_prefix);
  if (settings.filler >= 0) json += number("filler", settings.filler);
  append_ids(json, "skipped_in_queries", settings.skipped_in_queries);
  append_ids(json, "skipped_in_documents", settings.skipped_in_documents);
  append_ids(json, "kept_in_documents", settings.kept_in_documents);
  json += ", \"layers\": [";
  for (size_t i = 0; i < settings.layers.size(); ++i) {
    const LateSettings::Layer& layer = settings.layers[i];
    json += std::string(i > 0 ? ", " : "") + "{\"inputs\": " + std::to_string(layer.inputs) +
            number("outputs", layer.outputs) + ", \"activation\": \"" + activation_row(layer.activation).own_name +
            "\"" + number("residual", static_cast<int32_t>(layer.residual)) + ", \"bias\": " + flag(layer.has_bias) +
            "}";
  }
  return json + "]}";
}

LateSettings late_from_json(const JsonValue& value, const std::string& what) {
  const JsonObject object(value, what);
  LateSettings settings;
  settings.is_late = true;
  settings.takes_means = object.boolean("takes_means");
  settings.normalises = object.boolean("normalises");
  settings.skips_first_token = object.boolean("skips_first_token");
  settings.attends_to_filler = object.boolean("attends_to_filler");
  const auto number = [&](const char* key, int32_t otherwise) {
    if (object.value(key) == nullptr) return otherwise;
    const int32_t found = object.integer(key);
    if (found < 0) object.refuse(key, "0 or more");
    return found;
  };
  settings.query_tokens = number("query_tokens", 0);
  settings.document_tokens = number("document_tokens", 0);
  settings.filled_tokens = number("filled_tokens", 0);
  settings.query_prefix = number("query_prefix", -1);
  settings.document_prefix = number("document_prefix", -1);
  settings.filler = number("filler", -1);
  settings.skipped_in_queries = read_ids(object, "skipped_in_queries");
  settings.skipped_in_documents = read_ids(object, "skipped_in_documents");
  settings.kept_in_documents = read_ids(object, "kept_in_documents");
  const JsonValue* const layers = object.value("layers");
  if (layers == nullptr || layers->shape != JsonValue::Shape::kList || layers->items.size() > kMostLayers) {
    object.refuse("layers", "a list of at most " + std::to_string(kMostLayers));
  }
  for (const JsonValue& item : layers->items) {
    const JsonObject inner(item, what + ": 'layers'");
    LateSettings::Layer layer;
    layer.inputs = inner.integer("inputs");
    layer.outputs = inner.integer("outputs");
    if (layer.inputs < 1 || layer.inputs > kMaxSize || layer.outputs < 1 || layer.outputs > kMaxSize) {
      object.refuse("layers", "of sizes from 1 to 2^20");
    }
    const ActivationRow* const row = find_own_activation(inner.text("activation"));
    if (row == nullptr) inner.refuse("activation", "a name that is known");
    layer.activation = row->activation;
    const int32_t residual = inner.integer("residual");
    if (residual < 0 || residual > static_cast<int32_t>(LateSettings::Residual::kProjected)) {
      inner.refuse("residual", "0 to 2");
    }
    layer.residual = static_cast<LateSettings::Residual>(residual);
    if (layer.residual == LateSettings::Residual::kSame && layer.inputs != layer.outputs) {
      inner.refuse("residual", "0 or 2 where the sizes differ");
    }
    layer.has_bias = inner.boolean("bias");
    settings.layers.push_back(layer);
  }
  return settings;
}

}  // namespace lffn
