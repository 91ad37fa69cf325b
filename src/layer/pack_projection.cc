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

// matrix[outputs][inputs] -> panels[outputs / panel][pairs of inputs][panel][2], what is beyond the matrix zero. From
// one panel to the next there are `distance` numbers.
template <typename Number>
void lay_pairs(const int8_t* matrix, int64_t outputs, int64_t inputs, int64_t panel, int64_t distance, Number* panels) {
  for (int64_t p = 0; p < outputs; p += panel, panels += distance) {
    Number* to = panels;
    for (int64_t i = 0; i < inputs; i += 2) {
      for (int64_t o = p; o < p + panel; ++o) {
        *to++ = o < outputs ? matrix[o * inputs + i] : Number{0};
        *to++ = o < outputs && i + 1 < inputs ? matrix[o * inputs + i + 1] : Number{0};
      }
    }
  }
}

// The folded weight in int8, one scale per row, from the file or rounded here; then as pairs for the kernels.
void pack_int8(const LayerConfig& config, const LayerTensors& tensors, int64_t count, PackedProjection& packed) {
  HashPlan& plan = packed.plan;
  const int64_t inputs = plan.dense ? plan.width : plan.block;
  const int64_t rows = count / inputs;
  const int64_t padded_rows = plan.dense ? plan.outputs : rows;
  packed.stored = Memory(static_cast<size_t>(count));
  packed.weight_scales = Memory(checked_product(static_cast<size_t>(padded_rows), sizeof(float)));
  int8_t* stored = packed.stored.as<int8_t>();
  float* scales = packed.weight_scales.as<float>();
  std::fill(scales, scales + padded_rows, 0.0f);
  if (tensors.folded_weight != nullptr) {
    tensors.folded_weight->read(0, static_cast<size_t>(count), stored);
    read_floats(*tensors.folded_scale, 0, rows, scales);
  } else {
    const Memory weights = read_all(*tensors.hash_weight, count);
    const Memory folded = plan.dense ? Memory() : fold(config, weights.as<float>());
    const float* values = plan.dense ? weights.as<float>() : folded.as<float>();
    // Finite weights may overflow when the Hadamard matrix is multiplied in.
    if (!std::all_of(values, values + count, [](float value) { return std::isfinite(value); })) {
      fail(LFFN_ERROR_BAD_MODEL,
           "hash.projection.weight: its values are too large to hold as int8; load it as float32");
    }
    for (int64_t r = 0; r < rows; ++r) scales[r] = quantise_row(values + r * inputs, inputs, stored + r * inputs);
  }

  // Sums of products stay within int32 whatever the weights.
  plan.steps = static_cast<float>(std::min<int64_t>(8191, INT32_MAX / (128 * inputs)));
  plan.arithmetic = HashArithmetic::kInt8;
  const int64_t pairs = (inputs + 1) / 2, panel = plan.dense ? kPanel : std::min(plan.block, kPanel);
  const size_t numbers = checked_product(static_cast<size_t>(padded_rows * pairs), 2);
  packed.weights = Memory(checked_product(numbers, sizeof(int16_t)));
  packed.token_weights = Memory(numbers);
  int16_t* weights = packed.weights.as<int16_t>();
  int8_t* token_weights = packed.token_weights.as<int8_t>();
  // A token takes one block after another; a tile takes the first panel of each, then the second.
  const int64_t blocks = plan.dense ? 1 : plan.width / plan.block, block_rows = plan.dense ? rows : plan.block;
  const int64_t numbers_of_panel = panel * pairs * 2, panels = round_up(block_rows, panel) / panel;
  for (int64_t r = 0, block = 0; r < rows; r += block_rows, ++block) {
    const int64_t first_panel = block / blocks * blocks * panels + block % blocks;
    lay_pairs(stored + r * inputs, block_rows, inputs, panel, blocks * numbers_of_panel,
              weights + first_panel * numbers_of_panel);
    lay_pairs(stored + r * inputs, block_rows, inputs, panel, numbers_of_panel,
              token_weights + block * panels * numbers_of_panel);
  }
  plan.weights_int8 = weights;
  plan.weights_token = token_weights;
  plan.weight_scales = scales;
}

}  // namespace

float quantise_row(const float* values, int64_t size, int8_t* out) {
  float largest = 0;
  for (int64_t i = 0; i < size; ++i) largest = std::max(largest, std::fabs(values[i]));
  const float scale = largest / 127.0f;
  for (int64_t i = 0; i < size; ++i) {
    const float steps = scale > 0 ? std::nearbyint(values[i] / scale) : 0.0f;
    out[i] = static_cast<int8_t>(std::clamp(steps, -127.0f, 127.0f));
  }
  return scale;
}

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
  if (hash_dtype == LFFN_INT8) {
    pack_int8(config, tensors, count, packed);
    return packed;
  }
  if (tensors.hash_weight == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "hash_dtype: this file holds an int8 hash only; load it as LFFN_INT8, or quantise again from a float32 file");
  }
  plan.arithmetic = HashArithmetic::kF32;
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
