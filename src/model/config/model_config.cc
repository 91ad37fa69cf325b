// SPDX-License-Identifier: Apache-2.0
#include "model/config/model_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "format/layer_config.h"
#include "format/utf8.h"
#include "model/config/activations.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr int32_t kMaxLayers = 4096;

void require_range(const char* key, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %lld, allowed is %lld to %lld", key, static_cast<long long>(value),
         static_cast<long long>(least), static_cast<long long>(most));
  }
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// What transformers calls the class of the model: "BertForMaskedLM".
std::string architecture(const JsonObject& object) {
  const JsonValue* list = object.value("architectures");
  if (list == nullptr || list->shape != JsonValue::Shape::kList || list->items.empty()) return "";
  return list->items[0].is_text() ? list->items[0].scalar.text : "";
}

const Family* family_of(const JsonObject& object) {
  const std::string type = object.text("model_type", "");
  if (type.empty()) {  // the authors' configs have neither; very old ones of transformers only an architecture
    const Family* family = find_architecture(architecture(object));
    return family != nullptr ? family : &kAuthors;
  }
  const Family* family = find_family(type);
  if (family == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED, "config: 'model_type' is %s, which is not supported; choose a model of the types %s",
         in_quotes(type).c_str(), family_names().c_str());
  }
  return family;
}

void refuse_unsupported(const JsonObject& object) {
  const std::string positions = object.text("position_embedding_type", "absolute");
  if (positions != "absolute") {
    fail(LFFN_ERROR_UNSUPPORTED,
         "config: 'position_embedding_type' is %s, which is not supported; choose a model with absolute positions",
         in_quotes(positions).c_str());
  }
  for (const char* key : {"is_decoder", "add_cross_attention"}) {
    if (object.boolean(key, false)) {
      fail(LFFN_ERROR_UNSUPPORTED, "config: '%s' is true, but only encoders can be run; choose one", key);
    }
  }
  const std::string name = architecture(object);
  for (const char* task : {"ForMultipleChoice", "ForNextSentencePrediction", "ForCausalLM", "LMHeadModel"}) {
    if (ends_with(name, task)) {
      fail(LFFN_ERROR_UNSUPPORTED,
           "config: 'architectures' is %s, a head that is not supported; save the encoder alone (AutoModel), or choose "
           "a masked language model or a sequence classifier",
           in_quotes(name).c_str());
    }
  }
}

// Other heads have tensors of their own names; a classifier of tokens shares its with one of texts.
TokenHead token_head_of(const JsonObject& object) {
  const std::string name = architecture(object);
  if (ends_with(name, "ForTokenClassification")) return TokenHead::kClasses;
  return ends_with(name, "ForQuestionAnswering") ? TokenHead::kAnswers : TokenHead::kNone;
}

Activation activation_of(const JsonObject& object, const char* key, Activation otherwise) {
  const JsonValue* value = key != nullptr ? object.value(key) : nullptr;
  if (value == nullptr) return otherwise;
  const ActivationRow* row = value->is_text() ? find_hidden_act(value->scalar.text) : nullptr;
  if (row == nullptr) object.refuse(key, "one of " + hidden_act_names());
  return row->activation;
}

bool is_list(const JsonValue* value) { return value != nullptr && value->shape == JsonValue::Shape::kList; }

void check_length(const char* key, const JsonValue& list, const ModelConfig& config) {
  if (list.items.size() != static_cast<size_t>(config.num_layers)) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' has %zu entries, '%s' is %d", key, list.items.size(),
         config.family->num_layers, config.num_layers);
  }
}

// A number for each layer, from 0.
std::vector<int32_t> read_list(const JsonObject& object, const char* key, const ModelConfig& config) {
  const JsonValue& list = *object.value(key);
  check_length(key, list, config);
  std::vector<int32_t> numbers;
  for (const JsonValue& item : list.items) {
    if (item.shape != JsonValue::Shape::kScalar || item.scalar.kind != JsonScalar::Kind::kUnsigned ||
        item.scalar.integer > static_cast<uint64_t>(kMaxSize)) {
      object.refuse(key, "whole numbers from 0 to 2^20, one for each layer");
    }
    numbers.push_back(static_cast<int32_t>(item.scalar.integer));
  }
  return numbers;
}

void read_heads(const JsonObject& object, ModelConfig& config) {
  const Family& family = *config.family;
  const auto layers = static_cast<size_t>(config.num_layers);
  if (is_list(object.value(family.num_heads))) {
    config.heads = read_list(object, family.num_heads, config);
    config.num_heads = *std::max_element(config.heads.begin(), config.heads.end());
    config.head_size = object.integer("attention_head_size");
  } else {
    config.num_heads = object.integer(family.num_heads);
    require_range(family.num_heads, config.num_heads, 1, kMaxSize);
    config.heads.assign(layers, config.num_heads);
    const bool divides = config.hidden_size % config.num_heads == 0;
    config.head_size = object.integer("attention_head_size", divides ? config.hidden_size / config.num_heads : 0);
    if (config.head_size == 0 && !divides) {
      fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %d, which does not divide '%s', %d", family.num_heads,
           config.num_heads, family.hidden_size, config.hidden_size);
    }
  }
  require_range("attention_head_size", config.head_size, 1, kMaxSize);
  require_range("num_attention_heads times attention_head_size", config.attention_size(), 0, kMaxSize);
}

void read_words(const JsonObject& object, ModelConfig& config) {
  config.word_rows = object.integer("ffn_word_rows", 0);
  if (object.value("ffn_word_rows") != nullptr) require_range("ffn_word_rows", config.word_rows, 1, INT32_MAX);
  config.has_words.assign(static_cast<size_t>(config.num_layers), false);
  const JsonValue* words = object.value("ffn_words");
  if (words == nullptr) return;
  if (is_list(words)) check_length("ffn_words", *words, config);
  for (size_t i = 0; i < config.has_words.size(); ++i) {
    const JsonValue& value = is_list(words) ? words->items[i] : *words;
    if (value.shape != JsonValue::Shape::kScalar || value.scalar.kind != JsonScalar::Kind::kBoolean) {
      object.refuse("ffn_words", "true or false, or a list of these");
    }
    config.has_words[i] = value.scalar.boolean;
  }
}

void read_sizes(const JsonObject& object, ModelConfig& config) {
  const Family& family = *config.family;
  config.hidden_size = object.integer(family.hidden_size);
  require_range(family.hidden_size, config.hidden_size, 1, kMaxSize);
  config.embedding_size = config.hidden_size;
  if (family.widening != Widening::kNone) {
    config.embedding_size = object.integer("embedding_size", config.hidden_size);
    require_range("embedding_size", config.embedding_size, 1, kMaxSize);
  }
  config.num_layers = object.integer(family.num_layers);
  require_range(family.num_layers, config.num_layers, 1, kMaxLayers);
  read_heads(object, config);
  config.vocab_size = object.integer("vocab_size");
  require_range("vocab_size", config.vocab_size, 1, INT32_MAX);
  config.type_vocab_size = 0;
  if (family.types != nullptr) {
    config.type_vocab_size = object.integer("type_vocab_size", family.type_vocab_size);
    // Only a family that means it by leaving the key out can be without types.
    require_range("type_vocab_size", config.type_vocab_size, std::min(family.type_vocab_size, 1), kMaxSize);
  }
  config.max_position_embeddings = object.integer("max_position_embeddings");
  require_range("max_position_embeddings", config.max_position_embeddings, 1, INT32_MAX);
  if (family.positions != PositionRule::kFromZero) {
    config.pad_token_id = family.pad_token_id;
    if (family.pad_token_key != nullptr) {
      config.pad_token_id = object.integer(family.pad_token_key, family.pad_token_id);
    }
    if (config.position_rows() < 2) {
      fail(LFFN_ERROR_BAD_MODEL, "config: 'max_position_embeddings' is %d, too few for a token behind the padding's",
           config.max_position_embeddings);
    }
    // The number of tokens that can be run is an int32_t in the info.
    require_range("pad_token_id", config.pad_token_id, std::max<int64_t>(0, config.position_rows() - 1 - INT32_MAX),
                  config.position_rows() - 2);
  }
  if (is_list(object.value(family.intermediate_size))) {
    config.intermediate_sizes = read_list(object, family.intermediate_size, config);
  } else {
    config.intermediate_size = object.integer(family.intermediate_size, 0);
  }
  config.layer_norm_eps = family.layer_norm_eps;
  if (family.layer_norm_eps_key != nullptr) {
    config.layer_norm_eps = object.number(family.layer_norm_eps_key, family.layer_norm_eps);
  }
  if (config.layer_norm_eps < 0) {
    fail(LFFN_ERROR_BAD_MODEL, "config: 'layer_norm_eps' is %g, allowed is any number from 0",
         double{config.layer_norm_eps});
  }
}

void read_kinds(const JsonObject& object, ModelConfig& config) {
  const JsonValue* kinds = object.value("ffn_kinds");
  if (kinds == nullptr) return;
  constexpr char kWanted[] = "a list of \"lookup\", \"vanilla\" and \"none\"";
  const std::pair<const char*, FfnKind> known[] = {
      {"lookup", FfnKind::kLookup}, {"vanilla", FfnKind::kVanilla}, {"none", FfnKind::kNone}};
  if (kinds->shape != JsonValue::Shape::kList) object.refuse("ffn_kinds", kWanted);
  for (const JsonValue& kind : kinds->items) {
    const auto* found = std::find_if(std::begin(known), std::end(known), [&](const auto& entry) {
      return kind.is_text() && kind.scalar.text == entry.first;
    });
    if (found == std::end(known)) object.refuse("ffn_kinds", kWanted);
    config.ffn_kinds.push_back(found->second);
  }
  if (config.ffn_kinds.size() != static_cast<size_t>(config.num_layers)) {
    fail(LFFN_ERROR_BAD_MODEL, "config: 'ffn_kinds' names %zu layers, '%s' is %d", config.ffn_kinds.size(),
         config.family->num_layers, config.num_layers);
  }
}

void read_labels(const JsonObject& object, ModelConfig& config) {
  config.num_classes = object.integer("num_classes", 0);
  require_range("num_classes", config.num_classes, 0, kMaxSize);
  config.several_labels = object.text("problem_type", "") == "multi_label_classification";
  const JsonValue* labels = object.value("id2label");
  if (labels == nullptr) return;
  constexpr char kWanted[] = "an object with a text for each number, without zero bytes";
  if (labels->shape != JsonValue::Shape::kObject) object.refuse("id2label", kWanted);
  for (size_t i = 0; i < labels->items.size(); ++i) {
    const std::string& name = labels->names[i];
    const JsonScalar& value = labels->items[i].scalar;
    int32_t id = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (error != std::errc() || end != name.data() + name.size() || id < 0) object.refuse("id2label", kWanted);
    if (labels->items[i].is_c_text()) {
      config.labels[id] = value.text;
    } else if (value.kind == JsonScalar::Kind::kUnsigned) {
      config.labels[id] = std::to_string(value.integer);
    } else {
      object.refuse("id2label", kWanted);
    }
  }
}

// Where a pair's class means that the first text entails the second one: the first in label2id that begins so, else of
// id2label.
void read_entailment(const JsonObject& object, ModelConfig& config) {
  const auto is_it = [](std::string_view label) {
    constexpr std::string_view kStart = "entail";
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
    return label.size() >= kStart.size() &&
           std::equal(kStart.begin(), kStart.end(), label.begin(), [&](char b, char a) { return same(a, b); });
  };
  const JsonValue* ids = object.value("label2id");
  if (ids != nullptr && ids->shape == JsonValue::Shape::kObject) {
    for (size_t i = 0; i < ids->items.size(); ++i) {
      const JsonScalar& id = ids->items[i].scalar;
      if (ids->items[i].shape != JsonValue::Shape::kScalar || id.kind != JsonScalar::Kind::kUnsigned ||
          id.integer >= static_cast<uint64_t>(kMaxClasses) || !is_it(ids->names[i])) {
        continue;
      }
      config.entailment = static_cast<int32_t>(id.integer);
      return;
    }
  }
  for (const auto& [id, label] : config.labels) {
    if (!is_it(label)) continue;
    config.entailment = id;
    return;
  }
}

// As sentence-transformers' cross encoders have it, in its newer and its older place.
void read_rank_activation(const JsonObject& object, ModelConfig& config) {
  std::string name = object.text("sbert_ce_default_activation_function", "");
  const JsonValue* newer = object.value("sentence_transformers");
  if (newer != nullptr && newer->shape == JsonValue::Shape::kObject) {
    JsonObject inner(*newer, "config: 'sentence_transformers'");
    inner.drop_nulls();
    name = inner.text("activation_fn", name);
  }
  // Others than PyTorch's own are code of the model's, which nobody runs unasked: its default counts then.
  if (!starts_with(name, "torch.")) return;
  const ActivationRow* row = find_torch_activation(name);
  if (row == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED, "config: the activation %s of its scores is not supported; name another or none",
         in_quotes(name).c_str());
  }
  config.rank_activation = row->activation;
}

JsonObject parse_object(std::string_view json) {
  JsonObject object(json, "config");
  object.drop_nulls();
  return object;
}

}  // namespace

ModelConfig parse_model_config(std::string_view json) {
  const JsonObject object = parse_object(json);
  ModelConfig config;
  config.text = json;
  config.family = family_of(object);
  refuse_unsupported(object);
  read_sizes(object, config);
  config.token_head = token_head_of(object);
  config.activation = activation_of(object, config.family->activation, Activation::kGelu);
  config.class_activation = activation_of(object, config.family->class_activation_key, config.family->class_activation);
  if (config.family->adds_positions != nullptr) {
    config.adds_positions = object.boolean(config.family->adds_positions, true);
  }
  config.distances = read_distances(object, *config.family, config.max_position_embeddings);
  if (config.distances.kind == Distances::kBuckets && is_list(object.value(config.family->num_heads))) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "config: '%s' is a list, but the heads of all layers share their distances in %s models; give one number",
         config.family->num_heads, config.family->name);
  }
  config.ties_decoder = config.family->ties_decoder && object.boolean("tie_word_embeddings", true);
  read_kinds(object, config);
  read_words(object, config);
  read_labels(object, config);
  read_entailment(object, config);
  read_rank_activation(object, config);
  return config;
}

int32_t require_intermediate_size(const ModelConfig& config, int32_t layer) {
  const char* key = config.family->intermediate_size;
  const int32_t size = config.intermediate_sizes.empty() ? config.intermediate_size
                                                         : config.intermediate_sizes[static_cast<size_t>(layer)];
  if (size == 0 && config.intermediate_sizes.empty())
    parse_object(config.text).integer(key);  // says that it is missing
  require_range(key, size, 1, kMaxSize);
  return size;
}

}  // namespace lffn
