// SPDX-License-Identifier: Apache-2.0
// Packs a projection: folds the Hadamard matrix of a block's size and the decay into the blocks, and lays them in
// panels.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "layer/pack.h"
#include "lookupffn/layer.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// Which hash value this output of a dense projection is, or -1 for none: see HashPlan::outputs.
int64_t hash_of_output(const HashPlan& plan, int64_t output) {
  const int64_t bits = plan.code_bits, whole = plan.num_tables / kPanel * kPanel;
  const bool last = output >= whole * bits;
  const int64_t first = last ? whole : output / (kPanel * bits) * kPanel,
                tables = last ? plan.num_tables - whole : kPanel;
  const int64_t place = output - first * bits;
  return place < tables * bits ? (first + place % tables) * bits + place / tables : -1;
}

// One block: inputs whose products are summed in integers, with all outputs.
struct CellBlock {
  int64_t rows;      // where it begins in the file's order, and
  int64_t distance;  // how far apart its outputs are there
  int64_t inputs;
  int64_t tile, step;  // its first cell for tiles, and how many cells further the next outputs are
  int64_t token;       // its first number for one token
  int64_t start;       // the first of its outputs' starts
};

struct CellSizes {
  int64_t in_cell;  // inputs of a cell
  int64_t at_once;  // outputs that lie together for a tile, and
  int64_t panel;    // for one token
  int64_t factors, outputs, blocks;
  int64_t cells;      // of a whole block, for one output
  int64_t all_cells;  // of all blocks
};

CellSizes sizes_of(const HashPlan& plan, const Kernels& kernels) {
  CellSizes sizes = {};
  sizes.in_cell = kernels.hash_cell_inputs;
  sizes.outputs = plan.dense ? plan.outputs : plan.block;
  sizes.at_once = std::min<int64_t>(kernels.hash_outputs, sizes.outputs);
  sizes.panel = std::min(sizes.outputs, kPanel);
  sizes.factors = static_cast<int64_t>(plan.chains) * plan.factors;
  sizes.blocks = (plan.width + plan.block - 1) / plan.block;
  const auto cells_of = [&](int64_t inputs) { return (inputs + sizes.in_cell - 1) / sizes.in_cell; };
  sizes.cells = cells_of(plan.block);
  sizes.all_cells = (sizes.blocks - 1) * sizes.cells + cells_of(plan.width - (sizes.blocks - 1) * plan.block);
  return sizes;
}

template <typename Visit>
void for_blocks(const HashPlan& plan, const CellSizes& sizes, const Visit& visit) {
  for (int64_t f = 0; f < sizes.factors; ++f) {
    for (int64_t b = 0; b < sizes.blocks; ++b) {
      CellBlock block = {};
      const int64_t first = f * sizes.outputs * sizes.all_cells;
      block.inputs = std::min(plan.block, plan.width - b * plan.block);
      block.token = (first + b * sizes.cells * sizes.outputs) * sizes.in_cell;
      block.start = (f * sizes.blocks + b) * sizes.outputs;
      block.rows = plan.dense ? b * plan.block : block.start * plan.block;
      block.distance = plan.dense ? plan.width : plan.block;
      block.tile = first + b * sizes.cells * (plan.dense ? sizes.outputs : sizes.at_once);
      const int64_t in_row = plan.dense ? round_up(block.inputs, sizes.in_cell) / sizes.in_cell : sizes.all_cells;
      block.step = in_row * sizes.at_once;
      visit(block);
    }
  }
}

// Walks through [outputs / panel][cells][panel][in_cell] and calls each(place in the rows, or -1 beyond the block's,
// place in the panels). From one panel to the next there are `step` numbers.
template <typename Each>
void for_cells(const HashPlan& plan, const CellSizes& sizes, const CellBlock& block, int64_t panel, int64_t step,
               const Each& each) {
  for (int64_t p = 0, first = 0; p < sizes.outputs; p += panel, first += step) {
    int64_t numbers[kPanel], at = first;
    for (int64_t o = 0; o < panel; ++o) numbers[o] = plan.dense ? hash_of_output(plan, p + o) : p + o;
    for (int64_t i = 0; i < block.inputs; i += sizes.in_cell) {
      for (int64_t o = 0; o < panel; ++o) {
        for (int64_t j = i; j < i + sizes.in_cell; ++j, ++at) {
          each(numbers[o] >= 0 && j < block.inputs ? block.rows + numbers[o] * block.distance + j : -1, at);
        }
      }
    }
  }
}

// How many numbers one panel has for one token.
int64_t token_step(const CellBlock& block, const CellSizes& sizes) {
  return round_up(block.inputs, sizes.in_cell) * sizes.panel;
}

template <typename Number>
void lay_tile(const HashPlan& plan, const int8_t* rows, const CellBlock& block, const CellSizes& sizes, Number* tile) {
  Number* const to = tile + block.tile * sizes.in_cell;
  for_cells(plan, sizes, block, sizes.at_once, block.step * sizes.in_cell,
            [&](int64_t row, int64_t at) { to[at] = row < 0 ? Number{0} : static_cast<Number>(rows[row]); });
}

}  // namespace

void lay_cells(const int8_t* rows, const Kernels& kernels, PackedProjection& packed) {
  HashPlan& plan = packed.plan;
  const CellSizes sizes = sizes_of(plan, kernels);
  const auto cells = static_cast<size_t>(sizes.factors * sizes.outputs * sizes.all_cells);
  const size_t bytes = checked_product(cells, sizeof(int32_t));
  const bool tiles = !plan.dense || kernels.dense_tiles;
  if (tiles) packed.weights = Memory(bytes);
  packed.token_weights = Memory(bytes * static_cast<size_t>(sizes.in_cell) / sizeof(int32_t));
  const auto starts = static_cast<size_t>(sizes.factors * sizes.outputs * sizes.blocks);
  packed.starts = Memory(checked_product(starts, sizeof(int32_t)));
  std::fill_n(packed.starts.as<int32_t>(), starts, 0);
  plan.weight_cells = packed.weights.as<int32_t>();
  plan.token_weights = packed.token_weights.as<int8_t>();
  plan.starts = packed.starts.as<int32_t>();
  for_blocks(plan, sizes, [&](const CellBlock& block) {
    if (tiles && sizes.in_cell == 4) lay_tile(plan, rows, block, sizes, packed.weights.as<int8_t>());
    if (tiles && sizes.in_cell == 2) lay_tile(plan, rows, block, sizes, packed.weights.as<int16_t>());
    int8_t* const token = packed.token_weights.as<int8_t>() + block.token;
    for_cells(plan, sizes, block, sizes.panel, token_step(block, sizes),
              [&](int64_t row, int64_t at) { token[at] = row < 0 ? int8_t{0} : rows[row]; });
    for (int64_t o = 0; o < sizes.outputs; ++o) {
      const int64_t number = plan.dense ? hash_of_output(plan, o) : o;
      const int8_t* const row = rows + block.rows + std::max<int64_t>(number, 0) * block.distance;
      int64_t sum = 0;
      for (int64_t i = 0; number >= 0 && i < block.inputs; ++i) sum += row[i];
      // Only the last 32 bits, as in the sums that it is added to.
      packed.starts.as<int32_t>()[block.start + o] = static_cast<int32_t>(static_cast<uint32_t>(-128 * sum));
    }
  });
}

void lift_cells(const PackedProjection& packed, const Kernels& kernels, int8_t* rows) {
  const CellSizes sizes = sizes_of(packed.plan, kernels);
  for_blocks(packed.plan, sizes, [&](const CellBlock& block) {
    const int8_t* const token = packed.token_weights.as<int8_t>() + block.token;
    for_cells(packed.plan, sizes, block, sizes.panel, token_step(block, sizes), [&](int64_t row, int64_t at) {
      if (row >= 0) rows[row] = token[at];
    });
  });
}

namespace {

// For int8: how many inputs share a step, and how many inputs of a dense projection have their products summed in
// integers.
constexpr int64_t kStepRows = 64, kDenseInputs = 4096;

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

// matrix[hashes][inputs] -> panels[outputs / kPanel][inputs][kPanel], or back: calls what(place in the matrix, or -1,
// place in the panels).
template <typename What>
void for_dense(const HashPlan& plan, const What& what) {
  int64_t at = 0;
  for (int64_t p = 0; p < plan.outputs; p += kPanel) {
    int64_t hashes[kPanel];
    for (int64_t o = 0; o < kPanel; ++o) hashes[o] = hash_of_output(plan, p + o);
    for (int64_t i = 0; i < plan.width; ++i) {
      for (int64_t o = 0; o < kPanel; ++o, ++at) what(hashes[o] < 0 ? -1 : hashes[o] * plan.width + i, at);
    }
  }
}

// One number for each hash in the order of a dense projection's outputs, zero where there is none.
Memory lay_outputs(const HashPlan& plan, const float* values) {
  Memory memory(checked_product(static_cast<size_t>(plan.outputs), sizeof(float)));
  for (int64_t o = 0; o < plan.outputs; ++o) {
    const int64_t hash = hash_of_output(plan, o);
    memory.as<float>()[o] = hash < 0 ? 0.0f : values[hash];
  }
  return memory;
}

// block[outputs][inputs] -> panels[outputs / panel][inputs][panel]
void lay_block(const float* block, int64_t size, int64_t panel, float* panels) {
  for (int64_t p = 0; p < size; p += panel) {
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t o = p; o < p + panel; ++o) *panels++ = block[o * size + i];
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

// The folded weight in int8, one scale per row, from the file or rounded here; then as cells for the kernels.
void pack_int8(const LayerConfig& config, const LayerTensors& tensors, int64_t count, const Kernels& kernels,
               PackedProjection& packed) {
  HashPlan& plan = packed.plan;
  const int64_t inputs = plan.dense ? plan.width : plan.block;
  const int64_t rows = count / inputs;
  const Memory weight(static_cast<size_t>(count));
  packed.weight_scales = Memory(checked_product(static_cast<size_t>(rows), sizeof(float)));
  float* scales = packed.weight_scales.as<float>();
  if (tensors.folded_weight != nullptr) {
    tensors.folded_weight->read(0, static_cast<size_t>(count), weight.as<int8_t>());
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
    for (int64_t r = 0; r < rows; ++r) {
      scales[r] = quantise_row(values + r * inputs, inputs, weight.as<int8_t>() + r * inputs);
    }
  }
  plan.arithmetic = HashArithmetic::kInt8;
  if (plan.dense) plan.block = std::min(plan.width, kDenseInputs);
  plan.step_rows = plan.dense ? plan.block : std::min(std::max(plan.block, kStepRows), plan.width);
  if (plan.dense) packed.weight_scales = lay_outputs(plan, scales);
  plan.weight_scales = packed.weight_scales.as<float>();
  lay_cells(weight.as<int8_t>(), kernels, packed);
}

}  // namespace

PackedProjection pack_projection(const LayerConfig& config, const LayerTensors& tensors, int32_t hash_dtype,
                                 const Kernels& kernels) {
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
    plan.norm = {config.hidden_size, config.layer_norm_eps, norm, norm + config.hidden_size};
  }
  packed.bias = read_all(*tensors.hash_bias, plan.num_hashes);
  if (dense) packed.bias = lay_outputs(plan, packed.bias.as<float>());
  plan.bias = packed.bias.as<float>();

  const int64_t count = count_of(projection_shape(config));
  if (hash_dtype == LFFN_DTYPE_INT8) {
    pack_int8(config, tensors, count, kernels, packed);
    return packed;
  }
  if (tensors.hash_weight == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "hash_dtype: this file holds an int8 hash only; load it as LFFN_DTYPE_INT8, or quantise again from a float32 "
         "file");
  }
  plan.arithmetic = HashArithmetic::kF32;
  Memory weight = read_all(*tensors.hash_weight, count);
  if (dense) {
    packed.weights = Memory(checked_product(static_cast<size_t>(plan.outputs * plan.width), sizeof(float)));
    for_dense(plan, [&](int64_t number, int64_t at) {
      packed.weights.as<float>()[at] = number < 0 ? 0.0f : weight.as<float>()[number];
    });
  } else {
    const Memory folded = fold(config, weight.as<float>());
    packed.weights = Memory(folded.size());
    const int64_t size = plan.block, panel = std::min(size, kPanel);
    for (int64_t i = 0; i < count; i += size * size) {
      lay_block(folded.as<float>() + i, size, panel, packed.weights.as<float>() + i);
    }
    packed.unfolded = std::move(weight);
  }
  plan.weights = packed.weights.as<float>();
  return packed;
}

Memory restored_weight(const LayerConfig& config, const PackedProjection& packed, const Kernels& kernels) {
  const HashPlan& plan = packed.plan;
  const auto count = static_cast<size_t>(count_of(projection_shape(config)));
  if (plan.arithmetic == HashArithmetic::kInt8) {
    Memory rows(count);
    lift_cells(packed, kernels, rows.as<int8_t>());
    return rows;
  }
  Memory rows(checked_product(count, sizeof(float)));
  for_dense(plan, [&](int64_t number, int64_t at) {
    if (number >= 0) rows.as<float>()[number] = packed.weights.as<float>()[at];
  });
  return rows;
}

Memory restored_hashes(const HashPlan& plan, const float* outputs) {
  Memory values(checked_product(static_cast<size_t>(plan.num_hashes), sizeof(float)));
  for (int64_t o = 0; o < plan.outputs; ++o) {
    if (const int64_t hash = hash_of_output(plan, o); hash >= 0) values.as<float>()[hash] = outputs[o];
  }
  return values;
}

}  // namespace lffn
