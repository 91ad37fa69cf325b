// SPDX-License-Identifier: Apache-2.0
#include "model/config/sentence_folder.h"

#include <algorithm>
#include <cstring>

#include "format/file.h"
#include "format/json_object.h"
#include "format/layer_config.h"
#include "format/torch_file.h"
#include "format/utf8.h"
#include "model/config/activations.h"
#include "runtime/error.h"

namespace lffn {

void check_place(const std::string& place, const std::string& where) {
  bool inside = place.empty() || (place[0] != '/' && place.find('\\') == std::string::npos);
  for (size_t begin = 0; inside && begin <= place.size();) {
    const size_t end = std::min(place.find('/', begin), place.size());
    inside = place.compare(begin, end - begin, "..") != 0;
    begin = end + 1;
  }
  if (!inside) fail(LFFN_ERROR_BAD_MODEL, "%s: the path %s leaves the folder", where.c_str(), in_quotes(place).c_str());
}

namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr size_t kMaxModules = 64;
constexpr char kModules[] = "modules.json";

JsonObject read_object(const Folder& folder, const std::string& name) {
  JsonObject object(folder.read_text(name, kMaxBytes), folder.path(name));
  object.drop_nulls();
  return object;
}

void read_pooling(const Folder& folder, SentenceSettings& settings) {
  const JsonObject object = read_object(folder, "config.json");
  struct Mode {
    const char* key;
    const char* name;
    bool by_default;
    Pooling pooling;
  };
  constexpr Mode kModes[] = {
      {"pooling_mode_cls_token", "cls", false, Pooling::kFirst},
      {"pooling_mode_max_tokens", "max", false, Pooling::kMax},
      {"pooling_mode_mean_tokens", "mean", true, Pooling::kMean},
      {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", false, Pooling::kMeanSqrtLength},
      {"pooling_mode_weightedmean_tokens", "weightedmean", false, Pooling::kWeightedMean},
      {"pooling_mode_lasttoken", "lasttoken", false, Pooling::kLast}};
  const std::string path = folder.path("config.json");
  const std::string named = object.text("pooling_mode", "");
  settings.pooling.clear();
  for (const Mode& mode : kModes) {
    if (named.empty() ? object.boolean(mode.key, mode.by_default) : named == mode.name) {
      settings.pooling.push_back(mode.pooling);
    }
  }
  if (settings.pooling.empty()) fail(LFFN_ERROR_BAD_MODEL, "%s: names no way to pool that is known", path.c_str());
  settings.include_prompt = object.boolean("include_prompt", true);
}

// The numbers of a dense module, each named behind `prefix`.
void read_weights(const Folder& folder, const std::string& prefix, SentenceFolder& to) {
  const bool is_torch = !folder.has("model.safetensors") && folder.has("pytorch_model.bin");
  const std::string name = is_torch ? "pytorch_model.bin" : "model.safetensors";
  to.files.push_back(folder.open(name));
  Safetensors content = naming(folder.path(name), [&] { return parse_weights(*to.files.back(), name); });
  for (TensorView& view : content.tensors) {
    view.name = prefix + view.name;
    to.tensors.push_back(std::move(view));
  }
}

SentenceSettings::Module read_sizes(const JsonObject& object, const std::string& path) {
  SentenceSettings::Module module;
  module.inputs = object.integer("in_features");
  module.outputs = object.integer("out_features");
  for (const int32_t size : {module.inputs, module.outputs}) {
    if (size < 1 || size > kMaxSize) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: a size of %d, allowed is 1 to %d", path.c_str(), size, kMaxSize);
    }
  }
  return module;
}

void read_dense(const Folder& folder, SentenceFolder& to) {
  const JsonObject object = read_object(folder, "config.json");
  const std::string path = folder.path("config.json");
  SentenceSettings::Module module = read_sizes(object, path);
  for (const char* key : {"module_input_name", "module_output_name"}) {
    if (object.text(key, "sentence_embedding") != "sentence_embedding") {
      fail(LFFN_ERROR_UNSUPPORTED, "%s: '%s' is not supported; choose a model whose Dense layers follow its pooling",
           path.c_str(), key);
    }
  }
  const bool has_bias = object.boolean("bias", true);
  const std::string activation = object.text("activation_function", "torch.nn.modules.activation.Tanh");
  const ActivationRow* row = find_torch_activation(activation);
  if (row == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED, "%s: the activation %s is not supported; choose Identity, Tanh, ReLU, Sigmoid or GELU",
         path.c_str(), in_quotes(activation).c_str());
  }
  module.activation = row->activation;
  const std::string prefix = module_prefix(to.settings.modules.size());
  read_weights(folder, prefix, to);
  if (!has_bias) {
    to.memory.emplace_back(static_cast<size_t>(module.outputs) * sizeof(float));
    std::memset(to.memory.back().data(), 0, to.memory.back().size());
    to.tensors.push_back(view_of(prefix + "linear.bias", DType::kF32, {module.outputs}, to.memory.back().data()));
  }
  to.settings.modules.push_back(module);
}

JsonValue read_modules(const Folder& folder) {
  const std::string where = folder.path(kModules);
  JsonValue root = parse_json_value(folder.read_text(kModules, kMaxBytes), where);
  if (root.shape != JsonValue::Shape::kList || root.items.empty() || root.items.size() > kMaxModules) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: must be a list of 1 to %zu modules", where.c_str(), kMaxModules);
  }
  return root;
}

std::string place_of(const JsonObject& module, const std::string& where) {
  std::string place = module.text("path", "");
  check_place(place, where);
  return place == "." ? "" : place;
}

}  // namespace

void read_transformer(const Folder& folder, SentenceSettings& settings) {
  for (const char* name :
       {"sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json",
        "sentence_camembert_config.json", "sentence_albert_config.json", "sentence_xlm-roberta_config.json",
        "sentence_xlnet_config.json"}) {
    if (!folder.has(name)) continue;
    const JsonObject object = read_object(folder, name);
    settings.max_seq_length = object.integer("max_seq_length", 0);
    settings.lower_case = object.boolean("do_lower_case", false);
    // sentence-transformers 5.4 and later, which have this key, take texts as they are.
    settings.strips = object.value("modality_config") == nullptr;
    return;
  }
}

void read_prompts(const Folder& folder, SentenceSettings& settings) {
  constexpr char kName[] = "config_sentence_transformers.json";
  if (!folder.has(kName)) return;
  const JsonObject object = read_object(folder, kName);
  if (const JsonValue* prompts = object.value("prompts")) {
    constexpr char kWanted[] = "an object with a text for each name, without zero bytes";
    if (prompts->shape != JsonValue::Shape::kObject) object.refuse("prompts", kWanted);
    for (size_t i = 0; i < prompts->items.size(); ++i) {
      if (prompts->items[i].is_null()) continue;
      if (!prompts->items[i].is_c_text() || prompts->names[i].find('\0') != std::string::npos) {
        object.refuse("prompts", kWanted);
      }
      settings.prompts.emplace_back(prompts->names[i], prompts->items[i].scalar.text);
    }
  }
  settings.sparse.max_active = object.integer("max_active_dims", 0);
  if (settings.sparse.max_active < 0) object.refuse("max_active_dims", "0 or more");
  const JsonValue* name = object.value("default_prompt_name");
  if (name == nullptr) return;
  settings.default_prompt = settings.find_prompt(object.text("default_prompt_name"));
  if (settings.default_prompt < 0) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: 'default_prompt_name' is %s, which is none of the prompts",
         folder.path(kName).c_str(), in_quotes(object.text("default_prompt_name")).c_str());
  }
}

std::vector<SentenceModule> list_modules(const Folder& folder) {
  std::vector<SentenceModule> modules;
  if (!folder.has(kModules)) return modules;
  const std::string where = folder.path(kModules);
  const JsonValue root = read_modules(folder);
  for (const JsonValue& item : root.items) {
    JsonObject object(item, where);
    object.drop_nulls();
    SentenceModule module;
    module.type = object.text("type");
    module.name = module.type.substr(module.type.rfind('.') + 1);
    module.place = place_of(object, where);
    // Dense modules have weights: one that is listed many times would make a model larger than its folder.
    const auto is_again = [&](const SentenceModule& other) {
      return other.place == module.place && other.name == module.name;
    };
    if (module.name == "Dense" && std::any_of(modules.begin(), modules.end(), is_again)) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: two Dense modules have the path %s", where.c_str(),
           in_quotes(module.place).c_str());
    }
    modules.push_back(std::move(module));
  }
  return modules;
}

std::string transformer_place(const Folder& folder) {
  const std::vector<SentenceModule> modules = list_modules(folder);
  if (is_sparse_folder(modules)) return read_sparse_folder(folder, modules).transformer;
  return modules.empty() ? "" : modules[0].place;
}

SentenceFolder read_sentence_folder(const Folder& folder) {
  SentenceFolder result;
  const std::string where = folder.path(kModules);
  const std::vector<SentenceModule> modules = list_modules(folder);
  if (is_late_folder(folder, modules)) return read_late_folder(folder, modules);
  if (modules.empty()) return result;
  if (is_sparse_folder(modules)) return read_sparse_folder(folder, modules);
  if (is_pair_folder(folder, modules)) return read_pair_folder(folder, modules);
  SentenceSettings& settings = result.settings;
  settings.is_sentence_encoder = true;
  settings.modules.clear();
  bool pooled = false;
  for (size_t i = 0; i < modules.size(); ++i) {
    const auto& [type, name, place] = modules[i];
    const InnerFolder inside(folder, place);
    // The first versions of sentence-transformers named the encoder's module after the family.
    const bool encoder = name == "Transformer" || name == "BERT" || name == "RoBERTa" || name == "DistilBERT";
    if (encoder != (i == 0) || (name == "Pooling") != (i == 1)) {
      fail(LFFN_ERROR_UNSUPPORTED,
           "%s: module %zu is %s; supported are a Transformer, then a Pooling, then any of Dense, Normalize and "
           "Dropout, or of late interaction a Transformer, then Dense, MultiVectorMask and Normalize",
           where.c_str(), i, in_quotes(type).c_str());
    }
    if (encoder) {
      result.transformer = place;
      read_transformer(inside, settings);
    } else if (name == "Pooling") {
      read_pooling(inside, settings);
      pooled = true;
    } else if (name == "Dense") {
      read_dense(inside, result);
    } else if (name == "Normalize") {
      SentenceSettings::Module normalise;
      normalise.normalise = true;
      settings.modules.push_back(normalise);
    } else if (name != "Dropout") {
      fail(LFFN_ERROR_UNSUPPORTED,
           "%s: the module %s is not supported; choose a model with Dense, Normalize and Dropout only", where.c_str(),
           in_quotes(type).c_str());
    }
  }
  if (!pooled) {
    fail(LFFN_ERROR_UNSUPPORTED, "%s: has no Pooling module; choose a model that has one", where.c_str());
  }
  read_prompts(folder, settings);
  read_heads_beside(folder, result);
  return result;
}

}  // namespace lffn
