// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <algorithm>
#include <cmath>

#include "reference_math.h"

namespace draws {
namespace {

// Halves of each head are turned by a position's angles, which the families' own code rounds to float32.
void rotate(Numbers& x, int64_t heads, int64_t size, double theta) {
  const int64_t half = size / 2, width = heads * size;
  for (int64_t i = 0; i < half; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(size);
    const float frequency =
        1.0f / static_cast<float>(std::pow(static_cast<double>(static_cast<float>(theta)), double{exponent}));
    for (int64_t t = 0; t < static_cast<int64_t>(x.size()) / width; ++t) {
      const float angle = static_cast<float>(t) * frequency;
      const double c = std::cos(double{angle}), s = std::sin(double{angle});
      for (int64_t h = 0; h < heads; ++h) {
        double* const head = &x[at(t * width + h * size)];
        const double first = head[i], second = head[half + i];
        head[i] = first * c - second * s;
        head[half + i] = second * c + first * s;
      }
    }
  }
}

// Moves each number of a row by at most half a step, which is a share of the row's largest number.
template <typename Number>
void shake(std::vector<Number>& rows, int64_t size, double step, std::mt19937_64& noise) {
  std::uniform_real_distribution<double> share(-0.5, 0.5);
  for (size_t row = 0; row < rows.size(); row += at(size)) {
    double largest = 0;
    for (size_t i = 0; i < at(size); ++i) largest = std::max(largest, std::fabs(static_cast<double>(rows[row + i])));
    for (size_t i = 0; i < at(size); ++i) rows[row + i] += static_cast<Number>(share(noise) * step * largest);
  }
}

// MPNet's row of its table, for a key and a query before or behind it.
int64_t bucket(int64_t distance) {  // query - key
  const int64_t behind = distance < 0 ? 16 : 0, n = std::abs(distance);
  if (n < 8) return behind + n;
  const auto far = static_cast<int64_t>(std::floor(std::log2(static_cast<double>(n) / 8) * 2 + 1e-9));
  return behind + std::min<int64_t>(15, 8 + far);
}

}  // namespace

Numbers Reference::linear(const std::string& name, const Numbers& x, int64_t inputs) const {
  const std::string bias = name + ".bias";
  const Tensor& weight = m_.tensor(name + ".weight");
  const Tensor* const added = m_.has(bias) ? &m_.tensor(bias) : nullptr;
  if (weight_step_ == 0) return products(weight, added, x, inputs);
  Tensor off_weight = weight;
  shake(off_weight.values, inputs, weight_step_, noise_);
  Numbers off = x;
  shake(off, inputs, input_step_, noise_);
  return products(off_weight, added, off, inputs);
}

Numbers Reference::normed(const std::string& name, const Numbers& x, int64_t size) const {
  const Tensor& gain = m_.tensor(name + ".weight");
  Numbers y = x;
  for (int64_t r = 0; r < static_cast<int64_t>(x.size()); r += size) {
    double mean = 0, squares = 0;
    if (f_.norm_kind == NormKind::kLayer) {
      for (int64_t i = 0; i < size; ++i) mean += x[at(r + i)] / static_cast<double>(size);
    }
    for (int64_t i = 0; i < size; ++i) squares += std::pow(x[at(r + i)] - mean, 2) / static_cast<double>(size);
    const double scale = 1 / std::sqrt(squares + static_cast<double>(static_cast<float>(m_.eps)));
    for (int64_t i = 0; i < size; ++i) {
      const double factor = static_cast<double>(gain.values[at(i)]) + (f_.norm_kind == NormKind::kRmsPlusOne ? 1 : 0);
      y[at(r + i)] = (x[at(r + i)] - mean) * scale * factor;
      if (f_.norm_shift) y[at(r + i)] += static_cast<double>(m_.tensor(name + ".bias").values[at(i)]);
    }
  }
  return y;
}

Numbers Reference::embedded(const std::vector<int32_t>& ids, const std::vector<int32_t>& types) const {
  const int64_t e = m_.e;
  Numbers x(at(static_cast<int64_t>(ids.size()) * e));
  int64_t counted = 0;
  for (size_t t = 0; t < ids.size(); ++t) {
    const auto add_row = [&](const std::string& name, int64_t row, double factor) {
      const Tensor& table = m_.tensor(name + ".weight");
      for (int64_t i = 0; i < e; ++i) {
        x[t * at(e) + at(i)] += static_cast<double>(table.values[at(row * e + i)]) * factor;
      }
    };
    add_row(f_.words, ids[t], f_.scales_words ? std::sqrt(static_cast<double>(d())) : 1);
    if (m_.has(f_.places + ".weight")) {
      int64_t position = static_cast<int64_t>(t);
      // What is padding has the padding's position, and is not counted.
      if (f_.positions == Positions::kAfterPadding) position = ids[t] == m_.pad ? m_.pad : m_.pad + 1 + counted++;
      add_row(f_.places, position, 1);
    }
    if (m_.types > 0) add_row(f_.types, types.empty() ? 0 : types[t], 1);
  }
  const auto widened = [&] { return e != d() ? linear(f_.widener, x, e) : x; };
  if (f_.embedding_norm.empty()) return widened();
  if (f_.widening == Widening::kAfterNorm) {
    x = normed(f_.embedding_norm, x, e);
    return widened();
  }
  return normed(f_.embedding_norm, widened(), d());
}

// DeBERTa's row of its table of distances. Logarithms are float32's, as in the family's own code.
int64_t Reference::place(int64_t query, int64_t key) const {
  int64_t distance = query - key;
  const int64_t span = m_.buckets > 0 ? m_.buckets : m_.most_distance, middle = m_.buckets / 2;
  if (m_.buckets > 0 && std::abs(distance) > middle) {
    const auto most = static_cast<float>(static_cast<double>(m_.most_distance - 1) / static_cast<double>(middle));
    const float share = std::log(static_cast<float>(std::abs(distance)) / static_cast<float>(middle)) / std::log(most);
    const auto far = static_cast<int64_t>(std::ceil(share * static_cast<float>(middle - 1))) + middle;
    distance = distance < 0 ? -far : far;
  }
  return std::clamp<int64_t>(distance + span, 0, 2 * span - 1);
}

// Of all rows of the table, what queries or keys are multiplied with: [rows][heads * head_size].
Numbers Reference::place_rows(const std::string& layer, const std::string& own, const std::string& shared) const {
  const Tensor& table = m_.tensor("encoder.rel_embeddings.weight");
  Numbers rows(table.values.begin(), table.values.end());
  if (m_.norms_places) rows = normed("encoder.LayerNorm", rows, d());
  return linear(layer + (m_.shares_place_keys ? shared : "attention.self." + own), rows, d());
}

void Reference::add_places(const std::string& layer, const Numbers& query, const Numbers& key, int64_t head,
                           Numbers& scores) const {
  const int64_t a = m_.heads * m_.head_size, n = static_cast<int64_t>(query.size()) / a, first = head * m_.head_size;
  const auto product = [&](const Numbers& x, int64_t x_row, const Numbers& y, int64_t y_row) {
    double sum = 0;
    for (int64_t i = 0; i < m_.head_size; ++i) sum += x[at(x_row * a + first + i)] * y[at(y_row * a + first + i)];
    return sum;
  };
  if (m_.to_places) {
    const Numbers rows = place_rows(layer, "pos_key_proj", f_.key);
    for (int64_t q = 0; q < n; ++q) {
      for (int64_t k = 0; k < n; ++k) scores[at(q * n + k)] += product(query, q, rows, place(q, k));
    }
  }
  if (m_.of_places) {
    const Numbers rows = place_rows(layer, "pos_query_proj", f_.query);
    for (int64_t q = 0; q < n; ++q) {
      for (int64_t k = 0; k < n; ++k) scores[at(q * n + k)] += product(key, k, rows, place(q, k));
    }
  }
}

Numbers Reference::attention(const std::string& layer_name, const Layer& layer, const Numbers& x, bool) {
  const int64_t size = m_.head_size, a = m_.heads * size, kv = m_.key_heads * size;
  const int64_t n = static_cast<int64_t>(x.size()) / d();
  Numbers query, key, value;
  if (!f_.fused.empty()) {
    const Numbers all = linear(layer_name + f_.fused, x, d());
    query = columns(all, a + 2 * kv, 0, a);
    key = columns(all, a + 2 * kv, a, kv);
    value = columns(all, a + 2 * kv, a + kv, kv);
  } else {
    query = linear(layer_name + f_.query, x, d());
    key = linear(layer_name + f_.key, x, d());
    value = linear(layer_name + f_.value, x, d());
  }
  if (f_.norms_heads) {
    query = normed(layer_name + "self_attn.q_norm", query, size);
    key = normed(layer_name + "self_attn.k_norm", key, size);
  }
  if (f_.rotates) {
    rotate(query, m_.heads, size, layer.local ? m_.local_theta : m_.theta);
    rotate(key, m_.key_heads, size, layer.local ? m_.local_theta : m_.theta);
  }
  const bool half = !(m_.is_causal && f_.causal == 2);
  const int64_t reach = !layer.local ? n : half ? m_.window / 2 : m_.window - 1;
  Numbers sums(at(n * a)), scores(at(n * n));
  for (int64_t h = 0; h < m_.heads; ++h) {
    const int64_t kh = h / (m_.heads / m_.key_heads);
    for (int64_t q = 0; q < n; ++q) {
      for (int64_t k = 0; k < n; ++k) {
        double sum = 0;
        for (int64_t i = 0; i < size; ++i) sum += query[at(q * a + h * size + i)] * key[at(k * kv + kh * size + i)];
        scores[at(q * n + k)] = sum;
      }
    }
    if (f_.distances == Distances::kDisentangled) add_places(layer_name, query, key, h, scores);
    for (int64_t q = 0; q < n; ++q) {
      const int64_t first = std::max<int64_t>(0, q - reach);
      const int64_t last = m_.is_causal ? q : std::min(n - 1, q + reach);
      Numbers weights;
      double largest = -std::numeric_limits<double>::infinity(), total = 0;
      for (int64_t k = first; k <= last; ++k) {
        double score = scores[at(q * n + k)] / std::sqrt(m_.score_divisor);
        if (f_.distances == Distances::kBuckets) {
          const Tensor& table = m_.tensor("encoder.relative_attention_bias.weight");
          score += static_cast<double>(table.values[at(bucket(q - k) * m_.heads + h)]);
        }
        weights.push_back(score);
        largest = std::max(largest, score);
      }
      for (double& weight : weights) total += weight = std::exp(weight - largest);
      for (int64_t k = first; k <= last; ++k) {
        const double weight = weights[at(k - first)] / total;
        for (int64_t i = 0; i < size; ++i) {
          sums[at(q * a + h * size + i)] += weight * value[at(k * kv + kh * size + i)];
        }
      }
    }
  }
  return linear(layer_name + f_.out, sums, a);
}

Numbers Reference::lookup(const std::string& name, const Layer& layer, const Numbers& x) {
  const Tensor &weight = m_.tensor(name + "hash.projection.weight"), &bias = m_.tensor(name + "hash.projection.bias");
  const Tensor &tables = m_.tensor(name + "tables"), &shift = m_.tensor(name + "bias");
  const auto tau = static_cast<int64_t>(std::lround(std::log2(static_cast<double>(layer.table_size))));
  const int64_t hashes = layer.tables * tau;
  Numbers y;
  for (int64_t r = 0; r < static_cast<int64_t>(x.size()); r += d()) {
    Numbers u(x.begin() + r, x.begin() + r + d()), z;
    if (layer.chain_factors == 0) {
      z = products(weight, &bias, u, d());
    } else {
      const int64_t blocks = weight.shape[2], size = layer.block, padded = blocks * size;
      u.resize(at(padded));
      const float* block = weight.values.data();
      for (int64_t chain = 0; chain < weight.shape[0]; ++chain) {
        Numbers v = u;
        for (int64_t factor = 0; factor < layer.chain_factors; ++factor) {
          Numbers product(at(padded));
          for (int64_t b = 0; b < blocks; ++b) {
            for (int64_t o = 0; o < size; ++o, block += size)
              product[at(b * size + o)] = dot(&v[at(b * size)], block, size);
          }
          for (int64_t step = 1; step < padded; step *= 2) {  // the Hadamard transform
            for (int64_t i = 0; i < padded; ++i) {
              if ((i & step) != 0) continue;
              const double first = product[at(i)], second = product[at(i + step)];
              product[at(i)] = first + second;
              product[at(i + step)] = first - second;
            }
          }
          v = product;
        }
        for (int64_t i = 0; i < padded && static_cast<int64_t>(z.size()) < hashes; ++i) {
          z.push_back(0.7 * v[at(i)] + 0.3 * u[at(i)] + static_cast<double>(bias.values[z.size()]));
        }
      }
    }
    Numbers sum(shift.values.begin(), shift.values.end());
    for (int64_t t = 0; t < layer.tables; ++t) {
      int64_t code = 0;
      double magnitude = 0, share = 1;
      for (int64_t j = 0; j < tau; ++j) {
        const double value = z[at(t * tau + j)];
        code = 2 * code + (value > 0 ? 1 : 0);
        magnitude += std::fabs(value);
        share /= 1 + std::exp(-2 * std::fabs(value));
        nearest_ = std::min(nearest_, std::fabs(value));
      }
      const float* const row = &tables.values[at((t * layer.table_size + code) * d())];
      for (int64_t i = 0; i < d(); ++i) sum[at(i)] += magnitude * share * static_cast<double>(row[i]);
    }
    y.insert(y.end(), sum.begin(), sum.end());
  }
  return y;
}

Numbers Reference::feed_forward(const std::string& name, const Layer& layer, const Numbers& x) {
  if (layer.looks_up) return lookup(name + "FFN.", layer, x);
  Numbers up = linear(name + f_.up, x, d());
  if (f_.gate == Gate::kNone) return linear(name + f_.down, activated(m_.act, up), layer.neurons);
  Numbers second;
  if (f_.up_second.empty()) {
    second = columns(up, 2 * layer.neurons, layer.neurons, layer.neurons);
    up = columns(up, 2 * layer.neurons, 0, layer.neurons);
  } else {
    second = linear(name + f_.up_second, x, d());
  }
  if (f_.gate == Gate::kSecond) std::swap(up, second);
  up = activated(m_.act, up);
  for (size_t i = 0; i < up.size(); ++i) up[i] *= second[i];
  return linear(name + f_.down, up, layer.neurons);
}

Numbers Reference::hidden(const std::vector<int32_t>& ids, const std::vector<int32_t>& types) {
  if (m_.head == Head::kStatic) return {};
  Numbers x = embedded(ids, types);
  for (size_t i = 0; i < m_.layers.size(); ++i) {
    const std::string name = f_.layer + std::to_string(i) + ".";
    const auto norm = [&](const std::string& part, const Numbers& of) {
      return m_.has(name + part + ".weight") ? normed(name + part, of, d()) : of;
    };
    if (f_.norms == Norms::kAfter) {
      add(x, attention(name, m_.layers[i], x, i == 0));
      x = norm(f_.attention_norm, x);
      add(x, feed_forward(name, m_.layers[i], x));
      x = norm(f_.ffn_norm, x);
      continue;
    }
    Numbers part = attention(name, m_.layers[i], norm(f_.attention_norm, x), i == 0);
    add(x, f_.norms == Norms::kAround ? norm(f_.attention_result_norm, part) : part);
    part = feed_forward(name, m_.layers[i], norm(f_.ffn_norm, x));
    add(x, f_.norms == Norms::kAround ? norm(f_.ffn_result_norm, part) : part);
  }
  return f_.final_norm.empty() ? x : normed(f_.final_norm, x, d());
}

}  // namespace draws
