// SPDX-License-Identifier: Apache-2.0
// What families of encoders differ in: the names of config keys and tensors, and a few ways of computing. Everything
// else is the same code for all of them; each family is one table in families/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/kernels.h"

namespace lffn {

enum class PositionRule {
  kFromZero,        // 0, 1, 2, ...
  kAfterPadding,    // pad + 1, pad + 2, ...; padding tokens inside a text have pad and are not counted
  kPlainlyAfterPad  // pad + 1, pad + 2, ... whatever the tokens
};

// Whose layer norm comes before a lookup FFN's hash.
enum class LookupNorm {
  kItsOwn,   // a part of the layer, unless its config says that it has none
  kNone,     // post-norm models normalise before
  kOfLayer,  // the encoder layer's, which dense FFNs have too
};

// Where words' vectors of another width ("embedding_size") become as wide as the model.
enum class Widening { kNone, kBeforeNorm, kAfterNorm };

// What attention itself knows of how far apart two tokens are.
enum class Distances {
  kNone,         // nothing: positions are added to the words
  kBuckets,      // a number for each head and bucket of distances, the same in all layers
  kDisentangled  // a vector for each bucket, which queries and keys are multiplied with
};

struct Family {
  const char* name = nullptr;  // "model_type" in config.json
  // How "architectures" may begin in a config without "model_type", as very old ones are.
  const char* architectures[2] = {};
  const char* prefix = nullptr;  // of tensor names, which may also be without it

  // Keys of config.json.
  const char* hidden_size = "hidden_size";
  const char* num_layers = "num_hidden_layers";
  const char* num_heads = "num_attention_heads";
  const char* intermediate_size = "intermediate_size";
  const char* activation = "hidden_act";              // of dense FFNs
  const char* lookup_activation = "activation";       // where ffn_activation is not given; nullptr: gelu then
  const char* layer_norm_eps_key = "layer_norm_eps";  // nullptr: always the default
  const char* pad_token_key = "pad_token_id";         // likewise
  const char* adds_positions = nullptr;               // whether positions are added to words; nullptr: they are
  const char* class_activation_key = nullptr;         // nullptr: always class_activation

  // What a config means by leaving a key out.
  int32_t type_vocab_size = 1;
  int32_t pad_token_id = 1;
  float layer_norm_eps = 1e-5f;
  bool ties_decoder = true;      // unless tie_word_embeddings says otherwise, a decoder in the file counts for nothing
  bool extra_positions = false;  // two rows of position embeddings more than max_position_embeddings

  // How a layer computes.
  bool pre_norm = false;
  Distances distances = Distances::kNone;
  Widening widening = Widening::kNone;
  bool texts_have_types = false;  // what its tokenizer calls a token's type goes to the model
  PositionRule positions = PositionRule::kFromZero;
  LookupNorm lookup_norm = LookupNorm::kNone;

  // Tensors, without ".weight" and ".bias".
  const char* words = "embeddings.word_embeddings";
  const char* position_embeddings = "embeddings.position_embeddings";
  const char* types = "embeddings.token_type_embeddings";  // nullptr: the family has no token types
  const char* embedding_norm = "embeddings.LayerNorm";     // nullptr: none
  const char* widener = nullptr;                           // the linear layer that widens words
  bool widener_has_bias = true;
  const char* distance_table = nullptr;
  const char* distance_norm = nullptr;
  const char* layer = "encoder.layer.";  // then its number and a dot, before all of these:
  const char* query = "attention.self.query";
  const char* key = "attention.self.key";
  const char* value = "attention.self.value";
  const char* distance_key = nullptr;    // the linear layers of vectors of distances, where queries' and keys' own do
  const char* distance_query = nullptr;  // not serve
  const char* attention_out = "attention.output.dense";
  const char* attention_norm = "attention.output.LayerNorm";
  const char* lookup = "FFN.";
  const char* up = "intermediate.dense";
  const char* down = "output.dense";
  const char* ffn_norm = "output.LayerNorm";
  const char* final_norm = nullptr;  // nullptr: none

  // The head of a masked language model.
  const char* lm_dense = nullptr;
  const char* lm_norm = nullptr;
  const char* decoder = nullptr;
  const char* decoder_biases[2] = {nullptr, nullptr};  // two names of one vector
  bool lm_activation_is_gelu = true;                   // otherwise the dense FFNs'

  // The classifier: a dense layer on the first token's vector, then one with an output for each class.
  const char* class_dense = nullptr;
  const char* class_out = nullptr;
  Activation class_activation = Activation::kTanh;

  // What a token's vector becomes: a score for each class, or how likely an answer begins and ends there.
  const char* token_classes = "classifier";
  const char* answers = "qa_outputs";

  // Names that begin so in some files, and how they begin here.
  const char* renamed[2][2] = {};
  // Tensors that files hold though nothing here reads them: names, or all that begin with one that ends with a dot.
  const char* ignored[6] = {};
};

extern const Family kBert, kRoberta, kXlmRoberta, kCamembert, kXlmRobertaXl, kDistilBert, kRobertaPreLayerNorm, kMpnet,
    kElectra, kDebertaV2;
extern const Family kAuthors;  // the pre-norm RoBERTa of LookupFFN's authors, whose configs have no model_type

// nullptr: none of that name.
const Family* find_family(std::string_view name);
// nullptr: none whose architectures begin so.
const Family* find_architecture(std::string_view name);
// All names that a config may have to say, for messages.
std::string family_names();

}  // namespace lffn
