// SPDX-License-Identifier: Apache-2.0
// Weights as the kernels read them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/layer_config.h"
#include "kernels/kernels.h"
#include "layer/tensors.h"
#include "runtime/memory.h"

namespace lffn {

// The layer norm and the projection, with the plan that points into them.
struct PackedProjection {
  HashPlan plan = {};
  Memory norm;           // gain, then shift
  Memory bias;           // of the hash values
  Memory weights;        // panels of floats, or int8 cells
  Memory token_weights;  // int8 only
  Memory weight_scales;  // int8 only
  Memory starts;         // int8 only
  Memory unfolded;       // blocks of float32 only: the weight as it came, which folded blocks cannot give back exactly

  size_t bytes() const {
    return norm.size() + bias.size() + weights.size() + token_weights.size() + weight_scales.size() + starts.size() +
           unfolded.size();
  }
};
PackedProjection pack_projection(const LayerConfig& config, const LayerTensors& tensors, int32_t hash_dtype,
                                 const Kernels& kernels);
// The weight as save writes it, float32 or the folded int8, every bit as it was read. Not for a weight that is held
// unfolded.
Memory restored_weight(const LayerConfig& config, const PackedProjection& packed, const Kernels& kernels);
// For a dense projection: turns one number for each output into one for each hash, in the order of files.
Memory restored_hashes(const HashPlan& plan, const float* outputs);

// The tables: [table][row][column], in float32 cut into slabs of columns: [slab][table][row][column of the slab].
struct PackedTables {
  static constexpr int32_t kPeriod = 64;  // columns after which positions repeat

  int32_t dtype = LFFN_DTYPE_F32;
  int32_t num_tables = 0, table_size = 0, output_size = 0;
  int32_t slab_columns = 0;  // of every slab but the last, which may be narrower; padded
  int32_t num_slabs = 0;
  int32_t (*int8_position)(int32_t column) = nullptr;  // the kernels'
  std::array<int32_t, kPeriod> positions = {};         // of the first columns
  Memory rows;
  Memory picks;       // int8, small tables: the same numbers as gather_picked wants them; else nothing
  Memory row_scales;  // int8: [table][row]
  Memory bias;        // padded to whole slabs

  int32_t columns(int32_t slab) const;  // padded
  int64_t row_bytes(int32_t slab) const;
  int64_t table_bytes(int32_t slab) const { return row_bytes(slab) * table_size; }
  const uint8_t* slab_rows(int32_t slab) const;
  // Where one of the first kPeriod columns of a slab lies in the slab's row, in elements.
  int32_t position(int32_t column) const;
  // Row `row` of table `table` as the file has it: output_size elements of the dtype.
  void unpack_row(int32_t table, int32_t row, void* out) const;
  void put_picks(int32_t table, int32_t row, const int8_t* from);
  // Where the bytes of the columns from `column` on begin in picks, `column` a multiple of kPanel.
  int64_t picked_offset(int64_t column) const;
  // copy(element, column) for each element of a row.
  template <typename Element, typename Copy>
  void for_row(int32_t table, int32_t row, Copy&& copy) const;

  size_t bytes() const { return rows.size() + picks.size() + row_scales.size() + bias.size(); }
};
// Bytes of PackedTables::picks and row_scales.
size_t picks_bytes(const LayerConfig& config, int32_t table_dtype, const Kernels& kernels);
size_t row_scales_bytes(const LayerConfig& config, int32_t table_dtype, const Kernels& kernels);
PackedTables pack_tables(const LayerConfig& config, const LayerTensors& tensors, int32_t table_dtype,
                         const Kernels& kernels);

// Lays an int8 projection in cells, as the kernels read it: fills weights, token_weights and starts, and the plan's
// pointers to them. `rows` is the folded weight as files have it; the plan's sizes and flags must be there.
void lay_cells(const int8_t* rows, const Kernels& kernels, PackedProjection& packed);

// Turns the cells back into rows, every byte as it was.
void lift_cells(const PackedProjection& packed, const Kernels& kernels, int8_t* rows);

// How much memory a layer takes, computed from its shape alone: what pack_projection and pack_tables allocate, or a few
// hundred bytes more; a test compares them. The types are those that the weights will have in memory.
size_t packed_bytes(const LayerConfig& config, int32_t table_dtype, int32_t hash_dtype, const Kernels& kernels);

// What packing takes beyond that, for a while.
size_t packing_bytes(const LayerConfig& config);

}  // namespace lffn
