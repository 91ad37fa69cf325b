// Packs a projection: folds the Hadamard matrix of a block's size and the decay into the blocks, and lays them in
// panels.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "layer/pack.h"
#include "runtime/error.h"

namespace lffn {
namespace {

int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

Memory read_all(const TensorView& tensor, int64_t count) {
  Memory memory(checked_product(static_cast<size_t>(count), sizeof(float)));
  read_floats(tensor, 0, count, memory.as<float>());
  return memory;
}

// block[out][in], of `size`, times the Hadamard matrix on its outputs, times `factor`.
void fold_block(const float* block, int64_t size, double factor, std::vector<double>& work, float* folded) {
  for (int64_t i = 0; i < size * size; ++i) work[static_cast<size_t>(i)] = block[i] * factor;
  for (int64_t step = 1; step < size; step *= 2) {
    for (int64_t o = 0; o < size; ++o) {
      if ((o & step) != 0) continue;
      double* low = work.data() + o * size;
      double* high = low + step * size;
      for (int64_t i = 0; i < size; ++i) {
        const double a = low[i], b = high[i];
        low[i] = a + b;
        high[i] = a - b;
      }
    }
  }
  for (int64_t i = 0; i < size * size; ++i) folded[i] = static_cast<float>(work[static_cast<size_t>(i)]);
}

// matrix[outputs][inputs] -> panels[outputs / panel][inputs][panel], outputs beyond the matrix zero.
void lay_panels(const float* matrix, int64_t outputs, int64_t inputs, int64_t panel, float* panels) {
  for (int64_t p = 0; p < outputs; p += panel) {
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t o = p; o < p + panel; ++o) *panels++ = o < outputs ? matrix[o * inputs + i] : 0.0f;
    }
  }
}

// All blocks of all factors, folded, in the tensor's own order.
Memory fold(const LayerConfig& config, const float* weights) {
  const int64_t size = config.block_size, factors = config.projection;
  const int64_t blocks = config.padded_size() / size;
  Memory folded(
      checked_product(static_cast<size_t>(config.num_chains() * factors * blocks * size * size), sizeof(float)));
  std::vector<double> work(static_cast<size_t>(size * size));
  int64_t block = 0;
  for (int64_t chain = 0; chain < config.num_chains(); ++chain) {
    for (int64_t factor = 0; factor < factors; ++factor) {
      const double scale = factor + 1 == factors ? static_cast<double>(config.decay_coeff) : 1.0;
      for (int64_t b = 0; b < blocks; ++b, ++block) {
        fold_block(weights + block * size * size, size, scale, work, folded.as<float>() + block * size * size);
      }
    }
  }
  return folded;
}

}  // namespace

PackedProjection pack_projection(const LayerConfig& config, const LayerTensors& tensors, int32_t hash_dtype) {
  PackedProjection packed;
  HashPlan& plan = packed.plan;
  const bool dense = config.projection == LFFN_PROJECTION_DENSE;
  plan.input_size = config.hidden_size;
  plan.width = dense ? config.hidden_size : config.padded_size();
  plan.num_hashes = config.num_hashes();
  plan.outputs = dense ? round_up(plan.num_hashes, kPanel) : plan.width;
  plan.num_tables = config.num_tables;
  plan.code_bits = config.code_bits();
  plan.num_probes = config.num_probes;
  plan.sigmoid = config.activation == LFFN_ACTIVATION_SIGMOID;
  plan.layer_norm = config.layer_norm;
  plan.eps = config.layer_norm_eps;
  plan.dense = dense;
  plan.chains = static_cast<int32_t>(dense ? 1 : config.num_chains());
  plan.factors = dense ? 1 : config.projection;
  plan.block = config.block_size;
  plan.keep = 1.0f - config.decay_coeff;
  plan.arithmetic = HashArithmetic::kF32;
  if (hash_dtype != LFFN_F32) fail(LFFN_ERROR_UNSUPPORTED, "hash_dtype: only LFFN_F32 is supported");

  if (config.layer_norm) {
    packed.norm = Memory(2 * sizeof(float) * static_cast<size_t>(config.hidden_size));
    float* norm = packed.norm.as<float>();
    read_floats(*tensors.norm_gain, 0, config.hidden_size, norm);
    read_floats(*tensors.norm_shift, 0, config.hidden_size, norm + config.hidden_size);
    plan.gain = norm;
    plan.shift = norm + config.hidden_size;
  }
  packed.bias = read_all(*tensors.hash_bias, plan.num_hashes);
  plan.bias = packed.bias.as<float>();

  int64_t count = 1;
  for (const int64_t size : projection_shape(config)) count *= size;
  packed.stored = read_all(*tensors.hash_weight, count);
  if (dense) {
    packed.weights = Memory(checked_product(static_cast<size_t>(plan.outputs * plan.width), sizeof(float)));
    lay_panels(packed.stored.as<float>(), plan.num_hashes, plan.width, kPanel, packed.weights.as<float>());
  } else {
    const Memory folded = fold(config, packed.stored.as<float>());
    packed.weights = Memory(folded.size());
    const int64_t size = plan.block, panel = std::min(size, kPanel);
    for (int64_t i = 0; i < count; i += size * size) {
      lay_panels(folded.as<float>() + i, size, size, panel, packed.weights.as<float>() + i);
    }
  }
  plan.weights = packed.weights.as<float>();
  return packed;
}

}  // namespace lffn
