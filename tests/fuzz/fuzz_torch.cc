// SPDX-License-Identifier: Apache-2.0
// The bytes as a file of PyTorch's if they begin as a zip does, else as the pickle of such a file.
#include <cstdint>
#include <cstring>
#include <string>

#include "format/torch_file.h"
#include "format/utf8.h"
#include "runtime/error.h"
#include "tests/fuzz/require.h"
#include "tests/support/torch_maker.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// A zip with this pickle, and two storages for its tensors.
std::string file_around(const std::string& pickle) {
  const std::string numbers(256, '\1');
  return torch_maker::zip_of({{"a/data.pkl", pickle}, {"a/data/0", numbers}, {"a/data/1", numbers}});
}

void look_at(const lffn::Safetensors& content, size_t file_size) {
  for (const lffn::TensorView& tensor : content.tensors) {
    size_t bytes = lffn::dtype_size(tensor.dtype);
    for (const int64_t n : tensor.shape) bytes *= static_cast<size_t>(n);
    require(bytes == tensor.size, "a shape says how many bytes there are");
    require(tensor.source_byte + tensor.size <= file_size, "a tensor lies in the file");
    require(lffn::valid_utf8_length(tensor.name) == tensor.name.size(), "a name is UTF-8");
    require(content.find(tensor.name) != nullptr, "a tensor is found by its name");
    std::string read(tensor.size, '\0');
    tensor.read(0, read.size(), read.data());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  if (file.compare(0, 2, "PK") != 0) file = file_around(file);
  const lffn::BorrowedBytes bytes(file.data(), file.size());
  try {
    look_at(lffn::parse_torch_file(bytes), file.size());
  } catch (const lffn::Error& error) {
    require(error.status() == LFFN_ERROR_BAD_MODEL || error.status() == LFFN_ERROR_UNSUPPORTED, "the file is blamed");
    require(lffn::valid_utf8_length(error.what()) == std::strlen(error.what()), "a message is UTF-8");
  }
  return 0;
}
