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

// of_tokens: with what late interaction puts before queries and documents.
void read_prompts(const Folder& folder, bool of_tokens, SentenceSettings& settings);

// Files name places in their own folder only. Throws Error(LFFN_ERROR_BAD_MODEL) for one outside.
void check_place(const std::string& place, const std::string& where);
void read_transformer(const Folder& folder, SentenceSettings& settings);

// Of sparse encoders.
bool is_sparse_folder(const std::vector<SentenceModule>& modules);
SentenceFolder read_sparse_folder(const Folder& folder, const std::vector<SentenceModule>& modules);

// Where the encoder and its tokenizer are, whatever the other modules may be.
std::string transformer_place(const Folder& folder);

}  // namespace lffn
