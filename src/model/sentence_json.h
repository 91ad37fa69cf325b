// SPDX-License-Identifier: Apache-2.0
// A sentence encoder's settings as the one text that a single file holds of them.
#pragma once

#include <string>
#include <string_view>

#include "model/sentence_settings.h"

namespace lffn {

// In a single file they are this metadata.
constexpr char kSentenceKey[] = "sentence";

std::string sentence_to_json(const SentenceSettings& settings);
// Throws Error(LFFN_ERROR_BAD_MODEL).
SentenceSettings sentence_from_json(std::string_view json);

}  // namespace lffn
