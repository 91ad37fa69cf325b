// SPDX-License-Identifier: Apache-2.0
// What the classes of transformers' tokenizers say where files do not: their special tokens, and what they put around
// texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tokenizer/json_settings.h"

namespace lffn {

enum class Around { kNothing, kBert, kMpnet, kRoberta, kEndOnly };

// The files beside tokenizer.json that a class reads.
enum class VocabularyFiles { kNone, kVocabTxt, kVocabAndMerges, kSentencePiece };

struct TokenizerFamily {
  std::string_view name;
  std::string_view classes[10];  // without "Fast"
  std::string_view types[16];    // "model_type" in config.json
  VocabularyFiles files;
  // In the order of TokenizerDescription::roles; "": none.
  const char* roles[7];
  Around around = Around::kNothing;
  bool mask_strips_left = false;
};

// The family whose defaults hold, and which file says so.
struct FamilyChoice {
  const TokenizerFamily* family = nullptr;  // nullptr: none that is known here
  std::string class_name;                   // as a file names it; "": none does
  const char* where = "";                   // that file
};

// Chooses by the class that tokenizer_config.json names, else by the one that config.json names, else by its model's
// type.
FamilyChoice choose_family(const JsonSettings& tokenizer_config, const std::optional<std::string_view>& config);
// The family of this name, which must exist.
const TokenizerFamily& family_named(std::string_view name);
// Whether the class has no defaults of its own.
bool is_plain_class(std::string_view name);

}  // namespace lffn
