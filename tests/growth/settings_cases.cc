// SPDX-License-Identifier: Apache-2.0
// Files of settings beside the weights: JSON of all kinds.
#include <string>

#include "format/json_object.h"
#include "model/config/model_config.h"
#include "runtime/error.h"
#include "tests/growth/growth_case.h"

namespace growth {
namespace {

Work json(std::string text) {
  const size_t bytes = text.size();
  return {bytes, [text = std::move(text)]() -> std::string {
            try {
              lffn::JsonObject object(text, "it");
              object.drop_nulls();
            } catch (const lffn::Error& error) {
              return error.what();
            }
            return "";
          }};
}

Work config(const std::string& more) {
  std::string text =
      "{\"model_type\":\"bert\",\"hidden_size\":32,\"num_hidden_layers\":1,\"num_attention_heads\":1,"
      "\"intermediate_size\":32,\"vocab_size\":100,\"max_position_embeddings\":16," +
      more + "}";
  const size_t bytes = text.size();
  return {bytes, [text = std::move(text)]() -> std::string {
            try {
              lffn::parse_model_config(text);
            } catch (const lffn::Error& error) {
              return error.what();
            }
            return "";
          }};
}

std::string numbered(size_t i) { return '"' + std::to_string(i) + '"'; }

}  // namespace

std::vector<Case> settings_cases() {
  static constexpr char kJson[] = "JSON", kConfig[] = "config.json", kModules[] = "modules and prompts";
  const auto keys = [](size_t n) { return listed(n, ",", [](size_t i) { return numbered(i) + ":1"; }); };
  const std::string bert =
      "{\"model_type\":\"bert\",\"hidden_size\":32,\"num_hidden_layers\":1,\"num_attention_heads\":1,"
      "\"intermediate_size\":32,\"vocab_size\":100,\"max_position_embeddings\":16}";
  const std::string sentence =
      "[{\"type\":\"sentence_transformers.models.Transformer\",\"path\":\"\"},"
      "{\"type\":\"sentence_transformers.models.Pooling\",\"path\":\"1_Pooling\"}";
  return {
      {kJson, "keys", [=](size_t n) { return json("{" + keys(n) + "}"); }, 256},
      {kJson, "long keys",
       [](size_t n) {
         return json("{" +
                     listed(n, ",", [](size_t i) { return '"' + std::string(100, 'k') + std::to_string(i) + "\":1"; }) +
                     "}");
       },
       32},
      {kJson, "one long key", [](size_t n) { return json("{\"" + std::string(n, 'k') + "\":1}"); }, 4000},
      {kJson, "nulls",
       [](size_t n) { return json("{" + listed(n, ",", [](size_t i) { return numbered(i) + ":null"; }) + "}"); }, 256},
      {kJson, "numbers", [](size_t n) { return json("{\"a\":[" + repeated("1,", n) + "1]}"); }, 1000},
      {kJson, "one long number", [](size_t n) { return json("{\"a\":1." + std::string(n, '5') + "}"); }, 2000},
      {kJson, "one number too large", [](size_t n) { return json("{\"a\":" + std::string(n, '5') + "}"); }, 2000,
       "it: byte"},
      {kJson, "empty lists", [](size_t n) { return json("{\"a\":[" + repeated("[],", n) + "[]]}"); }, 700},
      {kJson, "empty objects", [](size_t n) { return json("{\"a\":[" + repeated("{},", n) + "{}]}"); }, 700},
      {kJson, "blanks", [](size_t n) { return json("{" + std::string(n, ' ') + "}"); }, 4000},
      {kConfig, "unknown keys", [=](size_t n) { return config(keys(n)); }, 256},
      {kConfig, "labels",
       [=](size_t n) {
         return config("\"id2label\":{" + listed(n, ",", [](size_t i) { return numbered(i) + ":\"\""; }) + "}");
       },
       256},
      {kConfig, "names of labels",
       [](size_t n) {
         return config("\"label2id\":{" + listed(n, ",", [](size_t i) { return numbered(i) + ":1"; }) + "}");
       },
       256},
      {kConfig, "long labels", [=](size_t n) { return config("\"id2label\":{\"0\":\"" + std::string(n, 'l') + "\"}"); },
       4000},
      {kModules, "prompts",
       [=](size_t n) {
         const std::string prompts =
             "{\"prompts\":{" + listed(n, ",", [](size_t i) { return numbered(i) + ":\"p\""; }) + "}}";
         return model_of({{"config.json", bert},
                          {"modules.json", sentence + "]"},
                          {"1_Pooling/config.json", "{}"},
                          {"config_sentence_transformers.json", prompts}});
       },
       256, "'model.safetensors'"},
      {kModules, "unknown keys",
       [=](size_t n) {
         return model_of({{"config.json", bert},
                          {"modules.json", sentence + "]"},
                          {"1_Pooling/config.json", "{}"},
                          {"sentence_bert_config.json", "{" + keys(n) + "}"}});
       },
       256, "'model.safetensors'"},
      {kModules, "files of an index",
       [=](size_t n) {
         const std::string map = listed(n, ",", [](size_t i) { return numbered(i) + ":\"a.safetensors\""; });
         return model_of({{"config.json", bert}, {"model.safetensors.index.json", "{\"weight_map\":{" + map + "}}"}});
       },
       128, "'a.safetensors'"},
  };
}

}  // namespace growth
