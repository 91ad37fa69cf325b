// Reads a model from a folder or from one file.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "format/file.h"
#include "model/load_path.h"
#include "model/model.h"
#include "model/sentence_files.h"
#include "model/tokenizer_files.h"
#include "model/weight_files.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kMaxConfigBytes = size_t{1} << 20;

// What pooling gives is what the first dense module takes, and so on.
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

std::unique_ptr<const Model> make_model(std::string_view config_text, SentenceSettings sentence,
                                        const std::vector<TensorView>& views,
                                        std::shared_ptr<const Tokenizer> tokenizer, const LoadOptions& options,
                                        const Kernels& kernels) {
  ModelConfig config = parse_model_config(config_text);
  if (tokenizer != nullptr && tokenizer->size() > config.vocab_size) {
    fail(LFFN_ERROR_BAD_MODEL, "the tokenizer has the id %d, but vocab_size is %d", tokenizer->size() - 1,
         config.vocab_size);
  }
  check_modules(config, sentence);
  const ModelTensors tensors = check_model_tensors(config, views, sentence);
  return std::make_unique<const Model>(std::move(config), std::move(sentence), tensors, std::move(tokenizer), options,
                                       kernels);
}

}  // namespace

std::unique_ptr<const Model> load_model_file(const Bytes& bytes, const LoadOptions& options, const Kernels& kernels) {
  Safetensors file = parse_safetensors(bytes);
  const std::string& config = stored_config(file, "model");
  const auto sentence = file.metadata.find(kSentenceKey);
  auto tokenizer = take_tokenizer(file.tensors);
  return make_model(config, sentence != file.metadata.end() ? sentence_from_json(sentence->second) : SentenceSettings(),
                    file.tensors, std::move(tokenizer), options, kernels);
}

std::unique_ptr<const Model> load_model_folder(const Folder& folder, const LoadOptions& options,
                                               const Kernels& kernels) {
  SentenceFolder sentence = read_sentence_folder(folder);
  const InnerFolder inside(folder, sentence.transformer);
  const std::string config = inside.read_text("config.json", kMaxConfigBytes);
  WeightFiles weights = open_weight_files(inside);
  std::move(sentence.tensors.begin(), sentence.tensors.end(), std::back_inserter(weights.tensors));
  const std::string path = inside.path("");
  return naming(path.empty() ? path : path.substr(0, path.size() - 1), [&] {
    return make_model(config, std::move(sentence.settings), weights.tensors, read_tokenizer(inside), options, kernels);
  });
}

std::unique_ptr<const Model> load_model(const std::string& path, const LoadOptions& options, const Kernels& kernels) {
  if (is_folder(path)) return load_model_folder(FolderOnDisk(path, options.map_file), options, kernels);
  return naming(path, [&] {
    if (options.map_file) return load_model_file(FileBytes(path, true), options, kernels);
    return load_model_file(FileReader(path), options, kernels);
  });
}

}  // namespace lffn
