// SPDX-License-Identifier: Apache-2.0
#include "model/sentence_settings.h"

#include <algorithm>

namespace lffn {

bool SentenceSettings::normalises() const {
  return std::any_of(modules.begin(), modules.end(), [](const Module& module) { return module.normalise; });
}

int32_t SentenceSettings::find_prompt(std::string_view name) const {
  for (size_t i = 0; i < prompts.size(); ++i) {
    if (prompts[i].first == name) return static_cast<int32_t>(i);
  }
  return -1;
}

std::string module_prefix(size_t module) { return "sentence." + std::to_string(module) + "."; }

}  // namespace lffn
