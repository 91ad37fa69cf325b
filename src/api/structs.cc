// SPDX-License-Identifier: Apache-2.0
#include "api/structs.h"

#include "api/boundary.h"

namespace lffn {

LayerConfig read_config(const lffn_layer_config* config) {
  const lffn_layer_config given = read_struct(config, "config");
  check_reserved(given.reserved, "config.reserved");
  LayerConfig result;
  result.hidden_size = given.hidden_size;
  result.output_size = given.output_size == 0 ? given.hidden_size : given.output_size;
  result.num_tables = given.num_tables;
  result.table_size = given.table_size;
  result.projection = given.projection;
  result.block_size = given.block_size;
  result.activation = given.activation;
  result.num_probes = given.num_probes;
  result.layer_norm = given.layer_norm != 0;
  result.decay_coeff = given.decay_coeff;
  result.layer_norm_eps = given.layer_norm_eps;
  check_layer_config(result, LFFN_ERROR_INVALID_ARGUMENT);
  return result;
}

std::vector<FolderInMemory::File> read_files(const lffn_file* files, int64_t n_files) {
  check_count(n_files, "n_files");
  if (n_files > 0) need(files, "files");
  std::vector<FolderInMemory::File> result;
  for (int64_t i = 0; i < n_files; ++i) {
    const lffn_file file = read_element(files, i, "files");
    if (file.name == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "files[%lld].name is NULL", static_cast<long long>(i));
    if (file.data != nullptr && file.read != nullptr) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: data and read are given; the bytes come from one of them", file.name);
    }
    if (file.size > 0 && file.data == nullptr && file.read == nullptr) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: data is NULL", file.name);
    }
    result.push_back({file.name, file.data, file.size, file.read, file.read_user});
  }
  return result;
}

std::vector<TensorView> read_tensors(const lffn_tensor* tensors, int64_t count) {
  std::vector<TensorView> result;
  need(tensors, "tensors");
  for (int64_t i = 0; i < count; ++i) {
    const lffn_tensor tensor = read_element(tensors, i, "tensors");
    if (tensor.name == nullptr)
      fail(LFFN_ERROR_INVALID_ARGUMENT, "tensors[%lld].name is NULL", static_cast<long long>(i));
    const char* name = tensor.name;
    if (tensor.rank < 0 || tensor.rank > 8) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: rank %d, expected 0 to 8", name, tensor.rank);
    }
    TensorView view;
    view.name = name;
    switch (tensor.dtype) {
      case LFFN_DTYPE_F32:
        view.dtype = DType::kF32;
        break;
      case LFFN_DTYPE_F16:
        view.dtype = DType::kF16;
        break;
      case LFFN_DTYPE_BF16:
        view.dtype = DType::kBF16;
        break;
      case LFFN_DTYPE_INT8:
        view.dtype = DType::kI8;
        break;
      default:
        fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: dtype %d is not an LFFN_ element type", name, tensor.dtype);
    }
    size_t bytes = dtype_size(view.dtype);
    for (int32_t r = 0; r < tensor.rank; ++r) {
      if (tensor.shape[r] < 0 || __builtin_mul_overflow(bytes, static_cast<size_t>(tensor.shape[r]), &bytes)) {
        fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: shape[%d] is %lld, which is negative or too large", name, r,
             static_cast<long long>(tensor.shape[r]));
      }
      view.shape.push_back(tensor.shape[r]);
    }
    if (tensor.size != bytes) {
      fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: size is %zu bytes, but %s %s needs %zu", name, tensor.size,
           dtype_name(view.dtype), view.shape_text().c_str(), bytes);
    }
    if (tensor.data == nullptr && bytes > 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: data is NULL", name);
    for (const TensorView& other : result) {
      if (other.name == view.name) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: given twice", name);
    }
    view.data = static_cast<const uint8_t*>(tensor.data);
    view.size = tensor.size;
    result.push_back(std::move(view));
  }
  return result;
}

}  // namespace lffn
