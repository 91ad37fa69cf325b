// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file, and any text in it as a config.
#include <cstdint>
#include <cstring>

#include "format/layer_config.h"
#include "format/safetensors.h"
#include "format/utf8.h"
#include "runtime/error.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void check_tensors(const lffn::Safetensors& file, const uint8_t* data, size_t size) {
  const uint8_t* expected = file.tensors.empty() ? nullptr : file.tensors[0].data;
  for (const lffn::TensorView& tensor : file.tensors) {
    require(tensor.data == expected, "tensors lie side by side");
    expected = tensor.data + tensor.size;
    size_t bytes = lffn::dtype_size(tensor.dtype);
    for (const int64_t dimension : tensor.shape) bytes *= static_cast<size_t>(dimension);
    require(bytes == tensor.size, "a shape says how many bytes there are");
    require(lffn::valid_utf8_length(tensor.name) == tensor.name.size(), "a name is UTF-8");
    require(file.find(tensor.name) == &tensor, "a name is there once");
  }
  require(file.tensors.empty() || expected == data + size, "the last tensor ends the file");
}

void check_config(const std::string& text) {
  try {
    const lffn::LayerConfig config = lffn::parse_layer_config(text);
    const std::string written = lffn::layer_config_to_json(config);
    require(lffn::layer_config_to_json(lffn::parse_layer_config(written)) == written, "a config reads back");
    require(config.flop_per_token() > 0 && config.num_chains() > 0, "derived sizes do not overflow");
  } catch (const lffn::Error& error) {
    require(error.status() == LFFN_ERROR_BAD_MODEL, "a bad config is a bad model");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const lffn::Safetensors file = lffn::parse_safetensors(data, size);
    check_tensors(file, data, size);
    for (const auto& [key, value] : file.metadata) {
      require(lffn::valid_utf8_length(value) == value.size(), "metadata is UTF-8");
      check_config(value);
    }
  } catch (const lffn::Error& error) {
    require(error.status() == LFFN_ERROR_BAD_MODEL, "a bad file is a bad model");
    require(lffn::valid_utf8_length(error.what()) == std::strlen(error.what()), "a message is UTF-8");
  }
  return 0;
}
