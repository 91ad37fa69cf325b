// SPDX-License-Identifier: Apache-2.0
// safetensors files: a reader that accepts nothing it did not check, and a writer that never leaves half a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/bytes.h"

// Files hold little-endian numbers, which are read and written as they lie in memory.
#ifndef LFFN_BYTE_ORDER  // a test says otherwise
#define LFFN_BYTE_ORDER __BYTE_ORDER__
#endif
static_assert(LFFN_BYTE_ORDER == __ORDER_LITTLE_ENDIAN__,
              "liblookupffn needs a little-endian machine: its files would be read wrongly on this one");

namespace lffn {

class LoadProgress;

enum class DType { kF32, kF16, kBF16, kI8, kU8, kI32, kI64, kF64, kU32, kU64, kI16, kU16, kBool };

size_t dtype_size(DType dtype);
const char* dtype_name(DType dtype);  // as in the files: "F32"

// A tensor inside somebody else's bytes: in memory, of any alignment, or in a file that is read in pieces.
struct TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  const uint8_t* data = nullptr;  // nullptr: in `source`
  size_t size = 0;                // bytes
  const Bytes* source = nullptr;
  size_t source_byte = 0;  // where in it

  std::string shape_text() const;  // "[128,256,512]"
  // Copies `count` bytes from byte `first` of the data on.
  void read(size_t first, size_t count, void* to) const;
  // Whether the data can be used where it lies; then the data, see Bytes, else nullptr.
  bool can_map() const { return data == nullptr && size > 0 && source->can_map(); }
  std::shared_ptr<const uint8_t> map() const { return can_map() ? source->map(source_byte, size) : nullptr; }
};

// A view of numbers in memory, as many as the shape says.
TensorView view_of(std::string name, DType dtype, std::vector<int64_t> shape, const void* data);

struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::vector<TensorView> tensors;  // in the order of their data

  const TensorView* find(std::string_view name) const;  // nullptr if there is none
};

// Parses the bytes of a whole file. The views point into `data`. Throws Error(LFFN_ERROR_BAD_MODEL).
Safetensors parse_safetensors(const void* data, size_t size);

// The same without reading more than the header. The views read from `file`, which must outlive them.
Safetensors parse_safetensors(const Bytes& file);

// Writes a file with each tensor's data aligned to 64 bytes: aside, synced, then renamed over `path`. Throws
// Error(LFFN_ERROR_IO); the old file is unchanged then.
void write_safetensors(const std::string& path, const std::map<std::string, std::string>& metadata,
                       const std::vector<TensorView>& tensors, LoadProgress* progress = nullptr);

}  // namespace lffn
