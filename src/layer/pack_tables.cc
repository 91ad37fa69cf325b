// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "layer/pack.h"
#include "runtime/cpu.h"

namespace lffn {
namespace {

int32_t columns_unit(int32_t dtype) {
  return dtype == LFFN_DTYPE_F32 ? kColumnsF32 : dtype == LFFN_DTYPE_BF16 ? kColumnsBf16 : kColumnsInt8;
}

int64_t element_bytes(int32_t dtype) { return dtype == LFFN_DTYPE_F32 ? 4 : dtype == LFFN_DTYPE_BF16 ? 2 : 1; }

// Float32 rows are cut so that a few tables' slabs fit into half the L2 cache; wide slabs cost less per row. Smaller
// elements' rows stay whole.
int32_t choose_columns(const LayerConfig& config, int32_t dtype) {
  const int32_t whole = round_up(config.output_size, columns_unit(dtype));
  if (dtype != LFFN_DTYPE_F32) return whole;
  const int32_t widest = std::min(static_cast<int32_t>(kSlabColumns), whole);
  const int64_t column_bytes = kEntryGroup * int64_t{config.table_size} * element_bytes(dtype);
  for (int32_t columns = kSlabColumns; columns >= kColumnsF32; columns /= 2) {
    if (columns * column_bytes <= static_cast<int64_t>(cache_sizes().l2) / 2) return std::min(columns, widest);
  }
  return widest;
}

}  // namespace

int32_t PackedTables::columns(int32_t slab) const {
  return std::min(slab_columns, round_up(output_size - slab * slab_columns, columns_unit(dtype)));
}

int64_t PackedTables::row_bytes(int32_t slab) const { return columns(slab) * element_bytes(dtype); }

const uint8_t* PackedTables::slab_rows(int32_t slab) const {
  const int64_t whole = static_cast<int64_t>(slab_columns) * element_bytes(dtype) * table_size * num_tables;
  return rows.as<uint8_t>() + slab * whole;
}

int32_t PackedTables::position(int32_t column) const {
  if (dtype == LFFN_DTYPE_F32) return column;
  if (dtype == LFFN_DTYPE_INT8) return int8_position(column);
  // bf16: a cell of 32 bits holds column i in its lower and i + 16 in its upper half, so that unpacking needs no
  // shuffle.
  const int32_t within = column % 32;
  return column - within + (within % 16) * 2 + within / 16;
}

size_t picks_bytes(const LayerConfig& config, int32_t table_dtype, const Kernels& kernels) {
  const bool picked = kernels.gather_picked != nullptr && table_dtype == LFFN_DTYPE_INT8 && config.num_probes == 1 &&
                      config.table_size <= kPickRows && config.num_tables <= kTablesInt8;
  if (!picked) return 0;
  return checked_product(static_cast<size_t>(round_up(config.output_size, kPanel)),
                         static_cast<size_t>(round_up(config.num_tables, kEntryGroup)) * kPickRows);
}

size_t row_scales_bytes(const LayerConfig& config, int32_t table_dtype, const Kernels& kernels) {
  if (table_dtype != LFFN_DTYPE_INT8) return 0;
  const size_t rows = checked_product(static_cast<size_t>(config.num_tables), static_cast<size_t>(config.table_size));
  // Room to read a whole register from where any table begins.
  const size_t room = picks_bytes(config, table_dtype, kernels) > 0 ? kPickRows : 0;
  return checked_product(rows + room, sizeof(float));
}

int64_t PackedTables::picked_offset(int64_t column) const {
  return column * round_up(num_tables, kEntryGroup) * kPickRows;
}

// Copies a row of output_size elements to or from the slabs.
template <typename Element, typename Copy>
void PackedTables::for_row(int32_t table, int32_t row, Copy&& copy) const {
  for (int32_t slab = 0; slab < num_slabs; ++slab) {
    Element* at = reinterpret_cast<Element*>(rows.as<uint8_t>() + (slab_rows(slab) - rows.as<uint8_t>()) +
                                             table * table_bytes(slab) + row * row_bytes(slab));
    const int32_t first = slab * slab_columns;
    const int32_t count = std::min(slab_columns, output_size - first);
    for (int32_t c = 0; c < count; ++c) {
      copy(at[c / kPeriod * kPeriod + positions[static_cast<size_t>(c % kPeriod)]], first + c);
    }
  }
}

void PackedTables::unpack_row(int32_t table, int32_t row, void* out) const {
  const auto copy = [&](auto* to) {
    using Element = std::remove_pointer_t<decltype(to)>;
    for_row<Element>(table, row, [&](Element& element, int32_t column) { to[column] = element; });
  };
  switch (dtype) {
    case LFFN_DTYPE_F32:
      return copy(static_cast<float*>(out));
    case LFFN_DTYPE_BF16:
      return copy(static_cast<uint16_t*>(out));
    default:
      return copy(static_cast<int8_t*>(out));
  }
}

void PackedTables::put_picks(int32_t table, int32_t row, const int8_t* from) {
  const int32_t group = table / kEntryGroup, place = table % kEntryGroup * kPickRows + row;
  for (int32_t c = 0; c < output_size; c += kPickColumns) {
    int8_t* to = picks.as<int8_t>() + picked_offset(c) + group * kPickColumns * kEntryGroup * kPickRows + place;
    for (int32_t i = c; i < std::min(c + kPickColumns, output_size); ++i, to += kEntryGroup * kPickRows) *to = from[i];
  }
}

PackedTables pack_tables(const LayerConfig& config, const LayerTensors& tensors, int32_t table_dtype,
                         const Kernels& kernels) {
  PackedTables packed;
  packed.dtype = table_dtype;
  packed.num_tables = config.num_tables;
  packed.table_size = config.table_size;
  packed.output_size = config.output_size;
  packed.slab_columns = choose_columns(config, table_dtype);
  packed.num_slabs = (config.output_size + packed.slab_columns - 1) / packed.slab_columns;
  packed.int8_position = kernels.int8_position;
  for (int32_t c = 0; c < PackedTables::kPeriod; ++c) packed.positions[static_cast<size_t>(c)] = packed.position(c);

  packed.bias = Memory(sizeof(float) * static_cast<size_t>(packed.num_slabs * packed.slab_columns));
  std::memset(packed.bias.data(), 0, packed.bias.size());
  read_floats(*tensors.bias, 0, config.output_size, packed.bias.as<float>());

  size_t total = 0;
  for (int32_t slab = 0; slab < packed.num_slabs; ++slab) {
    total += checked_product(static_cast<size_t>(packed.table_bytes(slab)), static_cast<size_t>(config.num_tables));
  }
  packed.rows = Memory(total);
  std::memset(packed.rows.data(), 0, total);
  const int64_t size = config.output_size;
  if (table_dtype == LFFN_DTYPE_INT8) {
    const size_t picks = picks_bytes(config, table_dtype, kernels);
    packed.picks = Memory(picks);
    if (picks > 0) std::memset(packed.picks.data(), 0, picks);
    packed.row_scales = Memory(row_scales_bytes(config, table_dtype, kernels));
  }
  std::vector<float> row(static_cast<size_t>(size));
  std::vector<int8_t> quantised(static_cast<size_t>(size));
  for (int32_t k = 0; k < config.num_tables; ++k) {
    for (int32_t r = 0; r < config.table_size; ++r) {
      const int64_t index = static_cast<int64_t>(k) * config.table_size + r;
      if (table_dtype == LFFN_DTYPE_INT8) {
        packed.row_scales.as<float>()[index] =
            read_int8_row(*tensors.tables, tensors.tables_scale, index, size, row.data(), quantised.data());
        packed.for_row<int8_t>(k, r, [&](int8_t& to, int32_t c) { to = quantised[static_cast<size_t>(c)]; });
        if (packed.picks.size() > 0) packed.put_picks(k, r, quantised.data());
        continue;
      }
      read_row(*tensors.tables, tensors.tables_scale, index, size, row.data());
      if (table_dtype == LFFN_DTYPE_F32) {
        packed.for_row<float>(k, r, [&](float& to, int32_t c) { to = row[static_cast<size_t>(c)]; });
      } else {
        packed.for_row<uint16_t>(k, r,
                                 [&](uint16_t& to, int32_t c) { to = bf16_from_float(row[static_cast<size_t>(c)]); });
      }
    }
  }
  return packed;
}

}  // namespace lffn
