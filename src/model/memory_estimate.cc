// SPDX-License-Identifier: Apache-2.0
#include "model/memory_estimate.h"

#include <algorithm>

#include "layer/pack.h"
#include "model/encoder/places.h"
#include "model/encoder/rotary.h"

namespace lffn {
namespace {

// Adds up the bytes of all parts, and the working memory while one is packed.
class EstimateSum {
 public:
  EstimateSum(const ModelLoadOptions& options, const Kernels& kernels) : options_(options), kernels_(kernels) {}

  void operator()(const PartNames&, const FloatTensor& part) {
    if (!part.empty()) add(Floats::bytes_for(part.values->shape));
  }
  void operator()(const PartNames&, const NormTensors& part) {
    if (!part.empty()) add(Norm::bytes_for(part));
  }
  void operator()(const PartNames&, const LinearTensors& part) {
    if (part.empty()) return;
    const int32_t dtype = Linear::dtype_of(part, options_.linear_dtype);
    add(Linear::bytes_for(part.inputs, part.outputs, dtype));
    work(
        checked_product(static_cast<size_t>(part.inputs), (dtype == LFFN_DTYPE_BF16 ? 2 : 1) * kPanel * sizeof(float)));
  }
  void operator()(const PartNames&, const WordTensors& part) {
    if (part.empty()) return;
    const std::vector<int64_t>& shape = part.words->shape;
    add(WordMatrix::bytes_for(shape[0], shape[1], held_as(part.words->dtype, options_.embedding_dtype)));
    work(checked_product(static_cast<size_t>(shape[1]), sizeof(float) + 1));
  }
  void operator()(const PartNames&, const RowNumberTensor& part) {
    if (!part.empty()) add(RowNumbers::bytes_for(*part.values));
  }
  void operator()(const PartNames&, const WordRowTensors& part) {
    if (part.empty()) return;
    add(WordRows::bytes_for(part, options_.word_dtype));
    work(checked_product(static_cast<size_t>(part.size), sizeof(float) + 1));
  }
  void operator()(const PartNames&, const LookupTensors& part) {
    if (part.empty()) return;
    add(Lookup::bytes_for(part, options_, kernels_));
    work(packing_bytes(part.config));
  }

  void add(size_t bytes) { weights_ = plus(weights_, bytes); }

  size_t weights() const { return weights_; }
  size_t loading() const { return plus(weights_, work_); }

 private:
  static size_t plus(size_t a, size_t b) {
    if (__builtin_add_overflow(a, b, &a)) throw std::bad_alloc();
    return a;
  }
  void work(size_t bytes) { work_ = std::max(work_, bytes); }

  const ModelLoadOptions& options_;
  const Kernels& kernels_;
  size_t weights_ = 0;
  size_t work_ = size_t{1} << 20;  // windows into files, and rows in transit
};

}  // namespace

MemoryEstimate estimate_memory(const ModelConfig& config, const ModelTensors& tensors, const ModelLoadOptions& options,
                               const Kernels& kernels) {
  EstimateSum sum(options, kernels);
  visit_parts(config, sum, tensors);
  sum.add(Places::bytes_for(config));
  sum.add(Rotations::bytes_for(config));
  return {sum.weights(), sum.loading()};
}

}  // namespace lffn
