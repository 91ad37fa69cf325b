// SPDX-License-Identifier: Apache-2.0
#include "model/config/pair_settings.h"

#include <algorithm>
#include <utility>

#include "format/json_object.h"
#include "model/config/activations.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// Whether the text of a pair has both of its texts.
bool shows_both(const ChatTemplate& chat, bool with_system, const int32_t* cancel) {
  constexpr std::string_view kQuery = "query-5f8a", kDocument = "document-5f8a";
  std::vector<ChatMessage> messages = {{"query", kQuery}, {"document", kDocument}};
  if (with_system) messages.insert(messages.begin(), {"system", "system-5f8a"});
  const std::string text = chat.render(messages, cancel);
  return text.find(kQuery) != std::string::npos && text.find(kDocument) != std::string::npos;
}

std::string json_of(const TemplateValue& value) {
  if (value.is(TemplateValue::Kind::kBoolean)) return value.number() != 0 ? "true" : "false";
  if (value.is(TemplateValue::Kind::kInteger)) return std::to_string(value.number());
  if (!value.is(TemplateValue::Kind::kText)) return "null";
  std::string json;
  append_json_string(json, value.text());
  return json;
}

}  // namespace

TemplateValue template_value(const JsonValue& value, const JsonObject& object, const std::string& name) {
  const JsonScalar& scalar = value.scalar;
  if (value.shape == JsonValue::Shape::kScalar) {
    if (scalar.kind == JsonScalar::Kind::kNull) return TemplateValue::none();
    if (scalar.kind == JsonScalar::Kind::kBoolean) return TemplateValue::boolean(scalar.boolean);
    if (scalar.kind == JsonScalar::Kind::kString) return TemplateValue::text(scalar.text);
    if (scalar.kind == JsonScalar::Kind::kUnsigned && scalar.integer <= INT32_MAX) {
      return TemplateValue::integer(static_cast<int64_t>(scalar.integer));
    }
  }
  object.refuse(name.c_str(), "a text, true, false, null or a whole number up to 2^31 - 1");
}

ChatTemplate make_chat_template(const PairSettings& settings, const int32_t* cancel) {
  if (settings.chat_template.empty()) return {};
  ChatTemplate chat(settings.chat_template, cancel);
  chat.set_structured(settings.is_structured);
  // The values with which transformers renders by default.
  chat.define("add_generation_prompt", TemplateValue::boolean(false));
  for (const char* name : {"tools", "documents"}) chat.define(name, TemplateValue::none());
  for (const auto& [name, value] : settings.variables) chat.define(name, value);
  bool is_good = false;
  try {
    is_good = shows_both(chat, false, cancel);
  } catch (const Error& error) {
    // The template may insist on an instruction.
    if (error.status() != LFFN_ERROR_INVALID_ARGUMENT) throw;
    is_good = shows_both(chat, true, cancel);
  }
  if (!is_good) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "the chat template does not show a message of the role 'query' and one of the role 'document'; give the "
         "reranker's own chat_template.jinja");
  }
  return chat;
}

void append_json(std::string& to, const PairSettings& settings) {
  const auto text_of = [](bool value) { return value ? "true" : "false"; };
  to += "{\"chat_template\": ";
  append_json_string(to, settings.chat_template);
  to += ", \"variables\": {";
  for (const auto& [name, value] : settings.variables) {
    if (to.back() != '{') to += ", ";
    append_json_string(to, name);
    to += ": " + json_of(value);
  }
  to += std::string("}, \"is_structured\": ") + text_of(settings.is_structured) +
        ", \"keeps_ending\": " + text_of(settings.keeps_ending) + ", \"is_logit\": " + text_of(settings.is_logit);
  if (settings.activation) {
    to += std::string(", \"activation\": \"") + activation_row(*settings.activation).own_name + '"';
  }
  to += '}';
}

PairSettings pairs_from_json(const JsonValue& value, const std::string& what) {
  const JsonObject object(value, what);
  PairSettings settings;
  settings.chat_template = object.text("chat_template");
  const JsonValue* const variables = object.value("variables");
  if (variables == nullptr || variables->shape != JsonValue::Shape::kObject) object.refuse("variables", "an object");
  for (size_t i = 0; i < variables->items.size(); ++i) {
    settings.variables.emplace_back(variables->names[i], template_value(variables->items[i], object, "variables"));
  }
  settings.is_structured = object.boolean("is_structured");
  settings.keeps_ending = object.boolean("keeps_ending");
  settings.is_logit = object.boolean("is_logit");
  if (object.value("activation") != nullptr) {
    const ActivationRow* const row = find_own_activation(object.text("activation"));
    if (row == nullptr) object.refuse("activation", "one that is known");
    settings.activation = row->activation;
  }
  return settings;
}

}  // namespace lffn
