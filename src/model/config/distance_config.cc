// SPDX-License-Identifier: Apache-2.0
#include "model/config/distance_config.h"

#include <algorithm>
#include <cmath>

#include "format/layer_config.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// MPNet's buckets, whatever its config says: half of them for each direction; half of those hold one distance each.
constexpr int32_t kMpnetBuckets = 32, kMpnetDirection = kMpnetBuckets / 2, kMpnetExact = kMpnetDirection / 2;

DistanceConfig read_buckets(const JsonObject& object) {
  DistanceConfig config;
  config.kind = Distances::kBuckets;
  config.rows = object.integer("relative_attention_num_buckets", kMpnetBuckets);
  if (config.rows < kMpnetBuckets || config.rows > kMaxSize) {
    fail(LFFN_ERROR_BAD_MODEL, "config: 'relative_attention_num_buckets' is %lld, allowed is %d to %d",
         static_cast<long long>(config.rows), kMpnetBuckets, kMaxSize);
  }
  return config;
}

// "c2p|p2c" or a list of these.
bool has_type(const JsonObject& object, const char* type) {
  const JsonValue* value = object.value("pos_att_type");
  if (value == nullptr) return false;
  constexpr char kWanted[] = "a list of \"c2p\" and \"p2c\"";
  const auto is = [&](std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text == type;
  };
  if (value->shape == JsonValue::Shape::kList) {
    return std::any_of(value->items.begin(), value->items.end(), [&](const JsonValue& item) {
      if (!item.is_text()) object.refuse("pos_att_type", kWanted);
      return is(item.scalar.text);
    });
  }
  if (!value->is_text()) object.refuse("pos_att_type", kWanted);
  std::string_view rest = value->scalar.text;
  for (size_t bar; (bar = rest.find('|')) != std::string_view::npos; rest.remove_prefix(bar + 1)) {
    if (is(rest.substr(0, bar))) return true;
  }
  return is(rest);
}

// A whole number from 1 to kMaxSize, or 0 if the key is missing or negative; both mean that no size is given.
int32_t read_size(const JsonObject& object, const char* key) {
  const JsonValue* value = object.value(key);
  const bool is_number =
      value != nullptr && value->shape == JsonValue::Shape::kScalar && value->scalar.kind == JsonScalar::Kind::kNumber;
  const int32_t size = is_number && value->scalar.number < 0 ? 0 : object.integer(key, 0);
  // Above this, float32 no longer tells the logarithms of neighbouring distances apart.
  if (size > kMaxSize) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %d, allowed is at most %d", key, size, kMaxSize);
  }
  return size;
}

DistanceConfig read_disentangled(const JsonObject& object, int64_t max_position_embeddings) {
  if (object.integer("conv_kernel_size", 0) > 0) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "config: 'conv_kernel_size' is %d, but a convolution beside the first layer is not supported; choose a model "
         "without one",
         object.integer("conv_kernel_size", 0));
  }
  DistanceConfig config;
  config.to_places = has_type(object, "c2p");
  config.of_places = has_type(object, "p2c");
  config.score_terms = 1 + (config.to_places ? 1 : 0) + (config.of_places ? 1 : 0);
  config.has_norm = object.text("norm_rel_ebd", "none").find("layer_norm") != std::string::npos;
  if (!object.boolean("relative_attention", false)) return config;
  config.kind = Distances::kDisentangled;
  config.shares_keys = object.boolean("share_att_key", false);
  config.most = read_size(object, "max_relative_positions");
  if (config.most == 0) config.most = max_position_embeddings;
  const int32_t buckets = read_size(object, "position_buckets");
  config.span = config.most;
  if (buckets > 0) {
    config.buckets = buckets;
    config.span = buckets;
    const int64_t middle = buckets / 2;
    if (middle == 0 || (config.most - 1 <= middle && max_position_embeddings - 1 > middle)) {
      fail(LFFN_ERROR_BAD_MODEL,
           "config: 'position_buckets' is %d and 'max_relative_positions' %lld, which leaves no distance to share them",
           buckets, static_cast<long long>(config.most));
    }
  }
  config.rows = 2 * config.span;
  return config;
}

// Computed in float32, as in PyTorch: where a distance lies on the border of two buckets, PyTorch's rounding decides.
int64_t log_bucket(const DistanceConfig& config, int64_t distance) {
  const int64_t middle = config.buckets / 2;
  if (distance <= middle) return distance;
  const auto log32 = [](double x) { return static_cast<float>(std::log(static_cast<double>(static_cast<float>(x)))); };
  const auto divisor = static_cast<double>(middle);
  const float whole = log32(static_cast<double>(config.most - 1) / divisor);
  const float share = log32(static_cast<double>(distance) / divisor) / whole;
  return static_cast<int64_t>(std::ceil(share * static_cast<float>(middle - 1))) + middle;
}

std::vector<int64_t> first_of_logs(const DistanceConfig& config) {
  std::vector<int64_t> result;
  constexpr int64_t kBeyond = int64_t{1} << 32;  // farther than any sequence reaches
  int64_t known = 0;
  for (int64_t bucket = 0; bucket <= config.span; ++bucket) {
    int64_t low = known, high = kBeyond;
    if (config.most - 1 <= config.buckets / 2)
      low = std::min(bucket, kBeyond), high = low;  // each distance has its own bucket
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (log_bucket(config, middle) >= bucket) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    result.push_back(known = low);
  }
  return result;
}

}  // namespace

DistanceConfig read_distances(const JsonObject& object, const Family& family, int64_t max_position_embeddings) {
  if (family.distances == Distances::kBuckets) return read_buckets(object);
  if (family.distances == Distances::kDisentangled) return read_disentangled(object, max_position_embeddings);
  return {};
}

std::vector<int64_t> first_distances(const DistanceConfig& config) {
  std::vector<int64_t> result;
  if (config.kind == Distances::kBuckets) {
    for (int64_t n = 0; n < kMpnetExact; ++n) result.push_back(n);
    // Two buckets each time the distance doubles: bucket k begins where n^2 reaches 64 * 2^k.
    int64_t n = kMpnetExact;
    for (int k = 0; k < kMpnetDirection - kMpnetExact; ++k) {
      while (n * n < int64_t{kMpnetExact * kMpnetExact} << k) ++n;
      result.push_back(n);
    }
    return result;
  }
  if (config.buckets > 0) return first_of_logs(config);
  for (int64_t n = 0; n <= config.span; ++n) result.push_back(n);
  return result;
}

}  // namespace lffn
