// SPDX-License-Identifier: Apache-2.0
// Reads what the folder of a late model says: as PyLate, Stanford's ColBERT, sentence-transformers and BGE-M3 write it.
#include <algorithm>

#include "format/file.h"
#include "format/json_object.h"
#include "format/layer_config.h"
#include "format/torch_file.h"
#include "format/utf8.h"
#include "model/config/activations.h"
#include "model/config/sentence_folder.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostWords = size_t{1} << 16;
constexpr char kSentenceConfig[] = "config_sentence_transformers.json";
constexpr char kMetadata[] = "artifact.metadata";
constexpr char kLateHead[] = "colbert_linear.pt", kSparseHead[] = "sparse_linear.pt";

JsonObject open_object(const Folder& folder, const std::string& name) {
  JsonObject object(folder.read_text(name, kMostBytes), folder.path(name));
  object.drop_nulls();
  return object;
}

// An empty object if the file is missing.
JsonObject open_object_if_there(const Folder& folder, const std::string& name) {
  if (folder.has(name)) return open_object(folder, name);
  return JsonObject("{}", folder.path(name));
}

std::vector<std::string> punctuation() {
  std::vector<std::string> words;
  for (const char c : std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")) words.emplace_back(1, c);
  return words;
}

// Tokens without vectors; `otherwise` where the file says nothing.
std::vector<std::string> read_words(const JsonObject& object, const char* key, std::vector<std::string> otherwise) {
  const JsonValue* const list = object.value(key);
  if (list == nullptr) return otherwise;
  constexpr char kWanted[] = "a list of at most 65536 tokens";
  if (list->shape != JsonValue::Shape::kList || list->items.size() > kMostWords) object.refuse(key, kWanted);
  std::vector<std::string> words;
  for (const JsonValue& item : list->items) {
    if (!item.is_text()) object.refuse(key, kWanted);
    words.push_back(item.scalar.text);
  }
  return words;
}

int32_t read_length(const JsonObject& object, const char* key, int32_t otherwise) {
  const int32_t length = object.integer(key, otherwise);
  if (length < 0) object.refuse(key, "a number of tokens");
  return length;
}

// The tensors of a file as those of a model's single file, whose names begin with `prefix`.
void add_tensors(const Folder& folder, const std::string& name, const std::string& prefix, SentenceFolder& to) {
  to.files.push_back(folder.open(name));
  Safetensors content = naming(folder.path(name), [&] { return parse_weights(*to.files.back(), name); });
  for (TensorView& view : content.tensors) {
    view.name = prefix + view.name;
    to.tensors.push_back(std::move(view));
  }
}

// A dense layer of tokens' vectors. The first one's tensors are called in a single file as they are here.
void read_layer(const Folder& folder, SentenceFolder& to) {
  const JsonObject object = open_object(folder, "config.json");
  const std::string path = folder.path("config.json");
  LateSettings& late = to.settings.late;
  LateSettings::Layer layer;
  layer.inputs = object.integer("in_features");
  layer.outputs = object.integer("out_features");
  for (const int32_t size : {layer.inputs, layer.outputs}) {
    if (size >= 1 && size <= kMaxSize) continue;
    fail(LFFN_ERROR_BAD_MODEL, "%s: a size of %d, allowed is 1 to %d", path.c_str(), size, kMaxSize);
  }
  if (!late.layers.empty() && late.layers.back().outputs != layer.inputs) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: takes %d numbers, but the Dense module before it gives %d", path.c_str(),
         layer.inputs, late.layers.back().outputs);
  }
  for (const char* key : {"module_input_name", "module_output_name"}) {
    if (object.text(key, "token_embeddings") == "token_embeddings") continue;
    fail(LFFN_ERROR_UNSUPPORTED, "%s: '%s' is %s, supported is 'token_embeddings'", path.c_str(), key,
         in_quotes(object.text(key)).c_str());
  }
  const std::string activation = object.text("activation_function", "torch.nn.modules.linear.Identity");
  const ActivationRow* const row = find_torch_activation(activation);
  if (row == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "%s: the activation %s of tokens' vectors is not supported; choose Identity, Tanh, ReLU, Sigmoid or GELU",
         path.c_str(), in_quotes(activation).c_str());
  }
  layer.activation = row->activation;
  if (object.boolean("use_residual", false)) {
    layer.residual = layer.inputs == layer.outputs ? LateSettings::Residual::kSame : LateSettings::Residual::kProjected;
  }
  const size_t before = to.tensors.size();
  const bool is_torch = !folder.has("model.safetensors") && folder.has("pytorch_model.bin");
  const std::string weights = folder.path(is_torch ? "pytorch_model.bin" : "model.safetensors");
  const std::string prefix = late.layers.empty() ? "" : late_prefix(late.layers.size());
  add_tensors(folder, is_torch ? "pytorch_model.bin" : "model.safetensors", prefix, to);
  for (size_t i = before; i < to.tensors.size(); ++i) {
    TensorView& view = to.tensors[i];
    if (view.name == "residual.weight") view.name = late_prefix(0) + view.name;
    if (view.name == prefix + "linear.bias") layer.has_bias = true;
    if (view.name != prefix + "linear.weight") continue;
    if (view.shape == std::vector<int64_t>{layer.outputs, layer.inputs}) continue;
    fail(LFFN_ERROR_BAD_MODEL, "%s: linear.weight has the shape %s, but %s names %d numbers that become %d",
         weights.c_str(), view.shape_text().c_str(), path.c_str(), layer.inputs, layer.outputs);
  }
  if (layer.has_bias != object.boolean("bias", true)) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: 'bias' is %s, but %s has %s linear.bias", path.c_str(),
         layer.has_bias ? "false" : "true", weights.c_str(), layer.has_bias ? "a" : "no");
  }
  late.layers.push_back(layer);
}

// What PyLate says at the top, with its own values where it says nothing.
void read_pylate(const Folder& folder, SentenceFolder& to) {
  const JsonObject object = open_object_if_there(folder, kSentenceConfig);
  LateWords& words = to.late_words;
  LateSettings& late = to.settings.late;
  constexpr int32_t kQueryTokens = 32, kDocumentTokens = 180;
  words.query_prefix = object.text("query_prefix", "[Q] ");
  words.document_prefix = object.text("document_prefix", "[D] ");
  late.query_tokens = read_length(object, "query_length", kQueryTokens);
  late.document_tokens = read_length(object, "document_length", kDocumentTokens);
  words.fills = object.boolean("do_query_expansion", true);
  late.attends_to_filler = words.fills && object.boolean("attend_to_expansion_tokens", false);
  words.skipped = read_words(object, "skiplist_words", punctuation());
  words.skips_unknown = true;
}

// As Stanford's ColBERT writes it, and PyLate reads it.
void read_stanford(const Folder& folder, SentenceFolder& to) {
  const JsonObject object = open_object_if_there(folder, kMetadata);
  LateWords& words = to.late_words;
  LateSettings& late = to.settings.late;
  constexpr int32_t kQueryTokens = 32, kDocumentTokens = 180;
  words.needs_layer = true;
  words.query_prefix = object.text("query_token_id", "[unused0]");
  words.document_prefix = object.text("doc_token_id", "[unused1]");
  late.query_tokens = read_length(object, "query_maxlen", kQueryTokens);
  late.document_tokens = read_length(object, "doc_maxlen", kDocumentTokens);
  words.fills = true;
  late.attends_to_filler = object.boolean("attend_to_mask_tokens", false);
  if (object.boolean("mask_punctuation", true)) words.skipped = punctuation();
  words.skips_unknown = true;
}

// sentence-transformers 6's settings for padding queries to a fixed length.
void read_expansion(const JsonObject& object, SentenceFolder& to) {
  LateSettings& late = to.settings.late;
  late.query_tokens = read_length(object, "query_length", 0);
  late.document_tokens = read_length(object, "document_length", 0);
  const JsonValue* const value = object.value("query_expansion");
  if (value == nullptr) return;
  if (value->shape != JsonValue::Shape::kObject) object.refuse("query_expansion", "an object");
  JsonObject expansion(*value, "sentence_bert_config.json: 'query_expansion'");
  expansion.drop_nulls();
  const std::string strategy = expansion.text("strategy", "fixed");
  if (strategy != "fixed" && strategy != "min") {
    fail(LFFN_ERROR_UNSUPPORTED,
         "sentence_bert_config.json: 'query_expansion' has the strategy %s; supported are 'fixed' and 'min'",
         in_quotes(strategy).c_str());
  }
  to.late_words.fills = true;
  to.late_words.filler = expansion.text("token", "");
  late.attends_to_filler = expansion.boolean("attend", false);
  const int32_t length = read_length(expansion, "length", 0);
  if (length == 0 && (late.query_tokens == 0 || strategy == "min")) {
    expansion.refuse("length", "the tokens up to which queries are filled");
  }
  if (strategy == "min") {  // longer queries stay as they are
    late.filled_tokens = length;
  } else if (length > 0) {
    late.query_tokens = length;
  }
}

void read_mask(const Folder& folder, SentenceFolder& to) {
  const JsonObject object = open_object(folder, "config.json");
  LateWords& words = to.late_words;
  words.skipped = read_words(object, "skiplist_words", {});
  words.skip_in_documents = false;
  for (const std::string& task : read_words(object, "skiplist_tasks", {"document"})) {
    if (task == "query") words.skip_in_queries = true;
    if (task == "document") words.skip_in_documents = true;
  }
  const JsonValue* const kept = object.value("keep_only_token_ids");
  if (kept == nullptr) return;
  constexpr char kWanted[] = "a list of token ids";
  if (kept->shape != JsonValue::Shape::kList) object.refuse("keep_only_token_ids", kWanted);
  std::vector<int32_t>& ids = to.settings.late.kept_in_documents;
  for (const JsonValue& item : kept->items) {
    if (item.shape != JsonValue::Shape::kScalar || item.scalar.kind != JsonScalar::Kind::kUnsigned ||
        item.scalar.integer > INT32_MAX) {
      object.refuse("keep_only_token_ids", kWanted);
    }
    ids.push_back(static_cast<int32_t>(item.scalar.integer));
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// A head beside the encoder, whose numbers lie in a file of their own.
void read_head(const Folder& folder, const char* name, const std::string& prefix, SentenceFolder& to) {
  const size_t before = to.tensors.size();
  add_tensors(folder, name, prefix, to);
  for (size_t i = before; i < to.tensors.size(); ++i) {
    const std::string own = to.tensors[i].name.substr(prefix.size());
    if (own == "weight" || own == "bias") continue;
    fail(LFFN_ERROR_BAD_MODEL, "%s: has the tensor %s; it should have weight and bias", folder.path(name).c_str(),
         in_quotes(own).c_str());
  }
}

}  // namespace

void read_heads_beside(const Folder& folder, SentenceFolder& to) {
  if (folder.has(kLateHead)) {
    read_head(folder, kLateHead, std::string(kTokenVectors) + ".", to);
    LateSettings& late = to.settings.late;
    late.is_late = late.takes_means = late.skips_first_token = true;
    to.late_words.needs_layer = true;
  }
  if (folder.has(kSparseHead)) {
    read_head(folder, kSparseHead, std::string(kSparseTokens) + ".", to);
    to.settings.sparse.pools = to.settings.sparse.of_tokens = true;
  }
}

bool is_late_folder(const Folder& folder, const std::vector<SentenceModule>& modules) {
  if (modules.empty()) {
    if (!folder.has("config.json")) return false;
    if (folder.has(kMetadata)) return true;
    return folder.read_text("config.json", kMostBytes).find("\"HF_ColBERT\"") != std::string::npos;
  }
  for (const SentenceModule& module : modules) {
    if (module.name == "Pooling") return false;
    if (module.name == "MultiVectorMask") return true;
  }
  return modules.size() > 1 && modules[1].name == "Dense";
}

SentenceFolder read_late_folder(const Folder& folder, const std::vector<SentenceModule>& modules) {
  SentenceFolder result;
  SentenceSettings& settings = result.settings;
  LateSettings& late = settings.late;
  settings.is_sentence_encoder = true;
  late.is_late = true;
  const std::string where = folder.path("modules.json");
  bool has_mask = false, has_norm = false;
  for (size_t i = 0; i < modules.size(); ++i) {
    const auto& [type, name, place] = modules[i];
    const InnerFolder inside(folder, place);
    if (i == 0 && name == "Transformer") {
      result.transformer = place;
      read_transformer(inside, settings);
    } else if (i > 0 && name == "Dense" && !has_norm) {
      read_layer(inside, result);
    } else if (i > 0 && name == "MultiVectorMask" && !has_mask) {
      read_mask(inside, result);
      has_mask = true;
    } else if (i > 0 && name == "Normalize") {
      has_norm = true;
    } else if (i == 0 || name != "Dropout") {
      fail(LFFN_ERROR_UNSUPPORTED,
           "%s: module %zu is %s; supported are a Transformer, then a Pooling, then any of Dense, Normalize and "
           "Dropout, or of late interaction a Transformer, then Dense, MultiVectorMask and Normalize",
           where.c_str(), i, in_quotes(type).c_str());
    }
  }
  read_prompts(folder, settings);
  if (has_mask) {
    // In such folders prefixes are prompts.
    late.normalises = has_norm;
    read_expansion(open_object_if_there(InnerFolder(folder, result.transformer), "sentence_bert_config.json"), result);
  } else if (!modules.empty()) {
    read_pylate(folder, result);
  } else {
    read_stanford(folder, result);
  }
  return result;
}

}  // namespace lffn
