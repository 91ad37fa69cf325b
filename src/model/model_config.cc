#include "model/model_config.h"

#include <cmath>

#include "format/json_object.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr int32_t kMaxSize = 1 << 20;  // of a vector
constexpr int32_t kMaxLayers = 4096;
constexpr size_t kMaxDepth = 32;

void require_range(const char* key, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %lld, allowed is %lld to %lld", key, static_cast<long long>(value),
         static_cast<long long>(least), static_cast<long long>(most));
  }
}

// Takes the list "ffn_kinds" out of a JSON object that JsonObject has already accepted.
class KindsReader : public JsonEvents {
 public:
  explicit KindsReader(std::vector<FfnKind>& kinds) : kinds_(kinds) {}
  bool found() const { return found_; }

  void begin_object() override { enter(false); }
  void end_object() override { leave(); }
  void begin_array() override { enter(true); }
  void end_array() override { leave(); }
  void key(std::string& name) override {
    if (depth_ == 1) ours_ = name == "ffn_kinds";
  }
  void scalar(JsonScalar&& value) override {
    if (!ours_) return;
    if (depth_ != 2 || value.kind != JsonScalar::Kind::kString || (value.text != "lookup" && value.text != "vanilla")) {
      refuse();
    }
    kinds_.push_back(value.text == "lookup" ? FfnKind::kLookup : FfnKind::kVanilla);
  }
  std::string where() const override { return "config"; }

 private:
  void enter(bool list) {
    if (ours_ && (!list || depth_ != 1)) refuse();
    if (ours_) found_ = true;
    ++depth_;
  }
  void leave() { --depth_; }
  [[noreturn]] void refuse() const {
    fail(LFFN_ERROR_BAD_MODEL, "config: 'ffn_kinds' must be a list of \"lookup\" and \"vanilla\"");
  }

  std::vector<FfnKind>& kinds_;
  size_t depth_ = 0;
  bool ours_ = false;
  bool found_ = false;
};

}  // namespace

ModelConfig parse_model_config(std::string_view json) {
  const JsonObject object(json, "config");
  ModelConfig config;
  config.text = json;
  config.hidden_size = object.integer("hidden_size");
  require_range("hidden_size", config.hidden_size, 1, kMaxSize);
  config.num_layers = object.integer("num_hidden_layers");
  require_range("num_hidden_layers", config.num_layers, 1, kMaxLayers);
  config.num_heads = object.integer("num_attention_heads");
  require_range("num_attention_heads", config.num_heads, 1, kMaxSize);
  if (config.hidden_size % config.num_heads != 0) {
    config.head_size = object.integer("attention_head_size", 0);
    if (config.head_size == 0) {
      fail(LFFN_ERROR_BAD_MODEL, "config: 'num_attention_heads' is %d, which does not divide 'hidden_size', %d",
           config.num_heads, config.hidden_size);
    }
  } else {
    config.head_size = object.integer("attention_head_size", config.hidden_size / config.num_heads);
  }
  require_range("attention_head_size", config.head_size, 1, kMaxSize);
  require_range("num_attention_heads times attention_head_size", config.attention_size(), 1, kMaxSize);
  config.vocab_size = object.integer("vocab_size");
  require_range("vocab_size", config.vocab_size, 1, INT32_MAX);
  config.type_vocab_size = object.integer("type_vocab_size", config.type_vocab_size);
  require_range("type_vocab_size", config.type_vocab_size, 1, kMaxSize);
  config.max_position_embeddings = object.integer("max_position_embeddings");
  require_range("max_position_embeddings", config.max_position_embeddings, 1, INT32_MAX);
  config.pad_token_id = object.integer("pad_token_id", config.pad_token_id);
  require_range("pad_token_id", config.pad_token_id, 0, int64_t{config.max_position_embeddings});
  config.num_classes = object.integer("num_classes", 0);
  require_range("num_classes", config.num_classes, 0, kMaxSize);
  config.layer_norm_eps = object.number("layer_norm_eps", config.layer_norm_eps);
  if (config.layer_norm_eps < 0) {
    fail(LFFN_ERROR_BAD_MODEL, "config: 'layer_norm_eps' is %g, allowed is any number from 0",
         double{config.layer_norm_eps});
  }
  object.choice("hidden_act", {"gelu"}, 0);
  object.choice("position_embedding_type", {"absolute"}, 0);

  KindsReader reader(config.ffn_kinds);
  parse_json(json, 0, kMaxDepth, reader);
  if (reader.found() && config.ffn_kinds.size() != static_cast<size_t>(config.num_layers)) {
    fail(LFFN_ERROR_BAD_MODEL, "config: 'ffn_kinds' names %zu layers, 'num_hidden_layers' is %d",
         config.ffn_kinds.size(), config.num_layers);
  }
  return config;
}

LayerConfig parse_lookup_config(const ModelConfig& config) {
  const LayerConfig lookup = parse_layer_config(config.text);
  if (lookup.output_size != config.hidden_size) {
    fail(LFFN_ERROR_BAD_MODEL, "config: 'output_size' is %d, in a model it must be 'hidden_size', %d",
         lookup.output_size, config.hidden_size);
  }
  return lookup;
}

int32_t parse_intermediate_size(const ModelConfig& config) {
  const int32_t size = JsonObject(config.text, "config").integer("intermediate_size");
  require_range("intermediate_size", size, 1, kMaxSize);
  return size;
}

}  // namespace lffn
