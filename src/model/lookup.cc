// SPDX-License-Identifier: Apache-2.0
#include "model/lookup.h"

#include "layer/packed_bytes.h"

namespace lffn {

size_t Lookup::bytes_for(const LookupTensors& tensors, const LoadOptions& options, const Kernels& kernels) {
  const DType hash = tensors.tensors.folded_weight != nullptr ? DType::kI8 : DType::kF32;
  return packed_bytes(tensors.config, held_as(tensors.tensors.tables->dtype, options.table_dtype),
                      held_as(hash, options.hash_dtype), kernels);
}

void Lookup::add_stored(const PartNames& names, std::vector<TensorView>& tensors, std::vector<Memory>& memory) const {
  const std::string& own = names[0];
  const size_t first = tensors.size();
  layer_->add_stored(own, tensors, memory);
  for (size_t t = first; t < tensors.size(); ++t) {
    if (tensors[t].name == own + kNormGain) tensors[t].name = names[1] + ".weight";
    if (tensors[t].name == own + kNormShift) tensors[t].name = names[1] + ".bias";
  }
}

}  // namespace lffn
