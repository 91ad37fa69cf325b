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
  std::optional<std::string> query;  // where the weights of sparse queries are, if these bypass the encoder

  LateWords late_words;              // of a late model; the tokenizer will tell their ids
  std::optional<LogitTokens> logit;  // of a language model used as a reranker

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
  std::string name;   // the part of it behind the last dot
  std::string place;  // in the folder, "" for itself
};

// None without modules.json.
std::vector<SentenceModule> list_modules(const Folder& folder);

void read_prompts(const Folder& folder, SentenceSettings& settings);

// Files may name places in their own folder only. Throws Error(LFFN_ERROR_BAD_MODEL) for a place outside.
void check_place(const std::string& place, const std::string& where);
void read_transformer(const Folder& folder, SentenceSettings& settings);

// Whether it is a sparse encoder.
bool is_sparse_folder(const std::vector<SentenceModule>& modules);
SentenceFolder read_sparse_folder(const Folder& folder, const std::vector<SentenceModule>& modules);

// Whether it is a model of late interaction.
bool is_late_folder(const Folder& folder, const std::vector<SentenceModule>& modules);
SentenceFolder read_late_folder(const Folder& folder, const std::vector<SentenceModule>& modules);
// Reads the heads that BGE-M3 has in files beside the encoder, if there are any.
void read_heads_beside(const Folder& folder, SentenceFolder& to);
// Whether it is a reranker.
bool is_pair_folder(const Folder& folder, const std::vector<SentenceModule>& modules);
SentenceFolder read_pair_folder(const Folder& folder, const std::vector<SentenceModule>& modules);

// Where the encoder and its tokenizer are, whatever the other modules may be.
std::string transformer_place(const Folder& folder);

}  // namespace lffn
