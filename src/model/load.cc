// Reads a model from a folder or from one file.
#include <sys/stat.h>

#include "format/file.h"
#include "model/model.h"
#include "runtime/error.h"

namespace lffn {
namespace {

std::string_view text_of(const FileBytes& file) { return {static_cast<const char*>(file.data()), file.size()}; }

std::unique_ptr<const Model> make_model(std::string_view config_text, const std::vector<TensorView>& views,
                                        std::unique_ptr<const Tokenizer> tokenizer, const LoadOptions& options,
                                        const Kernels& kernels) {
  ModelConfig config = parse_model_config(config_text);
  if (tokenizer != nullptr && tokenizer->size() > config.vocab_size) {
    fail(LFFN_ERROR_BAD_MODEL, "the tokenizer has the id %d, but vocab_size is %d", tokenizer->size() - 1,
         config.vocab_size);
  }
  const ModelTensors tensors = check_model_tensors(config, views);
  return std::make_unique<const Model>(std::move(config), tensors, std::move(tokenizer), options, kernels);
}

// Takes the tokenizer of a single file out of its tensors.
std::unique_ptr<const Tokenizer> take_tokenizer(std::vector<TensorView>& tensors) {
  for (auto view = tensors.begin(); view != tensors.end(); ++view) {
    if (view->name != kTokenizerTensor) continue;
    if (view->dtype != DType::kU8 || view->shape.size() != 1) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: %s %s, expected U8 and one dimension", kTokenizerTensor, dtype_name(view->dtype),
           view->shape_text().c_str());
    }
    auto tokenizer = Tokenizer::from_tokenizer_json({reinterpret_cast<const char*>(view->data), view->size});
    tensors.erase(view);
    return tokenizer;
  }
  return nullptr;
}

bool exists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

std::unique_ptr<const Tokenizer> load_tokenizer(const std::string& folder) {
  const std::string vocab = folder + "/vocab.json", merges = folder + "/merges.txt", json = folder + "/tokenizer.json";
  if (exists(json) && !(exists(vocab) && exists(merges))) return Tokenizer::from_tokenizer_json(text_of({json, false}));
  if (!exists(vocab) && !exists(merges)) return nullptr;
  const FileBytes vocab_file(vocab, false), merges_file(merges, false);
  return Tokenizer::from_vocab_merges(text_of(vocab_file), text_of(merges_file));
}

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

std::unique_ptr<const Model> load_model_file(const void* data, size_t size, const LoadOptions& options,
                                             const Kernels& kernels) {
  Safetensors file = parse_safetensors(data, size);
  const std::string& config = stored_config(file, "model");
  auto tokenizer = take_tokenizer(file.tensors);
  return make_model(config, file.tensors, std::move(tokenizer), options, kernels);
}

std::unique_ptr<const Model> load_model(const std::string& path, const LoadOptions& options, const Kernels& kernels) {
  std::string reading = path;  // for messages
  try {
    if (!is_folder(path)) {
      const FileBytes file(path, options.map_file);
      return load_model_file(file.data(), file.size(), options, kernels);
    }
    reading = path + "/config.json";
    const FileBytes config(reading, false);
    reading = path + "/model.safetensors";
    const FileBytes weights(reading, options.map_file);
    const Safetensors file = parse_safetensors(weights.data(), weights.size());
    reading = path;
    return make_model(text_of(config), file.tensors, load_tokenizer(path), options, kernels);
  } catch (const Error& error) {
    if (error.status() != LFFN_ERROR_BAD_MODEL) throw;
    throw Error(error.status(), reading + ": " + error.what());
  }
}

}  // namespace lffn
