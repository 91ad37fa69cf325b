// The tensors of one layer, checked against its config.
#pragma once

#include <string>
#include <vector>

#include "format/layer_config.h"
#include "format/safetensors.h"
#include "lookupffn/lookupffn.h"

namespace lffn {

// The names in files. A quantised tensor brings its scales as a second one.
inline constexpr char kNormGain[] = "LayerNorm.weight";
inline constexpr char kNormShift[] = "LayerNorm.bias";
inline constexpr char kHashWeight[] = "hash.projection.weight";
inline constexpr char kFoldedWeight[] = "hash.projection.folded_weight";
inline constexpr char kFoldedScale[] = "hash.projection.folded_scale";
inline constexpr char kHashBias[] = "hash.projection.bias";
inline constexpr char kTables[] = "tables";
inline constexpr char kTablesScale[] = "tables.scale";
inline constexpr char kBias[] = "bias";

struct LayerTensors {
  const TensorView* norm_gain = nullptr;  // nullptr without layer norm
  const TensorView* norm_shift = nullptr;
  const TensorView* hash_weight = nullptr;    // either this
  const TensorView* folded_weight = nullptr;  // or these two
  const TensorView* folded_scale = nullptr;
  const TensorView* hash_bias = nullptr;
  const TensorView* tables = nullptr;
  const TensorView* tables_scale = nullptr;  // with I8 tables only
  const TensorView* bias = nullptr;
};

// Finds every tensor that the config needs, with exactly its shape, a type it may have and finite values; no other
// tensor may be there. `tensors` must outlive the result. Throws Error(status) that names the tensor.
LayerTensors check_tensors(const LayerConfig& config, const std::vector<TensorView>& tensors, lffn_status status);

// Fails unless the tensor has exactly this shape, one of these types and finite values.
void check_tensor(const TensorView& tensor, const std::vector<int64_t>& shape, const std::vector<DType>& dtypes,
                  lffn_status status);

// `count` elements from element `first` of a float tensor, as float32.
void read_floats(const TensorView& tensor, int64_t first, int64_t count, float* out);

// A row of `size` numbers as float32, whatever they are stored as; int8 ones times their row's scale, which only they
// have. Always finite.
void read_row(const TensorView& tensor, const TensorView* scales, int64_t row, int64_t size, float* out);

// The LFFN_ element type that a tensor's numbers are held as, where LFFN_DTYPE_AS_STORED or another is wanted.
int32_t held_as(DType stored, int32_t wanted);

// The product of a shape.
int64_t count_of(const std::vector<int64_t>& shape);

// The shape of a projection's weight for a config.
std::vector<int64_t> projection_shape(const LayerConfig& config);

float float_from_bf16(uint16_t bits);
uint16_t bf16_from_float(float value);  // to nearest, ties to even

}  // namespace lffn
