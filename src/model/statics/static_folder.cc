// SPDX-License-Identifier: Apache-2.0
// Reads the settings of static vectors from folders, and from single files, which keep a part of them.
#include "format/json_object.h"
#include "format/utf8.h"
#include "model/config/sentence_folder.h"
#include "model/config/tokenizer_files.h"
#include "model/statics/static_vectors.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr char kConfig[] = "config.json";
constexpr char kWhat[] = "metadata: \"static\"";
constexpr int32_t kModel2VecTokens = 512;  // if the config does not say

bool is_model2vec(const JsonObject& config) {
  const JsonValue* type = config.value("model_type");
  return type != nullptr && type->is_text() && type->scalar.text == "model2vec";
}

// Reads Model2Vec's limit of tokens; null in the config: no limit.
int64_t model2vec_tokens(const JsonObject& config) {
  const JsonValue* given = config.value("max_length");
  if (given == nullptr) return kModel2VecTokens;
  if (given->is_null()) return 0;
  const int32_t most = config.integer("max_length");
  if (most < 1) config.refuse("max_length", "1 or more, or null");
  return most;
}

SentenceSettings::Module normalize() { return {true, 0, 0, Activation::kNone}; }

}  // namespace

std::optional<StaticFolder> read_static_folder(const Folder& folder) {
  const std::vector<SentenceModule> modules = list_modules(folder);
  const bool is_static = !modules.empty() && modules[0].name == "StaticEmbedding";
  if (!is_static && (!modules.empty() || !folder.has(kConfig))) return std::nullopt;
  StaticFolder result;
  if (is_static) result.place = modules[0].place;
  const InnerFolder inside(folder, result.place);
  result.config = inside.has(kConfig) ? inside.read_text(kConfig, kMaxBytes) : "{}";
  // Other folders' configs have their own reader.
  const bool may_be_model2vec = result.config.find("\"model2vec\"") != std::string::npos;
  if (!is_static && !may_be_model2vec) return std::nullopt;
  result.sentence.is_sentence_encoder = true;
  result.sentence.modules.clear();
  if (may_be_model2vec) {
    const JsonObject config(result.config, inside.path(kConfig));
    result.settings.is_model2vec = is_model2vec(config);
    if (!is_static && !result.settings.is_model2vec) return std::nullopt;
    if (result.settings.is_model2vec) {
      result.settings.max_tokens = model2vec_tokens(config);
      if (config.boolean("normalize", false)) result.sentence.modules.push_back(normalize());
    }
  }
  for (size_t i = 1; i < modules.size(); ++i) {
    if (modules[i].name != "Normalize") {
      fail(LFFN_ERROR_UNSUPPORTED,
           "%s: the module %s is not supported behind a StaticEmbedding; choose a model with "
           "Normalize only",
           folder.path("modules.json").c_str(), in_quotes(modules[i].name).c_str());
    }
    if (!result.settings.is_model2vec) result.sentence.modules.push_back(normalize());
  }
  read_prompts(folder, result.sentence);
  return result;
}

std::shared_ptr<const Tokenizer> read_static_tokenizer(const Folder& folder, const int32_t* cancel) {
  constexpr char kName[] = "tokenizer.json";
  if (!folder.has(kName)) return read_tokenizer(folder, cancel);
  return Tokenizer::from_tokenizer_json(folder.read_text(kName, kMaxVocabularyBytes), cancel);
}

std::string static_to_json(const StaticSettings& settings) {
  return std::string("{\"model2vec\": ") + (settings.is_model2vec ? "true" : "false") +
         ", \"max_tokens\": " + std::to_string(settings.max_tokens) + "}";
}

StaticSettings static_from_json(std::string_view json) {
  const JsonObject object(json, kWhat);
  StaticSettings settings;
  settings.is_model2vec = object.boolean("model2vec");
  settings.max_tokens = object.integer("max_tokens");
  if (settings.max_tokens < 0) object.refuse("max_tokens", "0 or more");
  return settings;
}

}  // namespace lffn
