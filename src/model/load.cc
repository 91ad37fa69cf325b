// SPDX-License-Identifier: Apache-2.0
// Reads a model from a folder or from one file.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/file.h"
#include "format/json_object.h"
#include "format/load_progress.h"
#include "format/torch_file.h"
#include "format/utf8.h"
#include "model/config/sentence_folder.h"
#include "model/config/sentence_settings.h"
#include "model/config/tokenizer_files.h"
#include "model/memory_estimate.h"
#include "model/model.h"
#include "model/statics/static_vectors.h"
#include "model/tensors/adapters.h"
#include "model/tensors/balance.h"
#include "model/tensors/logit_row.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// The files of a folder that hold its weights: model.safetensors, else pytorch_model.bin, or those that an index names.
struct WeightFiles {
  std::vector<TensorView> tensors;  // of all files
  std::vector<std::unique_ptr<const Bytes>> files;
};

constexpr char kSingle[] = "model.safetensors";
constexpr char kIndex[] = "model.safetensors.index.json";
constexpr char kTorch[] = "pytorch_model.bin";
constexpr char kTorchIndex[] = "pytorch_model.bin.index.json";
constexpr size_t kMaxIndexBytes = size_t{1} << 20;

void add_file(const Folder& folder, const std::string& name, WeightFiles& to) {
  to.files.push_back(folder.open(name));
  Safetensors content = naming(folder.path(name), [&] { return parse_weights(*to.files.back(), name); });
  for (TensorView& view : content.tensors) to.tensors.push_back(std::move(view));
}

// The files that the index names, each once.
std::set<std::string> read_index(const Folder& folder, const char* file) {
  const JsonObject index(folder.read_text(file, kMaxIndexBytes), folder.path(file));
  constexpr char kWanted[] = "an object with the name of a file for each tensor";
  const JsonValue* map = index.value("weight_map");
  if (map == nullptr || map->shape != JsonValue::Shape::kObject) index.refuse("weight_map", kWanted);
  std::set<std::string> names;
  for (const JsonValue& value : map->items) {
    if (!value.is_text()) index.refuse("weight_map", kWanted);
    const std::string& name = value.scalar.text;
    if (name.empty() || name == ".." || name.find_first_of("/\\") != std::string::npos) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: %s is not the name of a file in this folder", folder.path(file).c_str(),
           in_quotes(name).c_str());
    }
    names.insert(name);
  }
  return names;
}

// Throws Error(LFFN_ERROR_BAD_MODEL) that names the file, or Error(LFFN_ERROR_UNSUPPORTED) if the folder has weights in
// another format only.
WeightFiles open_weight_files(const Folder& folder) {
  WeightFiles result;
  if (folder.has(kSingle)) {
    add_file(folder, kSingle, result);
  } else if (folder.has(kIndex)) {
    for (const std::string& name : read_index(folder, kIndex)) add_file(folder, name, result);
  } else if (folder.has(kTorch)) {
    add_file(folder, kTorch, result);
  } else if (folder.has(kTorchIndex)) {
    for (const std::string& name : read_index(folder, kTorchIndex)) add_file(folder, name, result);
  } else {
    for (const char* other : {"tf_model.h5", "flax_model.msgpack"}) {
      if (!folder.has(other)) continue;
      fail(LFFN_ERROR_UNSUPPORTED,
           "%s is not read; load the model with transformers and call save_pretrained, which writes model.safetensors",
           in_quotes(folder.path(other)).c_str());
    }
    add_file(folder, kSingle, result);  // says that it is missing
  }
  return result;
}

constexpr size_t kMaxConfigBytes = size_t{1} << 20;

// Checks that each dense module takes as many numbers as pooling, or the module before it, gives.
void check_modules(const ModelConfig& config, const SentenceSettings& sentence) {
  int64_t size = config.hidden_size * static_cast<int64_t>(sentence.pooling.size());
  for (const SentenceSettings::Module& module : sentence.modules) {
    if (module.normalise) continue;
    if (module.inputs != size) {
      fail(LFFN_ERROR_BAD_MODEL, "a Dense module takes %d numbers, but %lld come before it", module.inputs,
           static_cast<long long>(size));
    }
    size = module.outputs;
  }
}

// All parts of a model, read and checked against each other. The tensors' numbers are still in their files.
struct ReadModel {
  ModelConfig config;
  SentenceSettings sentence;
  ModelTensors tensors;
  std::shared_ptr<const Tokenizer> tokenizer;
  QueryWeights query_weights = {};
  AdaptedTensors adapted = {};
  // For a model of static vectors, which has no other tensors.
  StaticTensors static_tensors = {};
  StaticSettings static_settings = {};
};

void check_vocabulary(const Tokenizer* tokenizer, int32_t vocab_size) {
  // EmbeddingGemma's tokenizer has one token more, which stands for input that is not text: only a text with it fails.
  if (tokenizer == nullptr || tokenizer->size() - 1 <= vocab_size) return;
  fail(LFFN_ERROR_BAD_MODEL, "the tokenizer has the id %d, but vocab_size is %d", tokenizer->size() - 1, vocab_size);
}

ReadModel check_parts(std::string_view config_text, SentenceSettings sentence, std::vector<TensorView>& views,
                      std::shared_ptr<const Tokenizer> tokenizer, const ModelLoadOptions& options,
                      QueryWeights query_weights) {
  ModelConfig config = parse_model_config(config_text);
  if (options.attention_dtype == LFFN_DTYPE_INT8 && config.distances.kind != Distances::kNone) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "options.attention_dtype is LFFN_DTYPE_INT8, but in the family %s distances add to scores, which are floats "
         "then; "
         "leave it LFFN_DTYPE_AS_STORED",
         config.family->name);
  }
  check_vocabulary(tokenizer.get(), config.vocab_size);
  const bool is_logit = sentence.pairs && sentence.pairs->is_logit;
  if (sentence.is_sentence_encoder || is_logit) config.has_plain_decoder = false;  // nothing asks for its logits
  if (is_logit) config.class_pad_id = -1;  // the last token counts, even if it is padding
  if (sentence.pairs && sentence.pairs->activation) config.rank_activation = sentence.pairs->activation;
  check_modules(config, sentence);
  for (const int32_t id : {sentence.late.query_prefix, sentence.late.document_prefix, sentence.late.filler}) {
    if (id < config.vocab_size) continue;
    fail(LFFN_ERROR_BAD_MODEL, "late interaction puts the token %d into texts, but vocab_size is %d", id,
         config.vocab_size);
  }
  AdaptedTensors adapted;
  if (!options.adapter.empty()) adapted = AdaptedTensors(options.adapter, config, views);
  ModelTensors tensors = check_model_tensors(config, views, sentence);
  if (sentence.sparse.pools && !sentence.sparse.of_tokens && tensors.lm_norm.empty()) {
    fail(LFFN_ERROR_BAD_MODEL, "sparse vectors need a masked language model's head, which these tensors lack");
  }
  if (!query_weights.empty() && query_weights.size() > config.vocab_size) {
    fail(LFFN_ERROR_BAD_MODEL, "the tokenizer of queries has the id %lld, but vocab_size is %d",
         static_cast<long long>(query_weights.size() - 1), config.vocab_size);
  }
  return {std::move(config),    std::move(sentence),      std::move(tensors),
          std::move(tokenizer), std::move(query_weights), std::move(adapted)};
}

ReadModel check_static_parts(const std::string& config_text, SentenceSettings sentence, const StaticSettings& settings,
                             const std::vector<TensorView>& views, std::shared_ptr<const Tokenizer> tokenizer,
                             const ModelLoadOptions& options) {
  if (!options.adapter.empty()) refuse_adapter(options.adapter);
  ReadModel parts;
  parts.static_tensors = check_static_tensors(views);
  parts.static_settings = settings;
  ModelConfig& config = parts.config;
  config.text = config_text;
  config.family = &kStaticFamily;
  config.vocab_size = parts.static_tensors.num_tokens;
  config.type_vocab_size = 0;
  config.hidden_size = config.embedding_size = static_cast<int32_t>(parts.static_tensors.size());
  config.max_position_embeddings = INT32_MAX;  // texts may have any number of tokens
  if (tokenizer != nullptr && tokenizer->size() > config.vocab_size) {
    fail(LFFN_ERROR_BAD_MODEL, "the tokenizer has the id %d, but there are vectors of %d tokens", tokenizer->size() - 1,
         config.vocab_size);
  }
  parts.sentence = std::move(sentence);
  parts.tokenizer = std::move(tokenizer);
  return parts;
}

// How messages name the folder.
std::string folder_name(const Folder& folder) {
  const std::string path = folder.path("");
  return path.empty() ? path : path.substr(0, path.size() - 1);
}

// Calls use(ReadModel) while the files that it points into are open.
template <typename Use>
auto with_file(const Bytes& bytes, const ModelLoadOptions& options, Use&& use) {
  Safetensors file = parse_safetensors(bytes);
  const std::string& config = stored_config(file, "model");
  const auto found = file.metadata.find(kSentenceKey), statics = file.metadata.find(kStaticKey);
  auto tokenizer = take_tokenizer(file.tensors, flag_of(options.progress));
  SentenceSettings sentence = found != file.metadata.end() ? sentence_from_json(found->second) : SentenceSettings();
  if (statics != file.metadata.end()) {
    return use(check_static_parts(config, std::move(sentence), static_from_json(statics->second), file.tensors,
                                  std::move(tokenizer), options));
  }
  QueryWeights query_weights = QueryWeights::take(file.tensors, flag_of(options.progress));
  return use(
      check_parts(config, std::move(sentence), file.tensors, std::move(tokenizer), options, std::move(query_weights)));
}

// Looks up the tokens that a folder's files name by words.
void find_words(SentenceFolder& folder, const std::vector<TensorView>& tensors, const Tokenizer* tokenizer) {
  SentenceSettings& settings = folder.settings;
  if (settings.late.is_late && folder.late_words.needs_layer) {
    const auto is_layer = [](const TensorView& view) { return view.name == std::string(kTokenVectors) + ".weight"; };
    if (std::none_of(tensors.begin(), tensors.end(), is_layer)) {
      fail(LFFN_ERROR_BAD_MODEL, "%s.weight is missing, which makes the vectors of late interaction", kTokenVectors);
    }
  }
  if (tokenizer == nullptr) return;
  if (settings.late.is_late) find_late_words(folder.late_words, *tokenizer, settings.late);
  if (!settings.sparse.of_tokens) return;
  std::vector<int32_t>& left_out = settings.sparse.left_out;
  left_out = {tokenizer->bos_id(), tokenizer->eos_id(), tokenizer->pad_id(), tokenizer->unk_id()};
  std::sort(left_out.begin(), left_out.end());
  left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
  if (left_out[0] < 0) left_out.erase(left_out.begin());
}

template <typename Use>
auto with_folder(const Folder& given, const ModelLoadOptions& options, Use&& use) {
  const CountedFolder counted(given, options.progress);
  const Folder& folder = counted;
  const std::string saved = given.path(kSavedModel);
  if (naming(saved, [&] { return holds_saved_model(given); })) {
    return naming(saved, [&] { return with_file(*folder.open(kSavedModel), options, use); });
  }
  if (std::optional<StaticFolder> statics = read_static_folder(folder)) {
    const InnerFolder inside(folder, statics->place);
    const WeightFiles weights = open_weight_files(inside);
    return naming(folder_name(inside), [&] {
      return use(check_static_parts(statics->config, std::move(statics->sentence), statics->settings, weights.tensors,
                                    read_static_tokenizer(inside, flag_of(options.progress)), options));
    });
  }
  SentenceFolder sentence = read_sentence_folder(folder);
  const InnerFolder inside(folder, sentence.transformer);
  const std::string config = inside.read_text("config.json", kMaxConfigBytes);
  WeightFiles weights = open_weight_files(inside);
  std::move(sentence.tensors.begin(), sentence.tensors.end(), std::back_inserter(weights.tensors));
  if (sentence.logit) {
    naming(folder_name(inside), [&] { add_logit_row(config, *sentence.logit, weights.tensors, sentence.memory); });
  }
  QueryWeights query_weights;
  if (sentence.query) {
    query_weights = QueryWeights::read(InnerFolder(folder, *sentence.query), folder, flag_of(options.progress));
  }
  return naming(folder_name(inside), [&] {
    auto tokenizer = read_tokenizer(inside, flag_of(options.progress));
    if (tokenizer != nullptr && sentence.settings.late.is_late) {
      tokenizer = with_late_prefixes(std::move(tokenizer), sentence.late_words, flag_of(options.progress));
    }
    find_words(sentence, weights.tensors, tokenizer.get());
    return use(check_parts(config, std::move(sentence.settings), weights.tensors, std::move(tokenizer), options,
                           std::move(query_weights)));
  });
}

template <typename Use>
auto with_path(const std::string& path, const ModelLoadOptions& options, Use&& use) {
  if (is_folder(path)) return with_folder(FolderOnDisk(path, options.map_file), options, use);
  return naming(path, [&] { return with_file(*open_file(path, options), options, use); });
}

// Makes a model of the parts.
auto maker(const ModelLoadOptions& options, const Kernels& kernels) {
  return [&](ReadModel parts) {
    if (!parts.static_tensors.empty()) {
      StaticVectors statics(parts.static_settings, parts.static_tensors, options, parts.tokenizer.get());
      return std::unique_ptr<const Model>(new Model(std::move(parts.config), std::move(parts.sentence),
                                                    std::move(statics), std::move(parts.tokenizer), options, kernels));
    }
    balance(parts.config, options, parts.tensors);
    return std::unique_ptr<const Model>(new Model(std::move(parts.config), std::move(parts.sentence), parts.tensors,
                                                  std::move(parts.tokenizer), options, kernels,
                                                  std::move(parts.query_weights)));
  };
}

}  // namespace

std::unique_ptr<const Model> load_model_file(const Bytes& file, const ModelLoadOptions& options,
                                             const Kernels& kernels) {
  return with_file(file, options, maker(options, kernels));
}

std::unique_ptr<const Model> load_model_folder(const Folder& folder, const ModelLoadOptions& options,
                                               const Kernels& kernels) {
  return with_folder(folder, options, maker(options, kernels));
}

std::unique_ptr<const Model> load_model(const std::string& path, const ModelLoadOptions& options,
                                        const Kernels& kernels) {
  return with_path(path, options, maker(options, kernels));
}

namespace {

MemoryEstimate estimate_parts(const ReadModel& parts, const ModelLoadOptions& options, const Kernels& kernels) {
  if (parts.static_tensors.empty()) {
    MemoryEstimate found = estimate_memory(parts.config, parts.tensors, options, kernels);
    found.weights += parts.query_weights.bytes();
    found.loading += parts.query_weights.bytes() + parts.adapted.bytes();
    return found;
  }
  const size_t weights = StaticVectors::bytes_for(parts.static_tensors, options);
  constexpr size_t kWindows = size_t{1} << 20;  // into files
  return {weights, weights + static_cast<size_t>(parts.static_tensors.rows->shape[0]) * sizeof(float) + kWindows};
}

}  // namespace

MemoryEstimate estimate_memory(const std::string& path, const ModelLoadOptions& options, const Kernels& kernels) {
  return with_path(path, options, [&](const ReadModel& parts) { return estimate_parts(parts, options, kernels); });
}

MemoryEstimate estimate_memory(const Folder& folder, const ModelLoadOptions& options, const Kernels& kernels) {
  return with_folder(folder, options, [&](const ReadModel& parts) { return estimate_parts(parts, options, kernels); });
}

}  // namespace lffn
