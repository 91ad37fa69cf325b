// SPDX-License-Identifier: Apache-2.0
// What families of encoders differ in: the names of config keys and tensors, and a few ways of computing. Everything
// else is the same code for all of them; each family is one table beside this file.
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

// Which layer norm comes before a lookup FFN's hash.
enum class LookupNorm {
  kItsOwn,   // the lookup layer's own, unless the config says that it has none
  kNone,     // post-norm models normalise before
  kOfLayer,  // the encoder layer's, which dense FFNs have too
};

// Where word vectors of another width ("embedding_size") become as wide as the model.
enum class Widening { kNone, kBeforeNorm, kAfterNorm };

// Where a layer's norms stand.
enum class NormPlace {
  kAfter,   // after the sum of a part's input and its result
  kBefore,  // before each part; the model has a norm of its own after the last layer
  kAround   // the same, and after each part's result, before it is added
};
enum class NormKind { kLayer, kRms, kRmsPlusOne };  // the last: RMS times 1 + weight

// The neurons of a gated feed-forward block come in two halves: which half the activation applies to.
enum class Gate { kNone, kFirst, kSecond };

// Which keys a query of a local layer sees, if the window is w.
enum class WindowRule {
  kHalf,          // at most w / 2 tokens away
  kHalfOrBefore,  // the same; if attention is causal, the last w, itself included
};

// Whether a linear layer has a bias: what a key of the config says, or else this.
struct BiasRule {
  const char* key = nullptr;
  bool otherwise = true;
};

// Which tokens give a text's class scores; kLate: each token is scored, then the mean is taken.
enum class ClassPooling { kFirst, kMean, kLast, kLate };

// How attention itself takes the distance of two tokens into account, apart from rotary positions.
enum class Distances {
  kNone,         // nothing: positions are added to the words
  kBuckets,      // a number for each head and bucket of distances, the same in all layers
  kDisentangled  // a vector for each bucket, which queries and keys are multiplied with
};

struct Family {
  const char* name = nullptr;  // "model_type" in config.json
  // How "architectures" may begin in a config without "model_type"; very old configs have none.
  const char* architectures[2] = {};
  const char* prefix = nullptr;   // of tensor names; files may leave it out
  const char* other_prefix = "";  // likewise

  // Keys of config.json.
  const char* hidden_size = "hidden_size";
  const char* num_layers = "num_hidden_layers";
  const char* num_heads = "num_attention_heads";
  const char* num_key_heads = nullptr;  // of keys and values; several query heads may share one; nullptr: none do
  const char* head_size = "attention_head_size";
  int32_t usual_head_size = 0;  // 0: hidden_size / num_heads
  const char* intermediate_size = "intermediate_size";
  const char* activation = "hidden_act";              // of dense FFNs
  const char* lookup_activation = "activation";       // read if ffn_activation is not given; nullptr: gelu then
  const char* layer_norm_eps_key = "layer_norm_eps";  // nullptr: always the default
  const char* pad_token_key = "pad_token_id";         // likewise
  const char* adds_positions = nullptr;               // whether positions are added to words; nullptr: they are
  const char* class_activation_key = nullptr;         // nullptr: always class_activation
  const char* norm_bias_key = nullptr;                // whether norms have a shift; nullptr: as has_norm_shift says
  // Older names of keys, and the names here.
  const char* renamed_keys[8][2] = {};

  // What a config means by leaving a key out.
  int32_t type_vocab_size = 1;
  int32_t pad_token_id = 1;
  float layer_norm_eps = 1e-5f;
  bool ties_decoder = true;      // unless tie_word_embeddings says otherwise, a decoder in the file is ignored
  bool extra_positions = false;  // two rows of position embeddings more than max_position_embeddings

  // How a layer computes.
  NormPlace norms = NormPlace::kAfter;
  NormKind norm_kind = NormKind::kLayer;
  bool has_norm_shift = true;
  bool norms_first_attention = true;  // false: the first layer's attention reads what the embeddings' norm gives
  Distances distances = Distances::kNone;
  Widening widening = Widening::kNone;
  bool texts_have_types = false;  // the token types that the tokenizer gives go to the model
  PositionRule positions = PositionRule::kFromZero;
  LookupNorm lookup_norm = LookupNorm::kNone;
  Gate gate = Gate::kNone;
  Activation usual_activation = Activation::kGelu;  // where the key is left out
  BiasRule attention_bias, attention_out_bias, up_bias, down_bias;
  bool is_causal = false;               // a query sees itself and keys before
  const char* bidirectional = nullptr;  // the key that says the opposite
  const char* score_scale = nullptr;  // the key of a number; scores are divided by its square root; nullptr: head size
  bool scales_words = false;          // by the square root of hidden_size

  // Rotary positions, and layers that see only what is near.
  bool rotates = false;
  float theta = 10000, local_theta = 0;  // what a config means by leaving them out; local 0: theta
  bool scales_local = true;              // the config's scaling applies to local layers, too
  const char* window = nullptr;          // the key of how far local layers see; nullptr: there are none
  int32_t usual_window = 0;
  WindowRule window_rule = WindowRule::kHalf;
  const char* global_every = nullptr;  // the key of n: every n-th layer is global, unless the config lists them
  int32_t usual_global_every = 1;
  bool global_is_first = false;  // the first of each n layers is global; otherwise the last

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
  const char* query_key_value = nullptr;      // all three in one tensor; nullptr: each has its own
  const char* unpacked_when_false = nullptr;  // the key that tells, if the family has both ways
  const char* query_norm = nullptr;           // of each head, before it is rotated; nullptr: none
  const char* key_norm = nullptr;
  const char* distance_key = nullptr;    // the linear layers of vectors of distances, where queries' and keys' own do
  const char* distance_query = nullptr;  // not serve
  const char* attention_out = "attention.output.dense";
  const char* attention_norm = "attention.output.LayerNorm";
  const char* attention_result_norm = nullptr;  // NormPlace::kAround
  const char* lookup = "FFN.";
  const char* up = "intermediate.dense";
  const char* up_second = nullptr;  // the second half of gated neurons; nullptr: `up` has both
  const char* down = "output.dense";
  const char* ffn_norm = "output.LayerNorm";
  const char* ffn_result_norm = nullptr;
  const char* final_norm = nullptr;  // nullptr: none

  // The head of a masked language model.
  const char* lm_dense = nullptr;
  const char* lm_norm = nullptr;
  BiasRule lm_dense_bias;
  const char* lm_activation_key = nullptr;  // nullptr: as lm_activation_is_gelu says
  const char* decoder = nullptr;            // without lm_dense it is the whole head, which only "architectures" tells
  BiasRule decoder_bias;
  const char* decoder_biases[2] = {nullptr, nullptr};  // two names of one vector
  bool lm_activation_is_gelu = true;                   // otherwise the dense FFNs'

  // The classifier: a dense layer on the first token's vector, then one with an output for each class.
  const char* class_dense = nullptr;
  const char* class_out = nullptr;
  BiasRule class_dense_bias, class_out_bias;
  Activation class_activation = Activation::kTanh;
  const char* class_norm = nullptr;  // after the activation
  ClassPooling class_pooling = ClassPooling::kFirst;
  const char* class_pooling_key = nullptr;
  bool classes_by_architecture = false;   // there is a classifier only if "architectures" names one of texts
  bool token_heads_read_classes = false;  // token heads read what class_dense and class_norm give, not hidden states

  // What a token's vector becomes: a score for each class, or how likely an answer begins and ends there.
  const char* token_classes = "classifier";
  const char* answers = "qa_outputs";

  // How names begin in some files, and how they begin here.
  const char* renamed[2][2] = {};
  // Tensors that files may hold although nothing reads them: whole names, or beginnings, which end with a dot.
  const char* ignored[6] = {};
};

extern const Family kBert, kRoberta, kXlmRoberta, kCamembert, kXlmRobertaXl, kDistilBert, kRobertaPreLayerNorm, kMpnet,
    kElectra, kDebertaV2, kModernBert, kNomicBert, kGte, kNew, kJinaV3, kXlmRobertaRotary, kEuroBert, kQwen3, kGemma3;
extern const Family kAuthors;  // the pre-norm RoBERTa of LookupFFN's authors, whose configs have no model_type

// nullptr: none of that name. rotates: the config says that positions are rotary; this tells two families of the same
// name apart.
const Family* find_family(std::string_view name, bool rotates = false);
// nullptr: no family's architectures begin so.
const Family* find_architecture(std::string_view name);
// All names that "model_type" may have, for messages.
std::string family_names();

}  // namespace lffn
