// SPDX-License-Identifier: Apache-2.0
// Reads a model from a folder or from one file.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "format/file.h"
#include "model/memory_estimate.h"
#include "model/model.h"
#include "model/sentence_folder.h"
#include "model/sentence_json.h"
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

// What was read, and checked against itself. The tensors' numbers are still in their files.
struct ReadModel {
  ModelConfig config;
  SentenceSettings sentence;
  ModelTensors tensors;
  std::shared_ptr<const Tokenizer> tokenizer;
};

ReadModel check_parts(std::string_view config_text, SentenceSettings sentence, const std::vector<TensorView>& views,
                      std::shared_ptr<const Tokenizer> tokenizer, const LoadOptions& options) {
  ModelConfig config = parse_model_config(config_text);
  if (options.attention_dtype == LFFN_INT8 && config.distances.kind != Distances::kNone) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "options.attention_dtype is LFFN_INT8, but in the family %s distances add to scores, which are floats then; "
         "leave it LFFN_DTYPE_AS_STORED",
         config.family->name);
  }
  if (tokenizer != nullptr && tokenizer->size() > config.vocab_size) {
    fail(LFFN_ERROR_BAD_MODEL, "the tokenizer has the id %d, but vocab_size is %d", tokenizer->size() - 1,
         config.vocab_size);
  }
  check_modules(config, sentence);
  ModelTensors tensors = check_model_tensors(config, views, sentence);
  return {std::move(config), std::move(sentence), std::move(tensors), std::move(tokenizer)};
}

const int32_t* flag_of(const LoadOptions& options) {
  return options.progress != nullptr ? options.progress->cancel() : nullptr;
}

// use(ReadModel), while what they point into is there.
template <typename Use>
auto with_file(const Bytes& bytes, const LoadOptions& options, Use&& use) {
  Safetensors file = parse_safetensors(bytes);
  const std::string& config = stored_config(file, "model");
  const auto sentence = file.metadata.find(kSentenceKey);
  auto tokenizer = take_tokenizer(file.tensors, flag_of(options));
  return use(check_parts(config,
                         sentence != file.metadata.end() ? sentence_from_json(sentence->second) : SentenceSettings(),
                         file.tensors, std::move(tokenizer), options));
}

template <typename Use>
auto with_folder(const Folder& given, const LoadOptions& options, Use&& use) {
  const CountedFolder counted(given, options.progress);
  const Folder& folder = counted;
  const std::string saved = given.path(kSavedModel);
  if (naming(saved, [&] { return holds_saved_model(given); })) {
    return naming(saved, [&] { return with_file(*folder.open(kSavedModel), options, use); });
  }
  SentenceFolder sentence = read_sentence_folder(folder);
  const InnerFolder inside(folder, sentence.transformer);
  const std::string config = inside.read_text("config.json", kMaxConfigBytes);
  WeightFiles weights = open_weight_files(inside);
  std::move(sentence.tensors.begin(), sentence.tensors.end(), std::back_inserter(weights.tensors));
  const std::string path = inside.path("");
  return naming(path.empty() ? path : path.substr(0, path.size() - 1), [&] {
    return use(check_parts(config, std::move(sentence.settings), weights.tensors,
                           read_tokenizer(inside, flag_of(options)), options));
  });
}

template <typename Use>
auto with_path(const std::string& path, const LoadOptions& options, Use&& use) {
  if (is_folder(path)) return with_folder(FolderOnDisk(path, options.map_file), options, use);
  return naming(path, [&] { return with_file(*open_file(path, options), options, use); });
}

// Makes a model of the parts.
auto maker(const LoadOptions& options, const Kernels& kernels) {
  return [&](ReadModel parts) {
    return std::unique_ptr<const Model>(new Model(std::move(parts.config), std::move(parts.sentence), parts.tensors,
                                                  std::move(parts.tokenizer), options, kernels));
  };
}

}  // namespace

std::unique_ptr<const Model> load_model_file(const Bytes& file, const LoadOptions& options, const Kernels& kernels) {
  return with_file(file, options, maker(options, kernels));
}

std::unique_ptr<const Model> load_model_folder(const Folder& folder, const LoadOptions& options,
                                               const Kernels& kernels) {
  return with_folder(folder, options, maker(options, kernels));
}

std::unique_ptr<const Model> load_model(const std::string& path, const LoadOptions& options, const Kernels& kernels) {
  return with_path(path, options, maker(options, kernels));
}

MemoryEstimate estimate_memory(const std::string& path, const LoadOptions& options, const Kernels& kernels) {
  return with_path(path, options, [&](const ReadModel& parts) {
    return estimate_memory(parts.config, parts.tensors, options, kernels);
  });
}

MemoryEstimate estimate_memory(const Folder& folder, const LoadOptions& options, const Kernels& kernels) {
  return with_folder(folder, options, [&](const ReadModel& parts) {
    return estimate_memory(parts.config, parts.tensors, options, kernels);
  });
}

}  // namespace lffn
