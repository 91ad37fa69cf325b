// SPDX-License-Identifier: Apache-2.0
#include "model/config/rotary_config.h"

#include <initializer_list>
#include <string>
#include <tuple>

#include "format/utf8.h"
#include "runtime/error.h"
#include "runtime/own_math.h"

namespace lffn {
namespace {

constexpr double kPi = 3.14159265358979323846;

const JsonValue* object_of(const JsonObject& object, const char* key) {
  const JsonValue* value = object.value(key);
  if (value == nullptr) return nullptr;
  if (value->shape != JsonValue::Shape::kObject) object.refuse(key, "an object");
  return value;
}

JsonObject inner_of(const JsonValue& value, const std::string& what) {
  JsonObject inner(value, "config: '" + what + "'");
  inner.drop_nulls();
  return inner;
}

// The first of these keys that is there.
float number_of(const JsonObject& object, std::initializer_list<const char*> keys, float otherwise) {
  for (const char* key : keys) {
    if (object.value(key) != nullptr) return object.number(key);
  }
  return otherwise;
}

float positive(const JsonObject& object, const char* key, std::optional<float> otherwise = std::nullopt) {
  const float value = object.number(key, otherwise);
  if (!(value > 0)) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' of rotary positions is %g, allowed is any number above 0", key,
         double{value});
  }
  return value;
}

void read_scaling(const JsonObject& given, RotaryConfig& config) {
  const std::string type = given.text("rope_type", given.text("type", "default"));
  using Scaling = RotaryConfig::Scaling;
  if (type == "default") return;
  if (type == "linear") {
    config.scaling = Scaling::kLinear;
  } else if (type == "llama3") {
    config.scaling = Scaling::kLlama3;
    config.low_frequency = positive(given, "low_freq_factor");
    config.high_frequency = positive(given, "high_freq_factor");
    config.original_positions = positive(given, "original_max_position_embeddings");
    if (config.high_frequency <= config.low_frequency) {
      fail(LFFN_ERROR_BAD_MODEL, "config: 'high_freq_factor' is %g, but must be above 'low_freq_factor', %g",
           double{config.high_frequency}, double{config.low_frequency});
    }
  } else if (type == "ntk") {
    config.scaling = Scaling::kNtk;
    if (given.value("mixed_b") != nullptr) config.mixed_b = positive(given, "mixed_b");
  } else {
    fail(LFFN_ERROR_UNSUPPORTED,
         "config: rotary positions are scaled by %s, which is not supported; choose a model without scaling, or with "
         "linear, llama3 or ntk",
         in_quotes(type).c_str());
  }
  config.factor = positive(given, "factor");
}

}  // namespace

bool RotaryConfig::operator==(const RotaryConfig& other) const {
  const auto all = [](const RotaryConfig& c) {
    return std::tie(c.theta, c.scaling, c.factor, c.low_frequency, c.high_frequency, c.original_positions, c.mixed_b);
  };
  return all(*this) == all(other);
}

// Transformers 5 has all in "rope_parameters", which may differ for global and for local layers; 4 has "rope_scaling"
// beside the thetas.
RotaryConfig read_rotary(const JsonObject& object, const Family& family, bool local) {
  RotaryConfig config;
  const float global_theta = number_of(object, {"rope_theta", "global_rope_theta", "rotary_emb_base"}, family.theta);
  const float usual_local = family.local_theta > 0 ? family.local_theta : global_theta;
  config.theta = local ? number_of(object, {"local_rope_theta", "rope_local_base_freq"}, usual_local) : global_theta;
  if (const JsonValue* parameters = object_of(object, "rope_parameters")) {
    const JsonObject outer = inner_of(*parameters, "rope_parameters");
    const bool by_layer = outer.value("full_attention") != nullptr || outer.value("sliding_attention") != nullptr;
    const char* kind = local ? "sliding_attention" : "full_attention";
    const JsonValue* own = by_layer ? object_of(outer, kind) : parameters;
    if (own != nullptr) {
      const JsonObject inner = inner_of(*own, by_layer ? std::string("rope_parameters.") + kind : "rope_parameters");
      config.theta = inner.number("rope_theta", config.theta);
      if (number_of(inner, {"partial_rotary_factor"}, 1) != 1) {
        fail(LFFN_ERROR_UNSUPPORTED,
             "config: 'partial_rotary_factor' is not 1, but only whole heads are rotated; choose another model");
      }
      read_scaling(inner, config);
    }
  } else if (const JsonValue* scaling = object_of(object, "rope_scaling")) {
    if (!local || family.scales_local) read_scaling(inner_of(*scaling, "rope_scaling"), config);
  }
  if (!(config.theta > 1)) {
    fail(LFFN_ERROR_BAD_MODEL, "config: the theta of rotary positions is %g, allowed is any number above 1",
         double{config.theta});
  }
  return config;
}

void refuse_other_rotations(const JsonObject& object) {
  const auto refuse = [](const char* key, const char* why) {
    fail(LFFN_ERROR_UNSUPPORTED, "config: '%s' is set, but %s; choose a model without it", key, why);
  };
  for (const char* key : {"partial_rotary_factor", "rotary_emb_fraction"}) {
    if (object.number(key, 1.0f) != 1) refuse(key, "only whole heads are rotated");
  }
  for (const char* key : {"rotary_emb_interleaved", "rope_interleaved"}) {
    if (object.boolean(key, false)) refuse(key, "only halves of heads are rotated, not pairs side by side");
  }
  for (const char* key : {"rotary_emb_scale_base", "rotary_scaling_factor"}) {
    if (object.value(key) != nullptr && object.number(key) != 0)
      refuse(key, "this scaling of positions is not supported");
  }
  for (const char* key : {"logn_attention_scale", "logn_attention_clip1"}) {
    if (object.boolean(key, false)) refuse(key, "attention that is scaled by a text's length is not supported");
  }
  for (const char* key : {"prenorm", "use_rms_norm", "parallel_block"}) {
    if (object.boolean(key, false)) refuse(key, "such layers are not supported");
  }
  if (object.text("layer_norm_type", "layer_norm") != "layer_norm") {
    refuse("layer_norm_type", "only layer norms are supported in models that have this key");
  }
  if (object.boolean("use_sliding_window", false)) refuse("use_sliding_window", "such windows are not supported");
  for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"}) {
    if (object.value(key) != nullptr) refuse(key, "soft caps are not supported");
  }
  for (const char* key : {"num_experts", "num_local_experts", "moe_every_n_layers"}) {
    if (object.integer(key, 0) > 0) refuse(key, "experts are not supported");
  }
}

std::vector<float> rotary_frequencies(const RotaryConfig& config, int64_t head_size) {
  using Scaling = RotaryConfig::Scaling;
  const int64_t half = head_size / 2;
  const bool mixed = config.scaling == Scaling::kNtk && config.mixed_b > 0;
  const float theta = config.scaling == Scaling::kNtk && !mixed ? config.theta * config.factor : config.theta;
  std::vector<float> result(static_cast<size_t>(half));
  for (int64_t i = 0; i < half; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(head_size);
    float frequency = 1.0f / static_cast<float>(own_pow(double{theta}, double{exponent}));
    if (config.scaling == Scaling::kLinear) frequency /= config.factor;
    if (config.scaling == Scaling::kNtk && !mixed) {
      const double slower = own_pow(double{config.factor}, 2.0 / static_cast<double>(head_size));
      frequency = static_cast<float>(double{frequency} / slower);
    }
    if (mixed) {
      const double b = double{config.mixed_b};
      const double a = own_log(double{config.factor}) / own_pow(static_cast<double>(half), b);
      frequency = static_cast<float>(double{frequency} / own_exp(a * own_pow(static_cast<double>(i + 1), b)));
    }
    if (config.scaling == Scaling::kLlama3) {
      const double length = 2 * kPi / double{frequency}, m = double{config.original_positions};
      const double low = double{config.low_frequency}, high = double{config.high_frequency};
      const double slowed = double{frequency} / double{config.factor};
      if (length > m / low) {
        frequency = static_cast<float>(slowed);
      } else if (length >= m / high) {
        const double smooth = (m / length - low) / (high - low);
        frequency = static_cast<float>((1 - smooth) * slowed + smooth * double{frequency});
      }
    }
    result[static_cast<size_t>(i)] = frequency;
  }
  return result;
}

}  // namespace lffn
