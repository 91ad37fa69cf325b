// SPDX-License-Identifier: Apache-2.0
// A whole model, ready to run: an encoder with lookup or dense FFNs, its heads and its tokenizer. It never changes once
// it is made.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "format/digest.h"
#include "format/folder.h"
#include "lookupffn/model.h"
#include "model/encoder/model_core.h"
#include "model/statics/query_weights.h"
#include "model/statics/static_vectors.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

// All that the public structs tell of a model.
struct ModelInfo : lffn_model_shape, lffn_model_heads, lffn_model_costs {};

class Model : public ModelCore {
 public:
  // Copies what it needs of the tensors. The tokenizer may be nullptr. Throws Error.
  Model(ModelConfig config, SentenceSettings sentence, const ModelTensors& tensors,
        std::shared_ptr<const Tokenizer> tokenizer, const ModelLoadOptions& options, const Kernels& kernels,
        QueryWeights query_weights = {});

  // The same for a model of static vectors, which has no layers.
  Model(ModelConfig config, SentenceSettings sentence, StaticVectors statics,
        std::shared_ptr<const Tokenizer> tokenizer, const ModelLoadOptions& options, const Kernels& kernels);

  // The call must be valid: ids in the vocabulary, types below num_types(), offsets in order, sequences not too long,
  // and only outputs that the model has heads for.
  void run(const ModelCall& call) const;
  void save(const std::string& path, LoadProgress* progress = nullptr) const;
  // A digest of all that results depend on: what save() writes, and how the numbers are computed. Reads all weights
  // once.
  std::array<uint8_t, Digest::kBytes> fingerprint() const;
  ModelInfo info() const;
  lffn_model_layer_info layer_info(size_t layer) const;
  const std::shared_ptr<const Tokenizer>& tokenizer() const { return tokenizer_; }  // nullptr: none
  const std::vector<std::string>& labels() const { return labels_; }  // of the classes, of texts or of tokens
  // Makes one text of a query and a document. Empty: the tokenizer takes both.
  const ChatTemplate& chat_template() const { return chat_template_; }
  // How many tokens the model's files let a text have, special ones counted; longer texts are cut.
  int64_t own_max_tokens() const;
  // The same for the queries and the documents of a late model.
  int64_t late_tokens(LateRole role) const;

  const StaticVectors* statics() const { return statics_ ? &*statics_ : nullptr; }  // nullptr: an encoder
  // nullptr: sparse queries go through the encoder, if there are any.
  const QueryWeights* query_weights() const { return query_weights_.empty() ? nullptr : &query_weights_; }

 private:
  struct Stored;
  void store(Stored& stored) const;
  std::array<uint8_t, Digest::kBytes> read_fingerprint() const;

  ChatTemplate chat_template_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::optional<StaticVectors> statics_;
  QueryWeights query_weights_;
  std::vector<std::string> labels_;
  mutable std::once_flag fingerprint_once_;
  mutable std::array<uint8_t, Digest::kBytes> fingerprint_ = {};
};

// Reads a model's single file. Throws Error(LFFN_ERROR_BAD_MODEL).
std::unique_ptr<const Model> load_model_file(const Bytes& file, const ModelLoadOptions& options,
                                             const Kernels& kernels);

// Reads the files of a folder. Throws Error.
std::unique_ptr<const Model> load_model_folder(const Folder& folder, const ModelLoadOptions& options,
                                               const Kernels& kernels);

// Reads a folder or a single file. Throws Error.
std::unique_ptr<const Model> load_model(const std::string& path, const ModelLoadOptions& options,
                                        const Kernels& kernels);

}  // namespace lffn
