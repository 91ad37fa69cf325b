// SPDX-License-Identifier: Apache-2.0
// Finds a tokenizer's files in a folder, or its text in a model's single file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/folder.h"
#include "format/safetensors.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

// In a single file the tokenizer is a tensor of bytes, the text of a tokenizer.json.
constexpr char kTokenizerTensor[] = "tokenizer.json";

// Takes it out of the tensors; nullptr: there is none. All throw Error. `cancel` is looked at while a text is read.
std::shared_ptr<const Tokenizer> take_tokenizer(std::vector<TensorView>& tensors, const int32_t* cancel = nullptr,
                                                const char* name = kTokenizerTensor);
// nullptr: the folder has none.
std::shared_ptr<const Tokenizer> read_tokenizer(const Folder& folder, const int32_t* cancel = nullptr);

// The same for a model's folder or file, or a tokenizer.json; here a missing tokenizer is an error.
std::shared_ptr<const Tokenizer> load_tokenizer(const Folder& folder, const int32_t* cancel = nullptr);
std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& path, const int32_t* cancel = nullptr);

// A file that lffn_model_save wrote may lie in a folder under the name that weights have there.
constexpr char kSavedModel[] = "model.safetensors";

inline bool holds_saved_model(const Folder& folder) {
  if (folder.has("config.json") || folder.has("modules.json") || !folder.has(kSavedModel)) return false;
  const auto bytes = folder.open(kSavedModel);
  const Safetensors file = parse_safetensors(*bytes);
  const auto format = file.metadata.find("format");
  return format != file.metadata.end() && format->second == "lookupffn";
}

}  // namespace lffn
