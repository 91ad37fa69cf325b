// SPDX-License-Identifier: Apache-2.0
#include "layer/layer.h"

#include <algorithm>

#include "format/file.h"
#include "format/stand_in.h"
#include "format/utf8.h"
#include "lookupffn/layer.h"
#include "runtime/error.h"
#include "runtime/threads.h"

namespace lffn {
namespace {

int32_t hash_dtype(const LayerTensors& tensors, const LoadOptions& options) {
  return held_as(tensors.folded_weight != nullptr ? DType::kI8 : DType::kF32, options.hash_dtype);
}

const std::string& metadata(const Safetensors& file, const char* key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) {
    fail(LFFN_ERROR_BAD_MODEL, "metadata: \"%s\" is missing; this is not a file of liblookupffn", key);
  }
  return found->second;
}

void expect(const Safetensors& file, const char* key, const char* value) {
  const std::string& found = metadata(file, key);
  if (found != value) {
    fail(LFFN_ERROR_BAD_MODEL, "metadata: \"%s\" is %s, expected '%s'", key, in_quotes(found).c_str(), value);
  }
}

}  // namespace

int32_t resolve_threads(const LoadOptions& options) {
  const int32_t usual = resolve_threads(options.num_threads, *options.executor);
  return options.most_threads == 0 ? usual : std::min(usual, options.most_threads);
}

Layer::Layer(const LayerConfig& config, const LayerTensors& tensors, const LoadOptions& options, const Kernels& kernels)
    : config_(config),
      kernels_(kernels),
      projection_(pack_projection(config, tensors, lffn::hash_dtype(tensors, options), kernels)),
      tables_(pack_tables(config, tensors, lffn::held_as(tensors.tables->dtype, options.table_dtype), kernels)),
      executor_(options.executor),
      num_threads_(resolve_threads(options)),
      flush_denormals_(options.flush_denormals) {}

int64_t Layer::stored_bytes() const {
  const int64_t rows = static_cast<int64_t>(config_.num_tables) * config_.table_size;
  const int64_t element = tables_.dtype == LFFN_DTYPE_F32 ? 4 : tables_.dtype == LFFN_DTYPE_BF16 ? 2 : 1;
  const int64_t scales = tables_.dtype == LFFN_DTYPE_INT8 ? rows * 4 : 0;
  const int64_t floats =
      (config_.layer_norm ? 2 * int64_t{config_.hidden_size} : 0) + config_.num_hashes() + config_.output_size;
  const std::vector<int64_t> shape = projection_shape(config_);
  const int64_t weights = count_of(shape);
  const bool is_int8 = projection_.plan.arithmetic == HashArithmetic::kInt8;
  const int64_t projection = is_int8 ? weights + weights / shape.back() * 4 : weights * 4;  // with a scale for each row
  return rows * config_.output_size * element + scales + floats * 4 + projection;
}

lffn_layer_info Layer::info() const {
  const int64_t rows = static_cast<int64_t>(config_.num_tables) * config_.table_size;
  const bool dense = config_.projection == LFFN_PROJECTION_DENSE;

  lffn_layer_info info = {};
  info.struct_size = sizeof info;
  info.hidden_size = config_.hidden_size;
  info.output_size = config_.output_size;
  info.num_tables = config_.num_tables;
  info.table_size = config_.table_size;
  info.code_bits = config_.code_bits();
  info.projection = config_.projection;
  info.block_size = dense ? 0 : config_.block_size;
  info.num_chains = dense ? 0 : static_cast<int32_t>(config_.num_chains());
  info.activation = config_.activation;
  info.num_probes = config_.num_probes;
  info.layer_norm = config_.layer_norm ? 1 : 0;
  info.decay_coeff = config_.decay_coeff;
  info.layer_norm_eps = config_.layer_norm_eps;
  info.table_dtype = tables_.dtype;
  info.hash_dtype = projection_.plan.arithmetic == HashArithmetic::kF32 ? LFFN_DTYPE_F32 : LFFN_DTYPE_INT8;
  info.num_threads = num_threads_;
  info.flop_per_token = config_.flop_per_token();
  info.num_parameters = count_of(projection_shape(config_)) + config_.num_hashes() + rows * config_.output_size +
                        config_.output_size + (config_.layer_norm ? 2 * int64_t{config_.hidden_size} : 0);
  info.file_bytes = static_cast<size_t>(stored_bytes());
  info.memory_bytes = projection_.bytes() + tables_.bytes();
  info.scratch_bytes = scratch_bytes(INT64_MAX);
  return info;
}

const std::string& stored_config(const Safetensors& file, const char* kind) {
  expect(file, "format", "lookupffn");
  expect(file, "format_version", "1");
  expect(file, "kind", kind);
  return metadata(file, "config");
}

std::unique_ptr<const Bytes> open_file(const std::string& path, const LoadOptions& options) {
  return open_given(
      path, [&] { return counted(std::make_unique<const FileReader>(path, options.map_file), options.progress); });
}

std::unique_ptr<const Bytes> borrow_bytes(const void* data, size_t size, const LoadOptions& options) {
  return counted(std::make_unique<const BorrowedBytes>(data, size), options.progress);
}

std::unique_ptr<const Layer> load_layer(const Bytes& bytes, const LoadOptions& options, const Kernels& kernels) {
  const Safetensors file = parse_safetensors(bytes);
  const LayerConfig config = parse_layer_config(stored_config(file, "layer"));
  return std::make_unique<const Layer>(config, check_tensors(config, file.tensors, LFFN_ERROR_BAD_MODEL), options,
                                       kernels);
}

}  // namespace lffn
