// SPDX-License-Identifier: Apache-2.0
// What loading a model and loading a tokenizer do with a path.
#pragma once

#include <string>

#include "format/folder.h"
#include "format/safetensors.h"
#include "format/system_file.h"
#include "runtime/error.h"

namespace lffn {

// What lffn_model_save wrote may lie in a folder, under the name that weights have there.
constexpr char kSavedModel[] = "model.safetensors";

inline bool holds_saved_model(const Folder& folder) {
  if (folder.has("config.json") || folder.has("modules.json") || !folder.has(kSavedModel)) return false;
  const auto bytes = folder.open(kSavedModel);
  const Safetensors file = parse_safetensors(*bytes);
  const auto format = file.metadata.find("format");
  return format != file.metadata.end() && format->second == "lookupffn";
}

// Runs `action` so that what it says of the content begins with the path, if there is one.
template <typename Action>
auto naming(const std::string& path, Action&& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.status() != LFFN_ERROR_BAD_MODEL && error.status() != LFFN_ERROR_UNSUPPORTED) throw;
    throw Error(error.status(), path.empty() ? error.what() : path + ": " + error.what());
  }
}

}  // namespace lffn
