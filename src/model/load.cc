// Reads a model from a folder or from one file.
#include <sys/stat.h>

#include "model/model.h"
#include "runtime/error.h"

namespace lffn {
namespace {

std::unique_ptr<const Model> make_model(std::string_view config_text, const Safetensors& file,
                                        const LoadOptions& options, const Kernels& kernels) {
  ModelConfig config = parse_model_config(config_text);
  const ModelTensors tensors = check_model_tensors(config, file.tensors);
  return std::make_unique<const Model>(std::move(config), tensors, options, kernels);
}

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

std::unique_ptr<const Model> load_model_file(const void* data, size_t size, const LoadOptions& options,
                                             const Kernels& kernels) {
  const Safetensors file = parse_safetensors(data, size);
  return make_model(stored_config(file, "model"), file, options, kernels);
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
    return make_model({static_cast<const char*>(config.data()), config.size()}, file, options, kernels);
  } catch (const Error& error) {
    if (error.status() != LFFN_ERROR_BAD_MODEL) throw;
    throw Error(error.status(), reading + ": " + error.what());
  }
}

}  // namespace lffn
