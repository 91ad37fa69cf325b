// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/weights.h"

#include "format/file.h"
#include "layer/pack.h"

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

namespace {

struct Packer {
  const ModelLoadOptions& options;
  const Kernels& kernels;

  void operator()(const PartNames&, const FloatTensor& from, Floats& to) const {
    if (!from.empty()) to = Floats(*from.values);
  }
  void operator()(const PartNames&, const NormTensors& from, Norm& to) const {
    if (!from.empty()) to = Norm(from);
  }
  void operator()(const PartNames&, const LinearTensors& from, Linear& to) const {
    const RowBits bits = options.seven_bit_inputs ? RowBits::kSeven : RowBits::kEight;
    if (!from.empty()) to = Linear(from, options.linear_dtype, kernels, bits);
  }
  void operator()(const PartNames&, const WordTensors& from, WordMatrix& to) const {
    if (!from.empty()) to = WordMatrix(*from.words, from.scales, options.embedding_dtype);
  }
  void operator()(const PartNames&, const RowNumberTensor& from, RowNumbers& to) const {
    if (!from.empty()) to = RowNumbers(*from.values);
  }
  void operator()(const PartNames&, const WordRowTensors& from, WordRows& to) const {
    if (!from.empty()) to = WordRows(from, options.word_dtype);
  }
  void operator()(const PartNames& names, const LookupTensors& from, Lookup& to) const {
    if (!from.empty()) to = naming(names[0], [&] { return Lookup(from, options, kernels); });
  }
};

}  // namespace

Weights pack(const ModelTensors& tensors, const ModelConfig& config, const ModelLoadOptions& options,
             const Kernels& kernels) {
  Weights weights;
  weights.layers.resize(tensors.layers.size());
  weights.modules.resize(tensors.modules.size());
  weights.later_vectors.resize(tensors.later_vectors.size());
  weights.vector_residuals.resize(tensors.vector_residuals.size());
  visit_parts(config, Packer{options, kernels}, tensors, weights);
  return weights;
}

}  // namespace lffn
