// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <algorithm>
#include <cmath>

namespace lffn::reference {
namespace {

void hadamard(std::vector<double>& y) {
  for (size_t step = 1; step < y.size(); step *= 2) {
    for (size_t i = 0; i < y.size(); ++i) {
      if ((i & step) != 0) continue;
      const double a = y[i], b = y[i + step];
      y[i] = a + b;
      y[i + step] = a - b;
    }
  }
}

std::vector<double> normalise(const LayerConfig& config, const Weights& weights, const float* x) {
  const size_t d = static_cast<size_t>(config.hidden_size);
  std::vector<double> u(x, x + d);
  if (!config.layer_norm) return u;
  double mean = 0, variance = 0;
  for (const double v : u) mean += v / static_cast<double>(d);
  for (const double v : u) variance += (v - mean) * (v - mean) / static_cast<double>(d);
  const double scale = 1 / std::sqrt(variance + static_cast<double>(config.layer_norm_eps));
  for (size_t i = 0; i < d; ++i) u[i] = (u[i] - mean) * scale * weights.gain[i] + weights.shift[i];
  return u;
}

}  // namespace

std::vector<double> hash(const LayerConfig& config, const Weights& weights, const float* x) {
  std::vector<double> u = normalise(config, weights, x);
  const size_t hashes = static_cast<size_t>(config.num_hashes());
  std::vector<double> z;
  if (config.projection == 0) {
    for (size_t c = 0; c < hashes; ++c) {
      double sum = weights.hash_bias[c];
      for (size_t i = 0; i < u.size(); ++i) sum += static_cast<double>(weights.projection[c * u.size() + i]) * u[i];
      z.push_back(sum);
    }
    return z;
  }
  const size_t n = static_cast<size_t>(config.padded_size()), size = static_cast<size_t>(config.block_size);
  u.resize(n);
  const float* block = weights.projection.data();
  const double a = static_cast<double>(config.decay_coeff);
  for (int64_t chain = 0; chain < config.num_chains(); ++chain) {
    std::vector<double> y = u;
    for (int factor = 0; factor < config.projection; ++factor) {
      std::vector<double> product(n);
      for (size_t b = 0; b < n / size; ++b, block += size * size) {
        for (size_t out = 0; out < size; ++out) {
          for (size_t in = 0; in < size; ++in) {
            product[b * size + out] += static_cast<double>(block[out * size + in]) * y[b * size + in];
          }
        }
      }
      hadamard(product);
      y = product;
    }
    for (size_t i = 0; i < n && z.size() < hashes; ++i) {
      z.push_back(a * y[i] + (1 - a) * u[i] + static_cast<double>(weights.hash_bias[z.size()]));
    }
  }
  return z;
}

uint32_t code(const double* z, int bits) {
  uint32_t result = 0;
  for (int j = 0; j < bits; ++j) result = 2 * result + (z[j] > 0 ? 1 : 0);
  return result;
}

double score(const LayerConfig& config, const double* z, uint32_t code) {
  const int bits = config.code_bits();
  double product = 0, log_sum = 0;
  for (int j = 0; j < bits; ++j) {
    product += (code >> (bits - 1 - j) & 1) != 0 ? z[j] : -z[j];
    log_sum += std::fabs(z[j]) + std::log1p(std::exp(-2 * std::fabs(z[j])));
  }
  const double weight = std::exp(product - log_sum);
  return config.activation == 0 ? weight * product : weight;
}

}  // namespace lffn::reference
