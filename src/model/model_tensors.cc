#include "model/model_tensors.h"

#include <cstring>
#include <type_traits>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr lffn_status kStatus = LFFN_ERROR_BAD_MODEL;

std::string_view without_prefixes(std::string_view name) {
  for (const std::string_view prefix : {"model.", "roberta."}) {
    if (name.substr(0, prefix.size()) == prefix) name.remove_prefix(prefix.size());
  }
  return name;
}

// Or moving one would copy its views, and what points into them would dangle.
static_assert(std::is_nothrow_move_constructible_v<EncoderLayerTensors>);

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

class Finder {
 public:
  explicit Finder(const std::vector<TensorView>& tensors) : tensors_(tensors) {
    for (const TensorView& tensor : tensors) {
      const auto [other, added] = by_name_.emplace(without_prefixes(tensor.name), &tensor);
      if (!added) {
        fail(kStatus, "%s and %s are the same tensor", in_quotes(other->second->name).c_str(),
             in_quotes(tensor.name).c_str());
      }
    }
  }

  bool has(const std::string& name) const { return by_name_.count(name) != 0; }

  bool has_any(std::string_view prefix) const {
    for (const TensorView& tensor : tensors_) {
      if (starts_with(without_prefixes(tensor.name), prefix)) return true;
    }
    return false;
  }

  // Without its values checked: the caller looks at shape and type first.
  const TensorView* take(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) fail(kStatus, "%s: this tensor is missing", name.c_str());
    taken_.insert(found->second);
    return found->second;
  }

  const TensorView* floats(const std::string& name, const std::vector<int64_t>& shape) {
    const TensorView* tensor = take(name);
    check_tensor(*tensor, shape, {DType::kF32, DType::kF16, DType::kBF16}, kStatus);
    return tensor;
  }

  NormTensors norm(const std::string& prefix, int64_t size) {
    NormTensors norm;
    norm.gain = floats(prefix + "weight", {size});
    norm.shift = floats(prefix + "bias", {size});
    return norm;
  }

  LinearTensors linear(const std::string& prefix, const std::vector<const char*>& names, int64_t outputs,
                       int64_t inputs, bool may_be_int8) {
    LinearTensors linear;
    linear.inputs = inputs;
    for (const char* name : names) {
      linear.outputs += outputs;
      const std::string weight = prefix + name + ".weight";
      if (may_be_int8 && has(weight + ".scale")) {
        linear.weights.push_back(take(weight));
        check_tensor(*linear.weights.back(), {outputs, inputs}, {DType::kI8}, kStatus);
        linear.scales.push_back(take(weight + ".scale"));
        check_tensor(*linear.scales.back(), {outputs}, {DType::kF32}, kStatus);
      } else {
        linear.weights.push_back(floats(weight, {outputs, inputs}));
        linear.scales.push_back(nullptr);
      }
      linear.biases.push_back(floats(prefix + name + ".bias", {outputs}));
    }
    return linear;
  }

  // All tensors of one lookup layer, named as in a layer's file.
  std::vector<TensorView> take_all(const std::string& prefix) {
    std::vector<TensorView> result;
    for (const char* name :
         {kNormGain, kNormShift, kHashWeight, kFoldedWeight, kFoldedScale, kHashBias, kTables, kTablesScale, kBias}) {
      if (!has(prefix + name)) continue;
      result.push_back(*take(prefix + name));
      result.back().name = name;
    }
    return result;
  }

  void refuse_others() const {
    for (const TensorView& tensor : tensors_) {
      if (taken_.count(&tensor) == 0) {
        fail(kStatus, "%s: a model with this config has no such tensor", in_quotes(tensor.name).c_str());
      }
    }
  }

 private:
  const std::vector<TensorView>& tensors_;
  std::unordered_map<std::string_view, const TensorView*> by_name_;
  std::unordered_set<const TensorView*> taken_;
};

FfnKind kind_of(const ModelConfig& config, const Finder& finder, int32_t layer, const std::string& prefix) {
  const bool lookup = finder.has(prefix + kTables), vanilla = finder.has(prefix + "1.weight");
  if (!config.ffn_kinds.empty()) {
    const FfnKind kind = config.ffn_kinds[static_cast<size_t>(layer)];
    if (kind == FfnKind::kLookup ? vanilla && !lookup : lookup && !vanilla) {
      fail(kStatus, "%s: 'ffn_kinds' says %s, the tensors are those of the other kind", prefix.c_str(),
           kind == FfnKind::kLookup ? "lookup" : "vanilla");
    }
    return kind;
  }
  if (!lookup && !vanilla) {
    fail(kStatus, "%s%s: this tensor is missing, and so is %s1.weight", prefix.c_str(), kTables, prefix.c_str());
  }
  return lookup ? FfnKind::kLookup : FfnKind::kVanilla;
}

void find_ffn(const ModelConfig& config, Finder& finder, const std::string& prefix, ModelTensors& model,
              EncoderLayerTensors& layer) {
  const int64_t d = config.hidden_size;
  if (layer.kind == FfnKind::kLookup) {
    if (model.lookup.hidden_size == 0) model.lookup = parse_lookup_config(config);
    layer.lookup_views = finder.take_all(prefix);
    try {
      layer.lookup = check_tensors(model.lookup, layer.lookup_views, kStatus);
    } catch (const Error& error) {
      throw Error(error.status(), prefix + error.what());
    }
    return;
  }
  if (model.intermediate_size == 0) model.intermediate_size = parse_intermediate_size(config);
  layer.ffn_norm = finder.norm(prefix + "0.", d);
  layer.up = finder.linear(prefix, {"1"}, model.intermediate_size, d, true);
  layer.down = finder.linear(prefix, {"3"}, d, model.intermediate_size, true);
}

void find_lm_head(const ModelConfig& config, Finder& finder, ModelTensors& model) {
  const int64_t d = config.hidden_size;
  model.has_lm_head = true;
  model.lm_dense = finder.linear("lm_head.", {"dense"}, d, d, false);
  model.lm_norm = finder.norm("lm_head.layer_norm.", d);
  if (finder.has("lm_head.decoder.weight")) {
    model.decoder = finder.floats("lm_head.decoder.weight", {config.vocab_size, d});
    const TensorView& words = *model.words;
    const bool tied = model.decoder->dtype == words.dtype && model.decoder->size == words.size &&
                      std::memcmp(model.decoder->data, words.data, words.size) == 0;
    if (tied) model.decoder = nullptr;
  }
  // Two names of one vector; either may be missing.
  for (const char* name : {"lm_head.bias", "lm_head.decoder.bias"}) {
    if (!finder.has(name)) continue;
    const TensorView* bias = finder.floats(name, {config.vocab_size});
    const TensorView* other = model.decoder_bias;
    if (other != nullptr && (bias->dtype != other->dtype || std::memcmp(bias->data, other->data, bias->size) != 0)) {
      fail(kStatus, "lm_head.bias and lm_head.decoder.bias differ, but are two names of one vector");
    }
    model.decoder_bias = bias;
  }
  if (model.decoder_bias == nullptr) finder.take("lm_head.decoder.bias");
}

void find_classifier(const ModelConfig& config, Finder& finder, ModelTensors& model) {
  const int64_t d = config.hidden_size;
  model.class_dense = finder.linear("classifier.", {"dense"}, d, d, false);
  const TensorView* out = finder.take("classifier.out_proj.weight");
  const int64_t stored = out->shape.empty() ? 0 : out->shape[0];
  if (stored < 1 || stored > INT32_MAX) {
    fail(kStatus, "classifier.out_proj.weight: shape %s, expected [classes,%lld]", out->shape_text().c_str(),
         static_cast<long long>(d));
  }
  model.num_classes = config.num_classes != 0 ? config.num_classes : static_cast<int32_t>(stored);
  model.class_out = finder.linear("classifier.", {"out_proj"}, model.num_classes, d, false);
}

}  // namespace

ModelTensors check_model_tensors(const ModelConfig& config, const std::vector<TensorView>& tensors) {
  Finder finder(tensors);
  const int64_t d = config.hidden_size, a = config.attention_size();
  ModelTensors model;
  model.words = finder.floats("embeddings.word_embeddings.weight", {config.vocab_size, d});
  model.positions = finder.floats("embeddings.position_embeddings.weight", {config.position_rows(), d});
  model.types = finder.floats("embeddings.token_type_embeddings.weight", {config.type_vocab_size, d});
  model.embedding_norm = finder.norm("embeddings.LayerNorm.", d);
  for (int32_t i = 0; i < config.num_layers; ++i) {
    const std::string prefix = "encoder.layer." + std::to_string(i) + ".";
    EncoderLayerTensors layer;
    layer.attention_norm = finder.norm(prefix + "attention.LayerNorm.", d);
    layer.query_key_value = finder.linear(prefix + "attention.", {"query", "key", "value"}, a, d, true);
    layer.attention_out = finder.linear(prefix + "attention.", {"dense"}, d, a, true);
    layer.kind = kind_of(config, finder, i, prefix + "FFN.");
    find_ffn(config, finder, prefix + "FFN.", model, layer);
    model.layers.push_back(std::move(layer));
  }
  model.final_norm = finder.norm("encoder.LayerNorm.", d);
  if (finder.has_any("lm_head.")) find_lm_head(config, finder, model);
  if (finder.has_any("classifier.")) find_classifier(config, finder, model);
  finder.refuse_others();
  return model;
}

}  // namespace lffn
