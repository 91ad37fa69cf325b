// SPDX-License-Identifier: Apache-2.0
#include "model/weight_files.h"

#include <set>
#include <utility>

#include "format/file.h"
#include "format/json_object.h"
#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr char kSingle[] = "model.safetensors";
constexpr char kIndex[] = "model.safetensors.index.json";
constexpr size_t kMaxIndexBytes = size_t{1} << 20;

void add_file(const Folder& folder, const std::string& name, WeightFiles& to) {
  to.files.push_back(folder.open(name));
  Safetensors content = naming(folder.path(name), [&] { return parse_safetensors(*to.files.back()); });
  for (TensorView& view : content.tensors) to.tensors.push_back(std::move(view));
}

// The files that the index names, each once.
std::set<std::string> read_index(const Folder& folder) {
  const JsonObject index(folder.read_text(kIndex, kMaxIndexBytes), folder.path(kIndex));
  constexpr char kWanted[] = "an object with the name of a file for each tensor";
  const JsonValue* map = index.value("weight_map");
  if (map == nullptr || map->shape != JsonValue::Shape::kObject) index.refuse("weight_map", kWanted);
  std::set<std::string> names;
  for (const JsonValue& value : map->items) {
    if (!value.is_text()) index.refuse("weight_map", kWanted);
    const std::string& name = value.scalar.text;
    if (name.empty() || name == ".." || name.find_first_of("/\\") != std::string::npos) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: %s is not the name of a file in this folder", folder.path(kIndex).c_str(),
           in_quotes(name).c_str());
    }
    names.insert(name);
  }
  return names;
}

}  // namespace

WeightFiles open_weight_files(const Folder& folder) {
  WeightFiles result;
  if (folder.has(kSingle)) {
    add_file(folder, kSingle, result);
  } else if (folder.has(kIndex)) {
    for (const std::string& name : read_index(folder)) add_file(folder, name, result);
  } else {
    for (const char* other :
         {"pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack"}) {
      if (!folder.has(other)) continue;
      fail(LFFN_ERROR_UNSUPPORTED,
           "%s is not read; load the model with transformers and call save_pretrained, which writes model.safetensors",
           in_quotes(folder.path(other)).c_str());
    }
    add_file(folder, kSingle, result);  // says that it is missing
  }
  return result;
}

}  // namespace lffn
