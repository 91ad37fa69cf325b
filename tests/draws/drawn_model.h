// SPDX-License-Identifier: Apache-2.0
// Models that are drawn from a seed: a family, sizes that are multiples of nothing, a head, made weights, and the
// folder that Hugging Face's libraries would write of them. Nothing here uses the library.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace draws {

// The same numbers everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  int64_t in(int64_t least, int64_t most);
  double unit();  // from 0, below 1
  bool chance(double share) { return unit() < share; }
  float near(float mean, float deviation);
  template <typename T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<size_t>(in(0, static_cast<int64_t>(list.size()) - 1))];
  }

 private:
  uint64_t state_;
};

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

enum class Norms { kAfter, kBefore, kAround };
enum class NormKind { kLayer, kRms, kRmsPlusOne };
enum class Positions { kNone, kFromZero, kAfterPadding };
enum class Gate { kNone, kFirst, kSecond };
enum class Distances { kNone, kBuckets, kDisentangled };
enum class Widening { kNone, kBeforeNorm, kAfterNorm };
enum class ClassPooling { kFirst, kMean, kLast, kLate };
enum class Act { kGelu, kRelu, kSilu, kGeluTanh, kTanh, kNone };

// What a family's files look like, and how it computes: as its own code has it.
struct Family {
  std::string type, name;                   // "bert", and "Bert" of "BertForMaskedLM"
  std::string prefix;                       // of tensors, where there is a head
  std::map<std::string, std::string> keys;  // of the config, where they are not BERT's
  std::string act_key = "hidden_act", eps_key = "layer_norm_eps", head_size_key = "attention_head_size";
  std::string class_act_key;
  double eps = 1e-12;  // 0: drawn; otherwise what a config cannot say
  Norms norms = Norms::kAfter;
  NormKind norm_kind = NormKind::kLayer;
  bool norm_shift = true, first_attention_norm = true;
  int most_types = 0;
  Positions positions = Positions::kFromZero;
  Distances distances = Distances::kNone;
  Widening widening = Widening::kNone;
  Gate gate = Gate::kNone;
  bool rotates = false, shares_keys = false, norms_heads = false, scales_words = false, may_look_up = false;
  int causal = 0;  // 1: it is; 2: unless the config says otherwise
  bool is_local = false, global_is_first = false;
  std::string window_key, every_key, theta_key = "rope_theta", local_theta_key;
  // Biases: "yes", "no", or the key that says so.
  std::string query_bias = "yes", out_bias = "yes", up_bias = "yes", down_bias = "yes";

  std::string words = "embeddings.word_embeddings", places = "embeddings.position_embeddings";
  std::string types = "embeddings.token_type_embeddings", embedding_norm = "embeddings.LayerNorm";
  std::string widener, layer = "encoder.layer.";
  std::string query = "attention.self.query", key = "attention.self.key", value = "attention.self.value", fused;
  std::string out = "attention.output.dense", attention_norm = "attention.output.LayerNorm", attention_result_norm;
  std::string up = "intermediate.dense", up_second, down = "output.dense", ffn_norm = "output.LayerNorm";
  std::string ffn_result_norm, final_norm;

  std::string lm_dense, lm_norm, lm_bias, lm_dense_bias = "yes";  // no dense layer and no bias: words alone
  bool has_lm = true, lm_acts_as_layers = false;
  std::string class_dense, class_out, class_norm, class_dense_bias = "yes", class_out_bias = "yes";
  Act class_act = Act::kTanh;
  std::vector<ClassPooling> class_poolings = {ClassPooling::kFirst};
  std::string token_out = "classifier", token_bias = "yes", architecture_causal;
  bool tokens_through_dense = false;
};

enum class Head { kEmbeddings, kLanguage, kClasses, kTokens, kAnswers, kSparse, kVectors, kStatic };
enum class Pool { kFirst, kMean, kMax, kMeanSqrt, kWeighted, kLast };

struct Layer {
  bool local = false, looks_up = false;
  int64_t neurons = 0, tables = 0, table_size = 0, chain_factors = 0, block = 0;  // factors 0: a dense projection
};
struct Dense {
  int64_t inputs, outputs;
  Act act;
  bool bias;
};

struct DrawnModel {
  uint64_t seed = 0;
  Family family;
  Head head = Head::kEmbeddings;
  int64_t d = 0, e = 0, heads = 0, key_heads = 0, head_size = 0, vocab = 0, max_positions = 0, types = 0, classes = 0;
  int64_t window = 0, every = 1, buckets = 0, most_distance = 0;
  int32_t pad = 1;
  bool to_places = false, of_places = false, shares_place_keys = false, norms_places = false, adds_positions = true;
  bool is_causal = false, query_bias = true, out_bias = true, up_bias = true, down_bias = true, class_dense_bias = true;
  double eps = 1e-12, theta = 10000, local_theta = 10000, score_divisor = 1;
  Act act = Act::kGelu, class_act = Act::kTanh;
  ClassPooling class_pooling = ClassPooling::kFirst;
  std::vector<Layer> layers;
  std::vector<Pool> poolings;  // of a sentence encoder
  std::vector<Dense> modules;
  bool normalises = true, sums = false, twice = false, has_weights = false, has_mapping = false;
  std::vector<std::string> labels;

  std::map<std::string, Tensor> tensors;  // without the family's prefix
  std::map<std::string, Tensor> module_tensors[2];
  std::vector<int32_t> mapping;
  std::map<std::string, std::string> files;

  const Tensor& tensor(const std::string& name) const { return tensors.at(name); }
  bool has(const std::string& name) const { return tensors.count(name) > 0; }
  int64_t longest() const { return 300; }
  std::string summary() const;
};

// Ids of the tokens that all vocabularies begin with, as `word` has them.
constexpr int32_t kCls = 0, kPad = 1, kSep = 2, kUnknown = 3, kMask = 4, kFirstWord = 57;
std::string word(int32_t id);

DrawnModel draw_model(uint64_t seed);

// In families.cc.
const std::vector<Family>& families();
// In drawn_files.cc: what makes the folder of what was drawn.
void write_files(DrawnModel& model);

}  // namespace draws
