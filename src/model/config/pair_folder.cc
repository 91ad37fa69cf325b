// SPDX-License-Identifier: Apache-2.0
// Reads what a reranker's files say about pairs, as sentence-transformers from 5.4 on writes them.
#include <algorithm>
#include <iterator>
#include <utility>

#include "format/json_object.h"
#include "format/utf8.h"
#include "model/config/activations.h"
#include "model/config/pair_settings.h"
#include "model/config/sentence_folder.h"
#include "runtime/error.h"
#include "tokenizer/json_settings.h"
#include "tokenizer/tokenizer.h"

namespace lffn {
namespace {

constexpr size_t kMaxPairFileBytes = size_t{1} << 20;
constexpr char kTransformer[] = "sentence_bert_config.json";
constexpr char kTokenizer[] = "tokenizer_config.json";

JsonObject read_object(const Folder& folder, const char* name) {
  JsonObject object(folder.read_text(name, kMaxPairFileBytes), folder.path(name));
  object.drop_nulls();
  return object;
}

// nullopt: there is none.
std::optional<JsonObject> inner(const JsonObject& object, const char* key, const std::string& what) {
  const JsonValue* const value = object.value(key);
  if (value == nullptr) return std::nullopt;
  JsonObject found(*value, what + ": '" + key + "'");
  found.drop_nulls();
  return found;
}

JsonSettings read_settings(const Folder& folder, const char* name) {
  return read_json_settings(folder.read_text(name, kMaxVocabularyBytes), name, nullptr);
}

// The template's own file takes precedence over the tokenizer's file; of several templates the one called "default"
// counts.
std::string read_chat_template(const Folder& folder, const JsonSettings& tokenizer) {
  if (folder.has("chat_template.jinja")) return folder.read_text("chat_template.jinja", kMaxPairFileBytes);
  const std::string key = "/chat_template";
  if (!tokenizer.has(key) || !tokenizer.has(key + "/0")) return tokenizer.text(key);
  for (size_t i = 0; tokenizer.has(key + '/' + std::to_string(i)); ++i) {
    const std::string each = key + '/' + std::to_string(i);
    if (tokenizer.text(each + "/name") == "default") return tokenizer.text(each + "/template");
  }
  return {};
}

// No key says whether a message's content is a list, so the template's use of it tells.
bool looks_structured(const std::string& chat_template) {
  constexpr const char* kSigns[] = {"content[0]", ".type", "'type'", "\"type\"", "message.content["};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [&](const char* sign) { return chat_template.find(sign) != std::string::npos; });
}

// The texts of special tokens, under the names that templates use for them.
void add_special_tokens(const Folder& folder, const JsonSettings& tokenizer, PairSettings& to) {
  std::optional<JsonSettings> map;
  if (folder.has("special_tokens_map.json")) map.emplace(read_settings(folder, "special_tokens_map.json"));
  for (const char* name :
       {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"}) {
    const std::string key = std::string("/") + name;
    const JsonSettings* const files[] = {&tokenizer, map ? &*map : nullptr};
    for (const JsonSettings* file : files) {
      if (file == nullptr || !file->has(key)) continue;
      const bool is_object = file->has(key + "/content");
      to.variables.emplace_back(name, TemplateValue::text(file->text(is_object ? key + "/content" : key)));
      break;
    }
  }
}

bool is_usual_cut(const JsonObject& settings, const JsonValue& value) {
  if (value.scalar.kind == JsonScalar::Kind::kBoolean) return settings.boolean("truncation");
  const std::string way = settings.text("truncation");
  return way == "longest_first" || way == "only_first";
}

// Reads the variables for the template, and how many tokens a text may have; the last setting of a name counts.
void read_processing(const JsonObject& file, const std::string& what, PairSettings& to, int64_t& max_length) {
  const std::optional<JsonObject> all = inner(file, "processing_kwargs", what);
  if (!all) return;
  for (const char* part : {"common", "text", "chat_template"}) {
    const std::optional<JsonObject> settings = inner(*all, part, what + ": 'processing_kwargs'");
    if (!settings) continue;
    const bool is_template = std::string_view(part) == "chat_template";
    for (size_t i = 0; i < settings->root().items.size(); ++i) {
      const std::string& name = settings->root().names[i];
      const JsonValue& value = settings->root().items[i];
      // The layout of results, and which of them are computed, do not change a text's tokens.
      if (name == "padding" || name == "padding_side" || name == "return_tensors" || name == "logits_to_keep") continue;
      if (name == "truncation" && is_usual_cut(*settings, value)) continue;
      if (name == "max_length") {
        max_length = settings->integer("max_length");
        if (max_length < 1) settings->refuse("max_length", "1 or more");
      } else if (is_template && name == "restore_suffix") {
        to.keeps_ending = settings->boolean("restore_suffix");
      } else if (is_template && name != "truncation") {
        to.variables.emplace_back(name, template_value(value, *settings, name));
      } else {
        fail(LFFN_ERROR_UNSUPPORTED, "%s: %s in 'processing_kwargs' is not supported; take it out", what.c_str(),
             in_quotes(name).c_str());
      }
    }
  }
}

void read_activation(const Folder& folder, PairSettings& to) {
  constexpr char kName[] = "config_sentence_transformers.json";
  if (!folder.has(kName)) return;
  const std::string name = read_object(folder, kName).text("activation_fn", "");
  // Any activation but PyTorch's own would be code of the model, which is not run.
  if (!starts_with(name, "torch.")) return;
  const ActivationRow* const row = find_torch_activation(name);
  if (row == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED, "%s: the activation %s of its scores is not supported; name another or none",
         folder.path(kName).c_str(), in_quotes(name).c_str());
  }
  to.activation = row->activation;
}

// Whether the Transformer is one that gives scores, so that nothing follows it.
bool scores_pairs(const Folder& transformer) {
  return transformer.has("config.json") &&
         transformer.read_text("config.json", kMaxPairFileBytes).find("ForSequenceClassification\"") !=
             std::string::npos;
}

}  // namespace

PairSettings read_pair_settings(const Folder& folder, const Folder& transformer, int64_t& max_length) {
  PairSettings settings;
  read_activation(folder, settings);
  if (!transformer.has(kTransformer)) return settings;
  const std::string what = transformer.path(kTransformer);
  const JsonObject file = read_object(transformer, kTransformer);
  PairSettings given;
  read_processing(file, what, given, max_length);
  const std::optional<JsonObject> modalities = inner(file, "modality_config", what);
  if (!modalities) return settings;
  const std::optional<JsonObject> message = inner(*modalities, "message", what + ": 'modality_config'");
  if (!message) return settings;
  JsonSettings tokenizer(kTokenizer);
  if (transformer.has(kTokenizer)) tokenizer = read_settings(transformer, kTokenizer);
  settings.chat_template = read_chat_template(transformer, tokenizer);
  if (settings.chat_template.empty()) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: pairs are messages, but there is no chat template; add the reranker's own as %s",
         what.c_str(), in_quotes(transformer.path("chat_template.jinja")).c_str());
  }
  const std::string format = message->text("format", "auto");
  if (format != "auto" && format != "flat" && format != "structured") {
    message->refuse("format", "\"flat\" or \"structured\"");
  }
  settings.is_structured = format == "structured" || (format == "auto" && looks_structured(settings.chat_template));
  add_special_tokens(transformer, tokenizer, settings);
  settings.keeps_ending = given.keeps_ending;
  std::move(given.variables.begin(), given.variables.end(),
            std::back_inserter(settings.variables));  // later ones take precedence
  return settings;
}

LogitTokens read_logit_tokens(const Folder& module) {
  const JsonObject object = read_object(module, "config.json");
  LogitTokens tokens;
  tokens.yes = object.integer("true_token_id");
  if (object.value("false_token_id") != nullptr) tokens.no = object.integer("false_token_id");
  if (object.text("module_input_name", "causal_logits") != "causal_logits") {
    object.refuse("module_input_name", "\"causal_logits\"");
  }
  return tokens;
}

// Whether the folder scores pairs: by a classifier alone, or by a language model's two words.
bool is_pair_folder(const Folder& folder, const std::vector<SentenceModule>& modules) {
  if (modules.empty() || modules[0].name != "Transformer") return false;
  if (modules.size() == 1) return scores_pairs(InnerFolder(folder, modules[0].place));
  return modules.size() == 2 && modules[1].name == "LogitScore";
}

SentenceFolder read_pair_folder(const Folder& folder, const std::vector<SentenceModule>& modules) {
  SentenceFolder result;
  SentenceSettings& settings = result.settings;
  result.transformer = modules[0].place;
  const InnerFolder inside(folder, result.transformer);
  read_transformer(inside, settings);
  read_prompts(folder, settings);
  settings.pairs = read_pair_settings(folder, inside, settings.max_seq_length);
  if (modules.size() == 1) return result;
  settings.pairs->is_logit = true;
  result.logit = read_logit_tokens(InnerFolder(folder, modules[1].place));
  return result;
}

}  // namespace lffn
