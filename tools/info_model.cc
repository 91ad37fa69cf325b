// SPDX-License-Identifier: Apache-2.0
#include "info_model.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "layer_options.h"

namespace lffn::tools {
namespace {

std::string word_dtype_name(int32_t dtype) {
  return dtype == LFFN_DTYPE_F16 ? "f16" : name_of(word_dtype_names(), dtype);
}

}  // namespace

std::string parts_text(const lffn_model_layer_info& layer) {
  std::string text = layer.num_attention_heads == 0
                         ? "no heads"
                         : number(layer.num_attention_heads) +
                               (layer.num_attention_heads == 1 ? " head of " : " heads of ") +
                               number(layer.attention_head_size);
  std::string block;
  const auto add = [&](const std::string& part) { block += (block.empty() ? "; " : ", ") + part; };
  if (layer.num_neurons > 0) add(number(layer.num_neurons) + " neurons");
  if (layer.num_tables > 0) {
    add(number(layer.num_tables) + " tables of " + number(layer.table_size) + " rows, " +
        name_of(projection_names(), layer.projection));
  }
  if (layer.has_linear_map != 0) add("a linear map");
  if (layer.num_word_rows > 0) {
    add("a row of " + number(layer.num_word_rows) + " by word, " + word_dtype_name(layer.word_row_dtype));
  }
  if (layer.attention_window > 0) text += ", " + number(layer.attention_window) + " tokens far";
  return text + (block.empty() ? "; a bias" : block);
}

nlohmann::ordered_json layer_parts(const lffn_model_layer_info& layer) {
  nlohmann::ordered_json json = {{"num_heads", layer.num_attention_heads},
                                 {"head_size", layer.attention_head_size},
                                 {"num_neurons", layer.num_neurons}};
  json["window"] = layer.attention_window;
  json["theta"] = layer.rope_theta;
  json["linear_dtype"] = name_of(dtype_names(), layer.linear_dtype);
  if (layer.num_tables > 0) {
    json["num_tables"] = layer.num_tables;
    json["table_size"] = layer.table_size;
    json["projection"] = name_of(projection_names(), layer.projection);
    json["block_size"] = layer.block_size;
    json["num_probes"] = layer.num_probes;
    json["table_dtype"] = name_of(dtype_names(), layer.table_dtype);
    json["hash_dtype"] = name_of(dtype_names(), layer.hash_dtype);
  }
  json["linear_map"] = layer.has_linear_map != 0;
  json["num_word_rows"] = layer.num_word_rows;
  if (layer.num_word_rows > 0) {
    json["word_dtype"] = word_dtype_name(layer.word_row_dtype);
    json["word_bytes"] = layer.word_row_bytes;
  }
  json["attention_flop_per_token"] = layer.attention_flop_per_token;
  json["attention_flop_per_pair"] = layer.attention_flop_per_pair;
  json["ffn_flop_per_token"] = layer.ffn_flop_per_token;
  json["other_flop_per_token"] = layer.other_flop_per_token;
  json["num_parameters"] = layer.num_parameters;
  json["attention_bytes"] = layer.attention_bytes;
  json["ffn_bytes"] = layer.ffn_bytes;
  json["file_bytes"] = layer.file_bytes;
  return json;
}

namespace {

const char* pooling_name(int32_t pooling) {
  switch (pooling) {
    case LFFN_POOLING_FIRST:
      return "first";
    case LFFN_POOLING_MEAN:
      return "mean";
    case LFFN_POOLING_MAX:
      return "max";
    case LFFN_POOLING_MEAN_SQRT:
      return "mean-sqrt";
    case LFFN_POOLING_WEIGHTED_MEAN:
      return "weighted-mean";
    case LFFN_POOLING_LAST:
      return "last";
    default:
      return "several";
  }
}

const char* tokenizer_name(const lookupffn::Model& model) {
  if (model.info().has_tokenizer == 0) return "none";
  switch (model.tokenizer().info().kind) {
    case LFFN_TOKENIZER_KIND_BYTE_PAIRS:
      return "byte-level BPE";
    case LFFN_TOKENIZER_KIND_WORD_PIECE:
      return "WordPiece";
    case LFFN_TOKENIZER_KIND_UNIGRAM:
      return "Unigram";
    default:
      return "another";
  }
}

const char* score_activation_name(int32_t activation) {
  switch (activation) {
    case LFFN_SCORE_ACTIVATION_TANH:
      return "tanh";
    case LFFN_SCORE_ACTIVATION_RELU:
      return "relu";
    case LFFN_SCORE_ACTIVATION_SIGMOID:
      return "sigmoid";
    case LFFN_SCORE_ACTIVATION_GELU:
      return "gelu";
    default:
      return "identity";
  }
}

const char* token_head_name(int32_t head) {
  return head == LFFN_TOKEN_HEAD_CLASSES ? "classes" : head == LFFN_TOKEN_HEAD_ANSWERS ? "answers" : "none";
}

// The number of labels of texts or of tokens.
int32_t num_labels(const lookupffn::ModelInfo& info) {
  return info.token_head == LFFN_TOKEN_HEAD_CLASSES ? info.num_token_classes : info.num_classes;
}

std::string heads_of(const lookupffn::ModelInfo& info) {
  std::string heads;
  const auto add = [&](bool there, const std::string& head) {
    if (there) heads += (heads.empty() ? "" : ", ") + head;
  };
  add(info.has_lm_head != 0, "language model");
  add(info.num_classes > 0, "classifier of " + number(info.num_classes));
  add(info.token_head == LFFN_TOKEN_HEAD_CLASSES, number(info.num_token_classes) + " classes of tokens");
  add(info.token_head == LFFN_TOKEN_HEAD_ANSWERS, "answers to questions");
  return heads.empty() ? "none" : heads;
}

nlohmann::ordered_json prompts_of(const lookupffn::Model& model) {
  nlohmann::ordered_json prompts = nlohmann::ordered_json::object();
  for (int32_t i = 0; i < model.info().num_prompts; ++i) {
    const char* name = nullptr;
    const char* text = nullptr;
    lookupffn::check(lffn_model_prompt(model.get(), i, &name, &text));
    prompts[name] = text;
  }
  return prompts;
}

nlohmann::ordered_json labels_of(const lookupffn::Model& model) {
  nlohmann::ordered_json labels = nlohmann::ordered_json::array();
  for (int32_t i = 0; i < num_labels(model.info()); ++i) labels.push_back(std::string(model.label(i)));
  return labels;
}

nlohmann::ordered_json default_prompt_of(const lookupffn::Model& model) {
  if (model.info().default_prompt < 0) return nullptr;
  const char* name = nullptr;
  const char* text = nullptr;
  lookupffn::check(lffn_model_prompt(model.get(), model.info().default_prompt, &name, &text));
  return name;
}

nlohmann::ordered_json layers_of(const lookupffn::Model& model) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (int32_t i = 0; i < model.info().num_layers; ++i) layers.push_back(layer_parts(model.layer_info(i)));
  return layers;
}

// The names that lffn_load_options.adapter takes, as config.json lists them.
nlohmann::ordered_json adapters_of(const lookupffn::Model& model) {
  const auto config = nlohmann::ordered_json::parse(lffn_model_config(model.get()), nullptr, false);
  const auto found = config.is_object() ? config.find("lora_adaptations") : config.end();
  return found == config.end() || !found->is_array() ? nlohmann::ordered_json::array() : *found;
}

// What tokens attend to, and the kind of positions.
std::string attention_of(const lookupffn::ModelInfo& info) {
  const auto digits = [](float theta) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", static_cast<double>(theta));
    return std::string(text);
  };
  std::string text = info.is_causal != 0 ? "to tokens before alone" : "both ways";
  if (info.attention_window > 0) text += ", in local layers " + number(info.attention_window) + " tokens far";
  if (info.rope_theta > 0) text += "; rotary positions, theta " + digits(info.rope_theta);
  if (info.local_rope_theta > 0) {
    text += (info.rope_theta > 0 ? ", in local layers " : "; rotary positions, theta of local layers ") +
            digits(info.local_rope_theta);
  }
  return text;
}

// A token's text, or null where there is none.
nlohmann::ordered_json token_text(const lookupffn::Model& model, int32_t id) {
  if (id < 0 || model.info().has_tokenizer == 0) return nullptr;
  const lookupffn::Tokenizer tokenizer = model.tokenizer();
  return std::string(tokenizer.token(id));
}

// How queries and documents become vectors of late interaction; null for other models.
nlohmann::ordered_json late_of(const lookupffn::Model& model) {
  const lookupffn::ModelInfo& info = model.info();
  if (info.is_late == 0) return nullptr;
  return {{"size", info.token_vector_size},
          {"mean", (info.max_sim_flags & LFFN_MAX_SIM_MEAN) != 0},
          {"query_tokens", info.max_query_tokens},
          {"document_tokens", info.max_document_tokens},
          {"query_prefix", token_text(model, info.query_prefix_id)},
          {"document_prefix", token_text(model, info.document_prefix_id)},
          {"filler", token_text(model, info.filler_id)},
          {"attends_to_filler", info.attends_to_filler != 0}};
}

void print_late(const lookupffn::Model& model) {
  const nlohmann::ordered_json late = late_of(model);
  if (late.is_null()) return;
  row("late vectors", number(late["size"]) + " floats; scores are " + (late["mean"] ? "means" : "sums") +
                          " of a query's best products");
  const auto describe = [&](const char* name, int64_t tokens, const nlohmann::ordered_json& prefix) {
    std::string text = "cut at " + number(tokens) + " tokens";
    if (!prefix.is_null()) text += ", behind " + prefix.dump();
    if (name[0] == 'q' && !late["filler"].is_null()) {
      text += ", filled with " + late["filler"].dump() +
              (late["attends_to_filler"] ? "" : ", which no other token attends to");
    }
    row(name, text);
  };
  describe("queries", late["query_tokens"], late["query_prefix"]);
  describe("documents", late["document_tokens"], late["document_prefix"]);
}

std::string fingerprint_of(const lookupffn::Model& model) {
  std::string digits;
  for (const uint8_t byte : model.fingerprint()) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

void print_json(const std::string& path, const lookupffn::Model& model) {
  const lookupffn::ModelInfo& info = model.info();
  const nlohmann::ordered_json json = {
      {"file", path},
      {"family", std::string(model.family())},
      {"vocab_size", info.vocab_size},
      {"hidden_size", info.hidden_size},
      {"embedding_size", info.embedding_size},
      {"num_layers", info.num_layers},
      {"num_lookup_layers", info.num_lookup_layers},
      {"num_heads", info.num_attention_heads},
      {"head_size", info.attention_head_size},
      {"intermediate_size", info.intermediate_size},
      {"max_tokens", info.max_tokens},
      {"own_max_tokens", info.own_max_tokens},
      {"num_token_types", info.num_token_types},
      {"causal", info.is_causal != 0},
      {"window", info.attention_window},
      {"theta", info.rope_theta},
      {"local_theta", info.local_rope_theta},
      {"adapters", adapters_of(model)},
      {"tokenizer", tokenizer_name(model)},
      {"sentence_encoder", info.is_sentence_encoder != 0},
      {"pooling", pooling_name(info.pooling)},
      {"normalize", info.normalize == LFFN_NORMALIZE_YES},
      {"prompts", prompts_of(model)},
      {"default_prompt", default_prompt_of(model)},
      {"late", late_of(model)},
      {"lm_head", info.has_lm_head != 0},
      {"num_classes", info.num_classes},
      {"token_head", token_head_name(info.token_head)},
      {"num_token_classes", info.num_token_classes},
      {"labels", labels_of(model)},
      {"several_labels", info.is_multi_label != 0},
      {"score_activation", score_activation_name(info.score_activation)},
      {"table_dtype", name_of(dtype_names(), info.table_dtype)},
      {"hash_dtype", name_of(dtype_names(), info.hash_dtype)},
      {"linear_dtype", name_of(dtype_names(), info.linear_dtype)},
      {"attention_dtype", name_of(dtype_names(), info.attention_dtype)},
      {"embedding_dtype", name_of(dtype_names(), info.embedding_dtype)},
      {"num_threads", info.num_threads},
      {"arithmetic", info.arithmetic},
      {"fingerprint", fingerprint_of(model)},
      {"ffn_flop_per_token", info.ffn_flop_per_token},
      {"attention_flop_per_token", info.attention_flop_per_token},
      {"attention_flop_per_pair", info.attention_flop_per_pair},
      {"other_flop_per_token", info.other_flop_per_token},
      {"lm_head_flop_per_token", info.lm_head_flop_per_token},
      {"layers", layers_of(model)},
      {"num_parameters", info.num_parameters},
      {"file_bytes", info.file_bytes},
      {"memory_bytes", info.memory_bytes},
      {"scratch_bytes", info.scratch_bytes},
  };
  // A file name need not be UTF-8, JSON must be.
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

void print_table(const std::string& path, const lookupffn::Model& model) {
  const lookupffn::ModelInfo& info = model.info();
  row("model", path);
  row("family", std::string(model.family()));
  row("layers", number(info.num_layers) + ", " + number(info.num_lookup_layers) + " of them with lookups");
  // Layers that are alike share a line.
  for (int32_t first = 0, i = 0; i < info.num_layers; ++i) {
    const std::string parts = parts_text(model.layer_info(i));
    if (i + 1 < info.num_layers && parts_text(model.layer_info(i + 1)) == parts) continue;
    row("layer", number(first) + (first == i ? "" : " to " + number(i)) + ": " + parts);
    first = i + 1;
  }
  if (info.num_layers > 0) row("attention", attention_of(info));
  for (const nlohmann::ordered_json& name : adapters_of(model)) row("adapter", name.dump());
  row("hidden states", number(info.hidden_size) + " floats per token");
  row("vocabulary", number(info.vocab_size));
  row("tokenizer", tokenizer_name(model));
  row("longest text",
      number(info.max_tokens) + " tokens; cut at " + number(info.own_max_tokens) + " unless told otherwise");
  row("embedding", number(info.embedding_size) + " floats, pooling " + pooling_name(info.pooling) +
                       (info.normalize == LFFN_NORMALIZE_YES ? ", scaled to length 1" : ", not scaled"));
  const nlohmann::ordered_json default_prompt = default_prompt_of(model);
  const nlohmann::ordered_json prompts = prompts_of(model);
  for (const auto& [name, text] : prompts.items()) {
    row("prompt", name + ": " + text.dump() + (default_prompt == name ? " (default)" : ""));
  }
  print_late(model);
  row("heads", heads_of(info));
  constexpr int32_t kShownLabels = 20;
  for (int32_t i = 0; i < num_labels(info) && i < kShownLabels; ++i) {
    row("label", number(i) + ": " + std::string(model.label(i)));
  }
  if (info.num_classes > 0)
    row("own scores", std::string(score_activation_name(info.score_activation)) + " of the raw ones, on request");
  row("numbers", "tables " + name_of(dtype_names(), info.table_dtype) + ", hash " +
                     name_of(dtype_names(), info.hash_dtype) + ", linear layers " +
                     name_of(dtype_names(), info.linear_dtype) + ", word embeddings " +
                     name_of(dtype_names(), info.embedding_dtype));
  row("parameters", number(info.num_parameters));
  row("on disk", number(static_cast<int64_t>(info.file_bytes)) + " bytes of weights");
  row("in memory", number(static_cast<int64_t>(info.memory_bytes)) + " bytes");
  row("scratch", "at most " + number(static_cast<int64_t>(info.scratch_bytes)) + " bytes per call");
  row("threads", number(info.num_threads));
  row("fingerprint", fingerprint_of(model));
}

}  // namespace

void row(const char* name, const std::string& value) { std::printf("%-16s %s\n", name, value.c_str()); }

std::string number(int64_t value) {
  std::string digits = std::to_string(value);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

void print_model(const std::string& path, const lookupffn::Model& model, bool json) {
  if (json) {
    print_json(path, model);
  } else {
    print_table(path, model);
  }
}

}  // namespace lffn::tools
