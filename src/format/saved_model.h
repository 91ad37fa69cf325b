// SPDX-License-Identifier: Apache-2.0
// A file that lffn_model_save wrote, in a folder.
#pragma once

#include "format/folder.h"
#include "format/safetensors.h"

namespace lffn {

// It may lie in a folder under the name that weights have there.
constexpr char kSavedModel[] = "model.safetensors";

inline bool holds_saved_model(const Folder& folder) {
  if (folder.has("config.json") || folder.has("modules.json") || !folder.has(kSavedModel)) return false;
  const auto bytes = folder.open(kSavedModel);
  const Safetensors file = parse_safetensors(*bytes);
  const auto format = file.metadata.find("format");
  return format != file.metadata.end() && format->second == "lookupffn";
}

}  // namespace lffn
