// SPDX-License-Identifier: Apache-2.0
#include "model/heads/class_dense.h"

namespace lffn {

size_t place_class_dense(const ModelCore& model, int64_t rows, ScratchParts& parts) {
  return parts.place(model.weights().class_dense.empty() ? 0 : block_bytes(rows, model.config().hidden_size));
}

Rows through_class_dense(const Pass& pass, const Rows& in, int64_t rows, size_t place) {
  if (pass.weights.class_dense.empty()) return in;
  Linear::Call dense;
  dense.in = in;
  dense.rows = rows;
  dense.activation = pass.config.class_activation;
  dense.out = {pass.floats(place), row_stride(pass.d)};
  pass.weights.class_dense.run(pass.workers, dense);
  if (!pass.weights.class_norm.empty()) {
    pass.workers.kernels.normalise(pass.weights.class_norm.plan(), dense.out.data, dense.out.stride, rows,
                                   dense.out.data, dense.out.stride);
  }
  return dense.out;
}

}  // namespace lffn
