// SPDX-License-Identifier: Apache-2.0
// The folder of a drawn model: config, tokenizer, modules and weights.
#include <cstring>

#include "drawn_model.h"

namespace draws {
namespace {

std::string quoted(const std::string& text) { return '"' + text + '"'; }
std::string yes(bool is) { return is ? "true" : "false"; }

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

class Object {
 public:
  void put(const std::string& key, const std::string& value) {
    text_ += (text_.empty() ? "" : ",") + quoted(key) + ":" + value;
  }
  void put(const std::string& key, int64_t value) { put(key, std::to_string(value)); }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

struct Stored {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  const void* data;
  size_t size;
};

std::string safetensors(const std::vector<Stored>& tensors) {
  std::string header, data;
  for (const Stored& tensor : tensors) {
    std::string shape;
    for (const int64_t n : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(n);
    header += (header.empty() ? "" : ",") + quoted(tensor.name) + ":{\"dtype\":" + quoted(tensor.dtype) +
              ",\"shape\":[" + shape + "],\"data_offsets\":[" + std::to_string(data.size()) + "," +
              std::to_string(data.size() + tensor.size) + "]}";
    data.append(static_cast<const char*>(tensor.data), tensor.size);
  }
  header = "{" + header + "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  uint64_t size = header.size();
  std::string file(sizeof size, '\0');
  std::memcpy(&file[0], &size, sizeof size);
  return file + header + data;
}

std::string safetensors(const std::map<std::string, Tensor>& tensors, const DrawnModel* prefixed = nullptr) {
  std::vector<Stored> list;
  for (const auto& [name, tensor] : tensors) {
    std::string full = name;
    if (prefixed != nullptr) {
      const Family& f = prefixed->family;
      const auto begins = [&, &plain = name](const std::string& start) {
        return !start.empty() && plain.compare(0, start.size(), start) == 0;
      };
      const bool of_encoder =
          begins("embeddings") || begins("emb_ln") || begins("encoder.") || begins("embed_tokens") || begins(f.layer) ||
          (begins(f.final_norm) && !begins(f.lm_norm)) || (begins("pooler.") && f.type != "deberta-v2");
      if (of_encoder) full = f.prefix + name;
    }
    list.push_back({full, "F32", tensor.shape, tensor.values.data(), tensor.values.size() * sizeof(float)});
  }
  return safetensors(list);
}

const char* act_name(Act act) {
  switch (act) {
    case Act::kRelu:
      return "relu";
    case Act::kSilu:
      return "silu";
    case Act::kGeluTanh:
      return "gelu_pytorch_tanh";
    case Act::kTanh:
      return "tanh";
    default:
      return "gelu";
  }
}

std::string architecture(const DrawnModel& m) {
  const Family& f = m.family;
  switch (m.head) {
    case Head::kLanguage:
    case Head::kSparse:
      return f.name + (f.architecture_causal.empty() ? "ForMaskedLM" : f.architecture_causal);
    case Head::kClasses:
      return f.name + "ForSequenceClassification";
    case Head::kTokens:
      return f.name + "ForTokenClassification";
    case Head::kAnswers:
      return f.name + "ForQuestionAnswering";
    default:
      return f.name + "Model";
  }
}

void put_bias(Object& config, const std::string& rule, bool has) {
  if (rule != "yes" && rule != "no") config.put(rule, yes(has));
}

std::string config_of(const DrawnModel& m) {
  const Family& f = m.family;
  Object config;
  const auto key = [&](const std::string& usual) {
    const auto found = f.keys.find(usual);
    return found == f.keys.end() ? usual : found->second;
  };
  config.put("model_type", quoted(f.type));
  config.put("architectures", "[" + quoted(architecture(m)) + "]");
  config.put(key("hidden_size"), m.d);
  config.put(key("num_hidden_layers"), static_cast<int64_t>(m.layers.size()));
  config.put(key("num_attention_heads"), m.heads);
  config.put(key("intermediate_size"), m.layers[0].neurons);
  const int64_t before = f.positions == Positions::kAfterPadding ? m.pad + 1 : 0;
  config.put(key("max_position_embeddings"), m.max_positions + before);
  config.put("vocab_size", m.vocab);
  config.put("pad_token_id", int64_t{m.pad});
  config.put(f.head_size_key, m.head_size);
  config.put(f.act_key, quoted(act_name(m.act)));
  if (!f.eps_key.empty()) config.put(f.eps_key, number(m.eps));
  if (f.most_types > 0) config.put("type_vocab_size", m.types);
  if (m.e != m.d) config.put("embedding_size", m.e);
  if (f.shares_keys) config.put("num_key_value_heads", m.key_heads);
  put_bias(config, f.query_bias, m.query_bias);
  if (f.out_bias != f.query_bias) put_bias(config, f.out_bias, m.out_bias);
  put_bias(config, f.up_bias, m.up_bias);
  if (f.down_bias != f.up_bias) put_bias(config, f.down_bias, m.down_bias);
  put_bias(config, f.class_dense_bias, m.class_dense_bias);
  if (f.rotates) config.put(f.theta_key, number(m.theta));
  if (!f.local_theta_key.empty()) config.put(f.local_theta_key, number(m.local_theta));
  if (f.is_local) {
    config.put(f.window_key, m.window);
    config.put(f.every_key, m.every);
  }
  if (f.causal == 2) config.put("use_bidirectional_attention", yes(!m.is_causal));
  if (f.scales_words) config.put("query_pre_attn_scalar", number(m.score_divisor));
  if (f.distances == Distances::kDisentangled) {
    config.put("relative_attention", "true");
    config.put("pos_att_type", "[" + std::string(m.to_places ? "\"c2p\"" : "") +
                                   (m.to_places && m.of_places ? "," : "") + (m.of_places ? "\"p2c\"" : "") + "]");
    config.put("share_att_key", yes(m.shares_place_keys));
    config.put("position_buckets", m.buckets > 0 ? m.buckets : -1);
    config.put("max_relative_positions", m.most_distance);
    config.put("norm_rel_ebd", quoted(m.norms_places ? "layer_norm" : "none"));
    config.put("position_biased_input", yes(m.adds_positions));
  }
  if (!f.class_act_key.empty()) config.put(f.class_act_key, quoted(act_name(m.class_act)));
  if (f.class_poolings.size() > 1) {
    config.put("classifier_pooling", quoted(m.class_pooling == ClassPooling::kFirst  ? "cls"
                                            : m.class_pooling == ClassPooling::kMean ? "mean"
                                                                                     : "late"));
  }
  std::string kinds, labels;
  for (const Layer& layer : m.layers) {
    kinds += (kinds.empty() ? "" : ",") + quoted(layer.looks_up ? "lookup" : "vanilla");
  }
  for (const Layer& layer : m.layers) {
    if (!layer.looks_up) continue;
    config.put("ffn_kinds", "[" + kinds + "]");
    config.put("ffn_num_table", layer.tables);
    config.put("ffn_table_size", layer.table_size);
    config.put("block_size", layer.block);
    config.put("projection_type",
               quoted(layer.chain_factors == 0 ? "dense" : "bh" + std::to_string(layer.chain_factors)));
    config.put("layer_norm", "false");
    break;
  }
  for (size_t i = 0; i < m.labels.size(); ++i) {
    labels += (labels.empty() ? "" : ",") + quoted(std::to_string(i)) + ":" + quoted(m.labels[i]);
  }
  if (!labels.empty()) config.put("id2label", "{" + labels + "}");
  return config.text();
}

std::string tokenizer_of(int64_t vocabulary) {
  std::string words, added;
  for (int32_t id = 0; id < vocabulary; ++id)
    words += (id > 0 ? "," : "") + quoted(word(id)) + ":" + std::to_string(id);
  for (int32_t id = 0; id < 5; ++id) {
    added += (id > 0 ? "," : "") + ("{\"id\":" + std::to_string(id)) + ",\"content\":" + quoted(word(id)) +
             ",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special\":true}";
  }
  const auto special = [](int32_t id) { return "{\"SpecialToken\":{\"id\":" + quoted(word(id)) + ",\"type_id\":0}}"; };
  const auto known = [](int32_t id) {
    return quoted(word(id)) + ":{\"id\":" + quoted(word(id)) + ",\"ids\":[" + std::to_string(id) + "],\"tokens\":[" +
           quoted(word(id)) + "]}";
  };
  const auto sequence = [](const char* name) {
    return std::string("{\"Sequence\":{\"id\":\"") + name + "\",\"type_id\":0}}";
  };
  const std::string single = special(kCls) + "," + sequence("A") + "," + special(kSep);
  return "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":[" + added +
         "],\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},\"post_processor\":{\"type\":"
         "\"TemplateProcessing\",\"single\":[" +
         single + "],\"pair\":[" + single + "," + sequence("B") + "," + special(kSep) + "],\"special_tokens\":{" +
         known(kCls) + "," + known(kSep) +
         "}},\"decoder\":{\"type\":\"WordPiece\",\"prefix\":\"##\",\"cleanup\":true},\"model\":{\"type\":\"WordPiece\","
         "\"unk_token\":\"[UNK]\",\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\":100,\"vocab\":{" +
         words + "}}}";
}

std::string modules_json(const std::vector<std::pair<std::string, std::string>>& list) {
  std::string text;
  for (size_t i = 0; i < list.size(); ++i) {
    text += (i > 0 ? "," : "") + ("{\"idx\":" + std::to_string(i)) + ",\"name\":" + quoted(std::to_string(i)) +
            ",\"path\":" + quoted(list[i].first) + ",\"type\":" + quoted(list[i].second) + "}";
  }
  return "[" + text + "]";
}

void write_modules(DrawnModel& m) {
  const std::string models = "sentence_transformers.models.";
  std::vector<std::pair<std::string, std::string>> list = {{"", models + "Transformer"},
                                                           {"1_Pooling", models + "Pooling"}};
  Object pooling;
  pooling.put("word_embedding_dimension", m.d);
  const std::pair<const char*, Pool> names[] = {{"pooling_mode_cls_token", Pool::kFirst},
                                                {"pooling_mode_max_tokens", Pool::kMax},
                                                {"pooling_mode_mean_tokens", Pool::kMean},
                                                {"pooling_mode_mean_sqrt_len_tokens", Pool::kMeanSqrt},
                                                {"pooling_mode_weightedmean_tokens", Pool::kWeighted},
                                                {"pooling_mode_lasttoken", Pool::kLast}};
  for (const auto& [name, pool] : names) {
    bool on = false;
    for (const Pool drawn : m.poolings) on = on || drawn == pool;
    pooling.put(name, yes(on));
  }
  m.files["1_Pooling/config.json"] = pooling.text();
  for (size_t i = 0; i < m.modules.size(); ++i) {
    const Dense& dense = m.modules[i];
    const std::string place = std::to_string(i + 2) + "_Dense";
    list.emplace_back(place, models + "Dense");
    Object config;
    config.put("in_features", dense.inputs);
    config.put("out_features", dense.outputs);
    config.put("bias", yes(dense.bias));
    config.put("activation_function", quoted(dense.act == Act::kTanh   ? "torch.nn.modules.activation.Tanh"
                                             : dense.act == Act::kRelu ? "torch.nn.modules.activation.ReLU"
                                             : dense.act == Act::kGelu ? "torch.nn.modules.activation.GELU"
                                                                       : "torch.nn.modules.linear.Identity"));
    m.files[place + "/config.json"] = config.text();
    m.files[place + "/model.safetensors"] = safetensors(m.module_tensors[i]);
  }
  if (m.normalises) list.emplace_back("9_Normalize", models + "Normalize");
  m.files["modules.json"] = modules_json(list);
}

void write_static(DrawnModel& m) {
  m.files["config.json"] = "{\"model_type\":\"model2vec\",\"max_length\":null,\"normalize\":" + yes(m.normalises) + "}";
  std::vector<Stored> list;
  for (const auto& [name, tensor] : m.tensors) {
    list.push_back({name, "F32", tensor.shape, tensor.values.data(), tensor.values.size() * sizeof(float)});
  }
  if (m.has_mapping) {
    list.push_back({"mapping", "I32", {m.vocab}, m.mapping.data(), m.mapping.size() * sizeof(int32_t)});
  }
  m.files["model.safetensors"] = safetensors(list);
}

}  // namespace

void write_files(DrawnModel& m) {
  m.files["tokenizer.json"] = tokenizer_of(m.vocab);
  m.files["tokenizer_config.json"] =
      "{\"cls_token\":\"[CLS]\",\"sep_token\":\"[SEP]\",\"pad_token\":\"[PAD]\",\"unk_token\":\"[UNK]\",\"mask_token\":"
      "\"[MASK]\",\"model_max_length\":300}";
  if (m.head == Head::kStatic) return write_static(m);
  m.files["config.json"] = config_of(m);
  const bool bare = m.head == Head::kEmbeddings || m.head == Head::kVectors;
  m.files["model.safetensors"] = safetensors(m.tensors, bare ? nullptr : &m);
  if (m.head == Head::kEmbeddings) write_modules(m);
  if (m.head != Head::kSparse) return;
  const std::string models = "sentence_transformers.sparse_encoder.models.";
  m.files["modules.json"] =
      modules_json({{"", models + "MLMTransformer"}, {"1_SpladePooling", models + "SpladePooling"}});
  Object pooling;
  pooling.put("pooling_strategy", quoted(m.sums ? "sum" : "max"));
  pooling.put("activation_function", quoted(m.twice ? "log1p_relu" : "relu"));
  m.files["1_SpladePooling/config.json"] = pooling.text();
}

}  // namespace draws
