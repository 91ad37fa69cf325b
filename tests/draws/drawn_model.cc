// SPDX-License-Identifier: Apache-2.0
#include "drawn_model.h"

#include <algorithm>
#include <cmath>

namespace draws {

uint64_t Random::next() {  // splitmix64
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
int64_t Random::in(int64_t least, int64_t most) {
  return least + static_cast<int64_t>(next() % static_cast<uint64_t>(most - least + 1));
}
double Random::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
float Random::near(float mean, float deviation) {
  return mean + deviation * static_cast<float>(2 * (unit() + unit() + unit()) - 3);
}

std::string word(int32_t id) {
  constexpr const char* kSpecial[] = {"[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"};
  if (id < 5) return kSpecial[id];
  const auto letter = [](int32_t n) { return std::string(1, static_cast<char>('a' + n % 26)); };
  if (id < 31) return letter(id - 5);
  if (id < kFirstWord) return "##" + letter(id - 31);
  std::string text = "q";
  for (int32_t rest = id; rest > 0; rest /= 26) text += letter(rest);
  return text;
}

namespace {

class Drawing {
 public:
  Drawing(uint64_t seed, DrawnModel& model) : random_(seed), model_(model) {}

  void draw() {
    draw_vocabulary();
    draw_head();
    if (model_.head == Head::kStatic) return draw_static();
    draw_sizes();
    draw_layers();
    make_encoder();
    make_head();
  }

 private:
  void draw_vocabulary() {
    model_.vocab = static_cast<int64_t>(100 * std::exp(random_.unit() * std::log(600.0)));
    if (model_.vocab % 2 == 0 && random_.chance(0.7)) ++model_.vocab;
    model_.max_positions = random_.in(model_.longest(), 420);
  }

  void draw_head() {
    model_.family = random_.of(families());
    const Family& f = model_.family;
    model_.head =
        random_.of(std::vector<Head>{Head::kEmbeddings, Head::kEmbeddings, Head::kLanguage, Head::kClasses,
                                     Head::kTokens, Head::kAnswers, Head::kSparse, Head::kVectors, Head::kStatic});
    const bool has_dense = !f.lm_dense.empty();
    if ((model_.head == Head::kSparse || model_.head == Head::kAnswers) && !has_dense) model_.head = Head::kLanguage;
    if (model_.head == Head::kLanguage && !f.has_lm) model_.head = Head::kEmbeddings;
  }

  void draw_static() {
    model_.d = random_.in(3, 200);
    model_.has_weights = random_.chance(0.5);
    model_.has_mapping = random_.chance(0.3);
    model_.normalises = random_.chance(0.7);
    const int64_t rows = model_.has_mapping ? random_.in(3, model_.vocab) : model_.vocab;
    add("embeddings", {rows, model_.d}, 0, 1);
    if (model_.has_weights) add("weights", {model_.vocab}, 1, 0.3f);
    for (int64_t i = 0; model_.has_mapping && i < model_.vocab; ++i) {
      model_.mapping.push_back(static_cast<int32_t>(random_.in(0, rows - 1)));
    }
  }

  void draw_sizes() {
    DrawnModel& m = model_;
    const Family& f = m.family;
    m.heads = random_.in(1, 5);
    m.key_heads = m.heads;
    if (f.shares_keys && m.heads > 1 && random_.chance(0.6)) {
      do m.key_heads = random_.in(1, m.heads);
      while (m.heads % m.key_heads != 0);
    }
    m.head_size = f.rotates ? 2 * random_.in(2, 17) : random_.in(3, 35);
    m.d = random_.chance(0.5) ? m.heads * m.head_size : random_.in(5, 140);
    m.e = f.widening != Widening::kNone && random_.chance(0.7) ? random_.in(4, 90) : m.d;
    m.types = f.most_types > 0 ? random_.in(f.type == "new" || f.type == "deberta-v2" ? 0 : 1, f.most_types) : 0;
    m.pad = kPad;
    m.eps = f.eps > 0 ? f.eps : random_.of(std::vector<double>{1e-12, 1e-7, 1e-5, 1e-6});
    m.act = random_.of(std::vector<Act>{Act::kGelu, Act::kGelu, Act::kRelu, Act::kSilu, Act::kGeluTanh});
    m.class_act = f.class_act;
    m.class_pooling = random_.of(f.class_poolings);
    const auto bias = [&](const std::string& rule) { return rule == "yes" || (rule != "no" && random_.chance(0.5)); };
    m.query_bias = bias(f.query_bias);
    m.out_bias = f.out_bias == f.query_bias ? m.query_bias : bias(f.out_bias);
    m.up_bias = bias(f.up_bias);
    m.down_bias = f.down_bias == f.up_bias ? m.up_bias : bias(f.down_bias);
    m.class_dense_bias = bias(f.class_dense_bias);
    m.is_causal = f.causal == 1 || (f.causal == 2 && random_.chance(0.5));
    m.theta = static_cast<double>(random_.in(2, 200)) * 1000;
    m.local_theta = f.local_theta_key.empty() ? m.theta : static_cast<double>(random_.in(2, 200)) * 100;
    m.window = random_.in(2, 90);
    const int64_t distances = 1 + (f.distances == Distances::kDisentangled
                                       ? (m.to_places = random_.chance(0.8)) + (m.of_places = random_.chance(0.8))
                                       : 0);
    m.score_divisor = static_cast<double>(m.head_size * distances);
    if (f.scales_words) m.score_divisor = static_cast<double>(random_.in(4, 64));
    if (f.distances == Distances::kDisentangled) {
      m.buckets = random_.chance(0.7) ? random_.in(4, 50) : 0;
      m.most_distance = m.buckets > 0 ? random_.in(m.buckets, 300) : random_.in(8, 200);
      m.shares_place_keys = random_.chance(0.5);
      m.norms_places = random_.chance(0.5);
      m.adds_positions = random_.chance(0.5);
    }
  }

  void draw_layers() {
    DrawnModel& m = model_;
    m.layers.resize(static_cast<size_t>(random_.in(1, 4)));
    const bool looks_up = m.family.may_look_up && m.act != Act::kSilu && random_.chance(0.4);
    m.every = random_.in(1, 4);
    Layer lookup;
    lookup.tables = random_.in(3, 20);
    lookup.table_size = int64_t{1} << random_.in(2, 6);
    lookup.chain_factors = random_.in(0, 4);
    lookup.block = int64_t{1} << random_.in(1, 3);
    for (size_t i = 0; i < m.layers.size(); ++i) {
      Layer& layer = m.layers[i];
      if (looks_up && random_.chance(0.6)) layer = lookup;
      layer.looks_up = layer.tables > 0;
      const auto n = static_cast<int64_t>(i);
      layer.local = m.family.is_local && (m.family.global_is_first ? n : n + 1) % m.every != 0;
    }
    const int64_t neurons = random_.in(3, 300);
    for (Layer& layer : m.layers) layer.neurons = neurons;
  }

  void add(const std::string& name, std::vector<int64_t> shape, float mean, float deviation) {
    Tensor& tensor = model_.tensors[name];
    tensor = made(std::move(shape), mean, deviation);
  }
  Tensor made(std::vector<int64_t> shape, float mean, float deviation) {
    Tensor tensor;
    size_t count = 1;
    for (const int64_t n : shape) count *= static_cast<size_t>(n);
    tensor.shape = std::move(shape);
    tensor.values.resize(count);
    for (float& value : tensor.values) value = random_.near(mean, deviation);
    return tensor;
  }
  void linear(const std::string& name, int64_t outputs, int64_t inputs, bool bias = true) {
    add(name + ".weight", {outputs, inputs}, 0, 1 / std::sqrt(static_cast<float>(inputs)));
    if (bias) add(name + ".bias", {outputs}, 0, 0.2f);
  }
  void norm(const std::string& name, int64_t size) {
    const Family& f = model_.family;
    if (name.empty()) return;
    add(name + ".weight", {size}, f.norm_kind == NormKind::kRmsPlusOne ? 0.0f : 1.0f, 0.2f);
    if (f.norm_shift) add(name + ".bias", {size}, 0, 0.1f);
  }

  void make_encoder() {
    DrawnModel& m = model_;
    const Family& f = m.family;
    add(f.words + ".weight", {m.vocab, m.e}, 0, f.scales_words ? 1 / std::sqrt(static_cast<float>(m.d)) : 1.0f);
    if (f.positions != Positions::kNone && m.adds_positions) {
      const int64_t before = f.positions == Positions::kAfterPadding ? m.pad + 1 : 0;
      add(f.places + ".weight", {m.max_positions + before, m.e}, 0, 0.5f);
    }
    if (m.types > 0) add(f.types + ".weight", {m.types, m.e}, 0, 0.5f);
    norm(f.embedding_norm, f.widening == Widening::kAfterNorm ? m.e : m.d);
    if (m.e != m.d) linear(f.widener, m.d, m.e, f.widening == Widening::kAfterNorm);
    if (f.distances == Distances::kBuckets) add("encoder.relative_attention_bias.weight", {32, m.heads}, 0, 1);
    if (f.distances == Distances::kDisentangled) {
      const int64_t span = m.buckets > 0 ? m.buckets : m.most_distance;
      add("encoder.rel_embeddings.weight", {2 * span, m.d}, 0, 1);
      if (m.norms_places) norm("encoder.LayerNorm", m.d);
    }
    for (size_t i = 0; i < m.layers.size(); ++i) make_layer(f.layer + std::to_string(i) + ".", m.layers[i], i == 0);
    norm(f.final_norm, m.d);
  }

  void make_layer(const std::string& at, const Layer& layer, bool first) {
    DrawnModel& m = model_;
    const Family& f = m.family;
    const int64_t a = m.heads * m.head_size, k = m.key_heads * m.head_size;
    if (!f.fused.empty()) {
      linear(at + f.fused, a + 2 * k, m.d, m.query_bias);
    } else {
      linear(at + f.query, a, m.d, m.query_bias);
      linear(at + f.key, k, m.d, m.query_bias);
      linear(at + f.value, k, m.d, m.query_bias);
    }
    if (f.norms_heads) {
      norm(at + "self_attn.q_norm", m.head_size);
      norm(at + "self_attn.k_norm", m.head_size);
    }
    if (f.distances == Distances::kDisentangled && !m.shares_place_keys) {
      if (m.to_places) linear(at + "attention.self.pos_key_proj", a, m.d);
      if (m.of_places) linear(at + "attention.self.pos_query_proj", a, m.d);
    }
    linear(at + f.out, m.d, a, m.out_bias);
    if (!first || f.first_attention_norm) norm(at + f.attention_norm, m.d);
    if (!f.attention_result_norm.empty()) norm(at + f.attention_result_norm, m.d);
    if (layer.looks_up) {
      make_lookup(at + "FFN.", layer);
    } else {
      const int64_t halves = f.gate != Gate::kNone && f.up_second.empty() ? 2 : 1;
      linear(at + f.up, halves * layer.neurons, m.d, m.up_bias);
      if (!f.up_second.empty()) linear(at + f.up_second, layer.neurons, m.d, m.up_bias);
      linear(at + f.down, m.d, layer.neurons, m.down_bias);
    }
    norm(at + f.ffn_norm, m.d);
    if (!f.ffn_result_norm.empty()) norm(at + f.ffn_result_norm, m.d);
  }

  void make_lookup(const std::string& at, const Layer& layer) {
    const int64_t d = model_.d, tau = std::lround(std::log2(static_cast<double>(layer.table_size)));
    const int64_t hashes = layer.tables * tau;
    if (layer.chain_factors == 0) {
      add(at + "hash.projection.weight", {hashes, d}, 0, 1 / std::sqrt(static_cast<float>(d)));
    } else {
      int64_t padded = 1;
      while (padded < d) padded *= 2;
      const auto fan = static_cast<float>(padded * layer.block);
      add(at + "hash.projection.weight",
          {(hashes + padded - 1) / padded, layer.chain_factors, padded / layer.block, layer.block, layer.block}, 0,
          1.5f / std::sqrt(fan));
    }
    add(at + "hash.projection.bias", {hashes}, 0, 0.3f);
    add(at + "tables", {layer.tables, layer.table_size, d}, 0, 0.5f);
    add(at + "bias", {d}, 0, 0.1f);
  }

  void make_head() {
    DrawnModel& m = model_;
    const Family& f = m.family;
    if ((m.head == Head::kLanguage || m.head == Head::kSparse) && !f.lm_dense.empty()) {
      linear(f.lm_dense, m.e, m.d, f.lm_dense_bias == "yes" || m.class_dense_bias);
      norm(f.lm_norm, m.e);
      add(f.lm_bias, {m.vocab}, 0, 0.5f);
    }
    if (m.head == Head::kSparse) {
      m.sums = random_.chance(0.4);
      m.twice = random_.chance(0.3);
    }
    if (m.head == Head::kClasses || m.head == Head::kTokens) {
      m.classes = m.head == Head::kTokens ? random_.in(2, 6) : random_.in(1, 9);
      const std::vector<std::string> kinds = {"O", "B-A", "I-A", "B-B", "I-B", "C"};
      for (int64_t i = 0; i < m.classes; ++i) {
        m.labels.push_back(m.head == Head::kTokens ? kinds[static_cast<size_t>(i)] : "class " + std::to_string(i));
      }
    }
    const bool through_dense =
        m.head == Head::kClasses || ((m.head == Head::kTokens || m.head == Head::kAnswers) && f.tokens_through_dense);
    if (through_dense && !f.class_dense.empty()) {
      linear(f.class_dense, m.d, m.d, m.class_dense_bias);
      norm(f.class_norm, m.d);
    }
    if (m.head == Head::kClasses) linear(f.class_out, m.classes, m.d, f.class_out_bias == "yes");
    if (m.head == Head::kTokens) linear(f.token_out, m.classes, m.d, f.token_bias == "yes");
    if (m.head == Head::kAnswers) linear("qa_outputs", 2, m.d);
    if (m.head == Head::kVectors) {
      m.modules.push_back({m.d, random_.in(3, 130), Act::kNone, random_.chance(0.5)});
      linear("linear", m.modules[0].outputs, m.d, m.modules[0].bias);
    }
    if (m.head == Head::kEmbeddings) draw_modules();
  }

  void draw_modules() {
    DrawnModel& m = model_;
    m.normalises = random_.chance(0.6);
    std::vector<Pool> all = {Pool::kFirst, Pool::kMax, Pool::kMean, Pool::kMeanSqrt, Pool::kWeighted, Pool::kLast};
    if (random_.chance(0.7)) {
      m.poolings = {random_.of(all)};
    } else {
      for (const Pool pool : all) {
        if (random_.chance(0.5)) m.poolings.push_back(pool);
      }
      if (m.poolings.empty()) m.poolings = {Pool::kMean};
    }
    int64_t inputs = m.d * static_cast<int64_t>(m.poolings.size());
    for (int64_t i = random_.in(0, 2); i > 0; --i) {
      const Act act = random_.of(std::vector<Act>{Act::kNone, Act::kTanh, Act::kRelu, Act::kGelu});
      m.modules.push_back({inputs, random_.in(3, 150), act, random_.chance(0.6)});
      inputs = m.modules.back().outputs;
    }
    for (size_t i = 0; i < m.modules.size(); ++i) {
      const Dense& dense = m.modules[i];
      m.module_tensors[i]["linear.weight"] =
          made({dense.outputs, dense.inputs}, 0, 1 / std::sqrt(static_cast<float>(dense.inputs)));
      if (dense.bias) m.module_tensors[i]["linear.bias"] = made({dense.outputs}, 0, 0.2f);
    }
  }

  Random random_;
  DrawnModel& model_;
};

}  // namespace

std::string DrawnModel::summary() const {
  constexpr const char* kHeads[] = {"embeddings", "language", "classes", "tokens",
                                    "answers",    "sparse",   "vectors", "static"};
  std::string text = head == Head::kStatic ? "static" : family.type + " " + kHeads[static_cast<size_t>(head)];
  text += ", " + std::to_string(vocab) + " words, width " + std::to_string(d);
  if (head == Head::kStatic) return text;
  if (e != d) text += " of " + std::to_string(e);
  text += ", " + std::to_string(heads) + " heads of " + std::to_string(head_size) + ", " + std::to_string(key_heads) +
          " of keys, layers";
  for (const Layer& layer : layers) {
    text += layer.looks_up ? " " + std::to_string(layer.tables) + "x" + std::to_string(layer.table_size)
                           : " " + std::to_string(layer.neurons);
  }
  return text;
}

DrawnModel draw_model(uint64_t seed) {
  DrawnModel model;
  model.seed = seed;
  Drawing(seed, model).draw();
  write_files(model);
  return model;
}

}  // namespace draws
