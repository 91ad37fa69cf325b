// SPDX-License-Identifier: Apache-2.0
// Reads what a sentence encoder's folder says: modules.json and what it names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/folder.h"
#include "format/safetensors.h"
#include "model/config/sentence_settings.h"
#include "runtime/memory.h"

namespace lffn {

struct SentenceFolder {
  SentenceSettings settings;
  std::string transformer;           // where in the folder the encoder itself is; "": in it
  std::optional<std::string> query;  // where the weights of sparse queries are, which do not go through the encoder

  LateWords late_words;              // of a late model, for its tokenizer to find
  std::optional<LogitTokens> logit;  // of a language model that ranks

  // The weights of the dense modules, named as in a single file, and where they lie.
  std::vector<TensorView> tensors;
  std::vector<std::unique_ptr<const Bytes>> files;
  std::vector<Memory> memory;
};

// Without modules.json: the settings of any other encoder. Throws Error(LFFN_ERROR_BAD_MODEL) that names the file, or
// Error(LFFN_ERROR_UNSUPPORTED).
SentenceFolder read_sentence_folder(const Folder& folder);

// A module that modules.json names.
struct SentenceModule {
  std::string type;   // as the file says: "sentence_transformers.models.Pooling"
  std::string name;   // of that what is behind the last dot
  std::string place;  // in the folder, "" for itself
};

// None without modules.json.
std::vector<SentenceModule> list_modules(const Folder& folder);

void read_prompts(const Folder& folder, SentenceSettings& settings);

// Files name places in their own folder only. Throws Error(LFFN_ERROR_BAD_MODEL) for one outside.
void check_place(const std::string& place, const std::string& where);
void read_transformer(const Folder& folder, SentenceSettings& settings);

// Of sparse encoders.
bool is_sparse_folder(const std::vector<SentenceModule>& modules);
SentenceFolder read_sparse_folder(const Folder& folder, const std::vector<SentenceModule>& modules);

// Of late interaction.
bool is_late_folder(const Folder& folder, const std::vector<SentenceModule>& modules);
SentenceFolder read_late_folder(const Folder& folder, const std::vector<SentenceModule>& modules);
// Of BGE-M3: the heads that lie beside the encoder, if there are any.
void read_heads_beside(const Folder& folder, SentenceFolder& to);
// Of rerankers.
bool is_pair_folder(const Folder& folder, const std::vector<SentenceModule>& modules);
SentenceFolder read_pair_folder(const Folder& folder, const std::vector<SentenceModule>& modules);

// Where the encoder and its tokenizer are, whatever the other modules may be.
std::string transformer_place(const Folder& folder);

}  // namespace lffn
