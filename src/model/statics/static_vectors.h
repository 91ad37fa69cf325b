// SPDX-License-Identifier: Apache-2.0
// A model without layers: each token has a vector, and a text's vector is their mean. Folders of Model2Vec and of
// sentence-transformers' StaticEmbedding hold such models.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/folder.h"
#include "model/config/load_options.h"
#include "model/config/sentence_settings.h"
#include "model/families/family.h"
#include "model/tensors/words.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

// The family of all of them, which no config.json names.
extern const Family kStaticFamily;

struct StaticSettings {
  // Texts are read as Model2Vec reads them: cut to a number of characters before they are tokenized, and unknown tokens
  // do not count. Otherwise as StaticEmbedding reads them.
  bool is_model2vec = false;
  int64_t max_tokens = 0;  // 0: as the tokenizer's files say
};

// A single file keeps the settings as one text, in its metadata under this key.
constexpr char kStaticKey[] = "static";
std::string static_to_json(const StaticSettings& settings);
StaticSettings static_from_json(std::string_view json);

// What a folder of static vectors says.
struct StaticFolder {
  SentenceSettings sentence;
  StaticSettings settings;
  std::string place;   // where in the folder its vectors and its tokenizer are
  std::string config;  // the text of config.json, "{}" where there is none
};

// nullopt: the folder holds another kind of model. Throws Error.
std::optional<StaticFolder> read_static_folder(const Folder& folder);
// Reads its tokenizer.json alone, or if there is none, the other files of a tokenizer.
std::shared_ptr<const Tokenizer> read_static_tokenizer(const Folder& folder, const int32_t* cancel);

struct StaticTensors {
  int32_t num_tokens = 0;
  const TensorView* rows = nullptr;     // [rows][size]
  const TensorView* scales = nullptr;   // of I8 rows in a single file; I8 rows in folders have none
  const TensorView* weights = nullptr;  // [tokens]; nullptr: all 1
  const TensorView* mapping = nullptr;  // [tokens] which row each has; nullptr: that of its id
  bool empty() const { return rows == nullptr; }
  int64_t size() const { return rows->shape[1]; }
};

// Finds and checks them; `tensors` must outlive the result. Throws Error(LFFN_ERROR_BAD_MODEL).
StaticTensors check_static_tensors(const std::vector<TensorView>& tensors);

class StaticVectors {
 public:
  StaticVectors(const StaticSettings& settings, const StaticTensors& tensors, const ModelLoadOptions& options,
                const Tokenizer* tokenizer);
  static size_t bytes_for(const StaticTensors& tensors, const ModelLoadOptions& options);

  const StaticSettings& settings() const { return settings_; }
  int64_t size() const { return size_; }
  // The vector of a token, times its weight.
  void read(int32_t id, float* out) const;
  // The mean of the vectors of so many tokens; zeros for none. `row` has room for a vector.
  void embed(const Kernels& kernels, const int32_t* ids, int64_t count, float* row, float* out) const;

  // For Model2Vec's texts: the token that does not count, -1 for none, and how many characters of a text are read for
  // each token that is wanted.
  int32_t unknown() const { return unknown_; }
  int64_t characters_per_token() const { return characters_per_token_; }

  int32_t dtype() const { return rows_.dtype(); }
  int64_t num_parameters() const;
  int64_t stored_bytes() const;
  size_t bytes() const { return rows_.bytes() + weights_.size() * sizeof(float) + mapping_.size() * sizeof(int32_t); }
  void add_stored(std::vector<TensorView>& tensors, std::vector<Memory>& memory) const;

 private:
  StaticSettings settings_;
  int64_t size_ = 0;
  WordMatrix rows_;
  std::vector<float> weights_;    // of each token; empty: all 1
  std::vector<int32_t> mapping_;  // the row of each token; empty: that of its id
  int32_t unknown_ = -1;
  int64_t characters_per_token_ = 0;
};

}  // namespace lffn
