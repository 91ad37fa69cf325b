// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "layer/pack.h"
#include "layer/tensors.h"
#include "lookupffn/layer.h"
#include "runtime/memory.h"

namespace lffn {
namespace {

size_t bytes_of(int64_t numbers, size_t size) { return checked_product(static_cast<size_t>(numbers), size); }

int64_t weight_count(const LayerConfig& config) { return count_of(projection_shape(config)); }

size_t tables_bytes(const LayerConfig& config, int32_t dtype, const Kernels& kernels) {
  const int64_t unit = dtype == LFFN_DTYPE_F32 ? kColumnsF32 : dtype == LFFN_DTYPE_BF16 ? kColumnsBf16 : kColumnsInt8;
  const size_t element = dtype == LFFN_DTYPE_F32 ? 4 : dtype == LFFN_DTYPE_BF16 ? 2 : 1;
  const int64_t rows = int64_t{config.num_tables} * config.table_size;
  const int64_t most_columns = round_up(config.output_size, kSlabColumns);  // in slabs of any width
  return bytes_of(rows, static_cast<size_t>(round_up(config.output_size, unit)) * element) +
         row_scales_bytes(config, dtype, kernels) + picks_bytes(config, dtype, kernels) +
         bytes_of(most_columns, sizeof(float));
}

int64_t dense_outputs(const LayerConfig& config) { return round_up(config.num_hashes(), kPanel); }

size_t int8_projection_bytes(const LayerConfig& config, const Kernels& kernels) {
  constexpr int64_t kMostInBlock = 4096;  // of a dense projection's inputs
  const bool dense = config.projection == LFFN_PROJECTION_DENSE;
  const int64_t width = dense ? config.hidden_size : config.padded_size();
  const int64_t block = dense ? std::min(width, kMostInBlock) : config.block_size;
  const int64_t outputs = dense ? dense_outputs(config) : config.block_size;
  const int64_t blocks = (width + block - 1) / block;
  const int64_t factors = dense ? 1 : config.num_chains() * config.projection;
  const int64_t in_cell = kernels.hash_cell_inputs;
  const int64_t cells = blocks * ((block + in_cell - 1) / in_cell);
  const int64_t scales = dense ? outputs : weight_count(config) / block;
  return bytes_of(scales, sizeof(float)) +
         bytes_of(factors * outputs * cells,
                  (dense && !kernels.dense_tiles ? 0 : sizeof(int32_t)) + static_cast<size_t>(in_cell)) +
         bytes_of(factors * outputs * blocks, sizeof(int32_t));
}

size_t f32_projection_bytes(const LayerConfig& config) {
  const bool dense = config.projection == LFFN_PROJECTION_DENSE;
  return bytes_of(dense ? dense_outputs(config) * config.hidden_size : 2 * weight_count(config), sizeof(float));
}

}  // namespace

size_t packed_bytes(const LayerConfig& config, int32_t table_dtype, int32_t hash_dtype, const Kernels& kernels) {
  const bool dense = config.projection == LFFN_PROJECTION_DENSE;
  const int64_t floats =
      (config.layer_norm ? 2 * int64_t{config.hidden_size} : 0) + (dense ? dense_outputs(config) : config.num_hashes());
  return bytes_of(floats, sizeof(float)) + tables_bytes(config, table_dtype, kernels) +
         (hash_dtype == LFFN_DTYPE_INT8 ? int8_projection_bytes(config, kernels) : f32_projection_bytes(config));
}

size_t packing_bytes(const LayerConfig& config) {
  // The weight as it came and folded, both in float32; and one block in double.
  const int64_t block = config.projection == LFFN_PROJECTION_DENSE ? 0 : int64_t{config.block_size} * config.block_size;
  return bytes_of(weight_count(config), 2 * sizeof(float)) + bytes_of(block, sizeof(double));
}

}  // namespace lffn
