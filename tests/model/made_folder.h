// SPDX-License-Identifier: Apache-2.0
// A model's folder in memory, made from one of the small ones beside the tests, to be changed at will.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "format/file.h"
#include "format/json.h"
#include "hf_folder.h"
#include "model/model.h"
#include "tests/format/helpers.h"

namespace lffn {

struct MadeTensor {
  std::string name;
  std::string dtype = "F32";
  std::vector<int64_t> shape;
  std::string data;
};

inline std::string safetensors_of(const std::vector<MadeTensor>& tensors) {
  std::string header = "{", data;
  for (const MadeTensor& tensor : tensors) {
    TensorView view;
    view.shape = tensor.shape;
    if (header.size() > 1) header += ',';
    append_json_string(header, tensor.name);
    header += ":{\"dtype\":\"" + tensor.dtype + "\",\"shape\":" + view.shape_text() + ",\"data_offsets\":[" +
              std::to_string(data.size()) + ',' + std::to_string(data.size() + tensor.data.size()) + "]}";
    data += tensor.data;
  }
  return file_of(header + "}", data);
}

// Numbers that are the same everywhere: a few hundredths around `mean`.
inline MadeTensor made_tensor(const std::string& name, std::vector<int64_t> shape, float mean = 0) {
  MadeTensor tensor;
  tensor.name = name;
  size_t count = 1;
  for (const int64_t n : shape) count *= static_cast<size_t>(n);
  tensor.shape = std::move(shape);
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = mean + (static_cast<float>((i * 7919 + name.size() * 31) % 1009) / 1009.0f - 0.5f) * 0.3f;
  }
  tensor.data.assign(reinterpret_cast<const char*>(values.data()), count * sizeof(float));
  return tensor;
}

class MadeFolder {
 public:
  std::map<std::string, std::string> files;
  std::vector<MadeTensor> tensors;  // of model.safetensors, unless that is a file already

  MadeFolder() = default;

  // Of tests/model/data-hf or of the small folders, without its tokenizer.
  explicit MadeFolder(const std::string& name, const std::string& place = LFFN_HF_DATA) {
    const std::string path = place + "/" + name;
    files["config.json"] = file_text(path, "config.json");
    const FileBytes file(path + "/model.safetensors");
    for (const TensorView& view : parse_safetensors(file).tensors) {
      MadeTensor tensor;
      tensor.name = view.name;
      tensor.shape = view.shape;
      tensor.data.resize(view.size);
      view.read(0, view.size, tensor.data.data());
      tensors.push_back(std::move(tensor));
    }
  }

  MadeTensor& tensor(const std::string& name) {
    for (MadeTensor& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    throw std::runtime_error("the test names a tensor that is not there: " + name);
  }

  void rename(const std::string& from, const std::string& to) {  // the beginning of all names that have it
    for (MadeTensor& tensor : tensors) {
      if (tensor.name.compare(0, from.size(), from) == 0) tensor.name = to + tensor.name.substr(from.size());
    }
  }

  void remove(const std::string& beginning) {
    std::vector<MadeTensor> kept;
    for (MadeTensor& tensor : tensors) {
      if (tensor.name.compare(0, beginning.size(), beginning) != 0) kept.push_back(std::move(tensor));
    }
    tensors = std::move(kept);
  }

  // Replaces a part of config.json, which must have it once.
  void configure(const std::string& from, const std::string& to) {
    std::string& text = files["config.json"];
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    ASSERT_EQ(text.find(from, at + 1), std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  void add_config(const std::string& members) { files["config.json"].replace(0, 1, "{" + members + ","); }

  std::unique_ptr<const Model> load(const ModelLoadOptions& options = ModelLoadOptions()) const {
    std::map<std::string, std::string> all = files;
    if (!tensors.empty() && all.count("model.safetensors") == 0) all["model.safetensors"] = safetensors_of(tensors);
    std::vector<FolderInMemory::File> list;
    for (const auto& [name, content] : all) list.push_back({name, content.data(), content.size()});
    return load_model_folder(FolderInMemory(std::move(list)), options, usable_kernels());
  }

  void refused(lffn_status status, const std::string& part) const {
    expect_error(status, part, [&] { load(); });
  }
};

// Two sequences of a vocabulary of at least 1000 tokens, without padding.
struct SomeIds {
  std::vector<int32_t> ids = {0, 17, 940, 333, 2, 0, 5, 6, 77, 512, 801, 64, 2};
  std::vector<int64_t> offsets = {0, 5, 13};
  ModelCall call() const {
    ModelCall call;
    call.ids = ids.data();
    call.offsets = offsets.data();
    call.num_sequences = 2;
    return call;
  }
};

inline std::vector<float> hidden_of(const Model& model, const SomeIds& input = {}) {
  std::vector<float> hidden(input.ids.size() * static_cast<size_t>(model.config().hidden_size));
  ModelCall call = input.call();
  call.hidden = hidden.data();
  model.run(call);
  return hidden;
}

inline std::vector<float> scores_of(const Model& model, const SomeIds& input = {}) {
  std::vector<float> scores(2 * static_cast<size_t>(model.num_classes()));
  ModelCall call = input.call();
  call.class_scores = scores.data();
  model.run(call);
  return scores;
}

inline std::vector<float> logits_of(const Model& model, const SomeIds& input = {}) {
  const std::vector<int64_t> positions = {12, 0, 5};
  std::vector<float> logits(positions.size() * static_cast<size_t>(model.config().vocab_size));
  ModelCall call = input.call();
  call.positions = positions.data();
  call.num_positions = 3;
  call.logits = logits.data();
  model.run(call);
  return logits;
}

inline std::vector<float> embeddings_of(const Model& model, const std::function<void(ModelCall&)>& change = {},
                                        const SomeIds& input = {}) {
  ModelCall call = input.call();
  if (change) change(call);
  std::vector<float> embeddings(2 * static_cast<size_t>(model.embedding_size(call.pooling)));
  call.embeddings = embeddings.data();
  model.run(call);
  return embeddings;
}

}  // namespace lffn
