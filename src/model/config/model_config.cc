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
constexpr int32_t kMaxRotaryPositions = 1 << 20;  // angles of later positions would be less exact

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
  const Family* family = find_family(type, object.text("position_embedding_type", "") == "rotary");
  if (family == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED, "config: 'model_type' is %s, which is not supported; choose a model of the types %s",
         in_quotes(type).c_str(), family_names().c_str());
  }
  return family;
}

void refuse_unsupported(const JsonObject& object, const Family& family) {
  const std::string positions = object.text("position_embedding_type", "absolute");
  // Families that rotate have this key for nothing.
  if (positions != "absolute" && !family.rotates) {
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
    if (ends_with(name, task) && !(family.is_causal && std::string_view(task) == "ForCausalLM")) {
      fail(LFFN_ERROR_UNSUPPORTED,
           "config: 'architectures' is %s, a head that is not supported; save the encoder alone (AutoModel), or choose "
           "a masked language model or a sequence classifier",
           in_quotes(name).c_str());
    }
  }
}

// "architectures" must tell: a token classifier's tensors have the names of a text classifier's.
TokenHead token_head_of(const JsonObject& object) {
  const std::string name = architecture(object);
  if (ends_with(name, "ForTokenClassification")) return TokenHead::kClasses;
  return ends_with(name, "ForQuestionAnswering") ? TokenHead::kAnswers : TokenHead::kNone;
}

void read_word_rows(const JsonObject& object, ModelConfig& config) {
  config.word_rows = object.integer("ffn_word_rows", 0);
  if (object.value("ffn_word_rows") != nullptr) require_range("ffn_word_rows", config.word_rows, 1, INT32_MAX);
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
  config.vocab_size = object.integer("vocab_size");
  require_range("vocab_size", config.vocab_size, 1, INT32_MAX);
  config.type_vocab_size = 0;
  if (family.types != nullptr) {
    config.type_vocab_size = object.integer("type_vocab_size", family.type_vocab_size);
    // A model may have no types only if that is what the family means by leaving the key out.
    require_range("type_vocab_size", config.type_vocab_size, std::min(family.type_vocab_size, 1), kMaxSize);
  }
  config.max_position_embeddings = object.integer("max_position_embeddings");
  require_range("max_position_embeddings", config.max_position_embeddings, 1,
                family.rotates ? kMaxRotaryPositions : INT32_MAX);
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

// Finds the class that means that a pair's first text entails the second: the first label that begins with "entail",
// in label2id or else in id2label.
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

ClassPooling read_class_pooling(const JsonObject& object, const Family& family) {
  const char* key = family.class_pooling_key;
  if (key == nullptr || object.value(key) == nullptr) return family.class_pooling;
  const std::pair<const char*, ClassPooling> known[] = {{"cls", ClassPooling::kFirst},
                                                        {"bos", ClassPooling::kFirst},
                                                        {"mean", ClassPooling::kMean},
                                                        {"late", ClassPooling::kLate}};
  const std::string name = object.text(key);
  for (const auto& [text, pooling] : known) {
    if (name == text) return pooling;
  }
  object.refuse(key, "one of \"cls\", \"bos\", \"mean\" and \"late\"");
}

void read_heads(const JsonObject& object, ModelConfig& config) {
  const Family& family = *config.family;
  const std::string name = architecture(object);
  config.has_plain_decoder = family.lm_dense == nullptr && family.decoder != nullptr &&
                             (ends_with(name, "ForMaskedLM") || ends_with(name, "ForCausalLM"));
  config.lm_activation = read_activation(
      object, family.lm_activation_key, family.lm_activation_is_gelu ? Activation::kGelu : config.layers[0].activation);
  config.has_lm_dense_bias = has_bias(object, family.lm_dense_bias);
  config.has_decoder_bias = has_bias(object, family.decoder_bias);
  config.has_class_dense_bias = has_bias(object, family.class_dense_bias);
  config.has_class_out_bias = has_bias(object, family.class_out_bias);
  config.may_have_classes = !family.classes_by_architecture || ends_with(name, "ForSequenceClassification");
  config.class_activation = read_activation(object, family.class_activation_key, family.class_activation);
  config.class_pooling = read_class_pooling(object, family);
  if (config.class_pooling == ClassPooling::kLast) config.class_pad_id = object.integer("pad_token_id", -1);
}

// sentence-transformers' cross encoders have the activation in one of two places, a newer and an older one.
void read_rank_activation(const JsonObject& object, ModelConfig& config) {
  std::string name = object.text("sbert_ce_default_activation_function", "");
  const JsonValue* newer = object.value("sentence_transformers");
  if (newer != nullptr && newer->shape == JsonValue::Shape::kObject) {
    JsonObject inner(*newer, "config: 'sentence_transformers'");
    inner.drop_nulls();
    name = inner.text("activation_fn", name);
  }
  // Any activation but PyTorch's own would be code of the model, which is not run: the default counts instead.
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

// Parses the JSON and gives older keys of the family their current names.
JsonObject parse_object(std::string_view json, const Family& family) {
  JsonObject object = parse_object(json);
  for (const auto& [old_key, key] : family.renamed_keys) {
    if (old_key != nullptr) object.rename(old_key, key);
  }
  return object;
}

}  // namespace

ModelConfig parse_model_config(std::string_view json) {
  ModelConfig config;
  config.text = json;
  config.family = family_of(parse_object(json));
  const JsonObject object = parse_object(json, *config.family);
  refuse_unsupported(object, *config.family);
  read_sizes(object, config);
  config.token_head = token_head_of(object);
  const Family& family = *config.family;
  config.adds_positions = family.position_embeddings != nullptr;
  if (family.adds_positions != nullptr) config.adds_positions = object.boolean(family.adds_positions, true);
  config.distances = read_distances(object, family, config.max_position_embeddings);
  const JsonValue* heads = object.value(family.num_heads);
  if (config.distances.kind == Distances::kBuckets && heads != nullptr && heads->shape == JsonValue::Shape::kList) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "config: '%s' is a list, but the heads of all layers share their distances in %s models; give one number",
         family.num_heads, family.name);
  }
  config.layers = describe_layers(object, config);
  config.head_size = config.layers[0].head_size;
  const JsonValue* neurons = object.value(family.intermediate_size);
  config.neurons_are_listed = neurons != nullptr && neurons->shape == JsonValue::Shape::kList;
  for (const LayerDescription& layer : config.layers) config.num_heads = std::max(config.num_heads, layer.heads);
  read_heads(object, config);
  config.ties_decoder = family.ties_decoder && object.boolean("tie_word_embeddings", true);
  read_word_rows(object, config);
  read_labels(object, config);
  read_entailment(object, config);
  read_rank_activation(object, config);
  return config;
}

int64_t ModelConfig::attention_width() const {
  int64_t widest = 0;
  for (const LayerDescription& layer : layers) widest = std::max(widest, layer.attention_width());
  return widest;
}

int32_t require_neurons(const ModelConfig& config, int32_t layer) {
  const char* key = config.family->intermediate_size;
  const std::optional<int32_t> neurons = config.layers[static_cast<size_t>(layer)].neurons;
  if (!neurons.has_value()) parse_object(config.text, *config.family).integer(key);  // says that it is missing
  require_range(key, neurons.value_or(0), 1, kMaxSize);
  return *neurons;
}

}  // namespace lffn
