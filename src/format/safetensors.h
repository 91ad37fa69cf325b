// safetensors files: a reader that accepts nothing it did not check, and a writer that never leaves half a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lffn {

enum class DType { kF32, kF16, kBF16, kI8, kU8, kI32, kI64, kF64, kU32, kU64, kI16, kU16, kBool };

size_t dtype_size(DType dtype);
const char* dtype_name(DType dtype);  // as in the files: "F32"

// A tensor inside somebody else's bytes. The data may have any alignment.
struct TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  const uint8_t* data = nullptr;
  size_t size = 0;  // bytes

  std::string shape_text() const;  // "[128,256,512]"
};

struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::vector<TensorView> tensors;  // in the order of their data

  const TensorView* find(std::string_view name) const;  // nullptr if there is none
};

// Parses the bytes of a whole file. The views point into `data`. Throws Error(LFFN_ERROR_BAD_MODEL).
Safetensors parse_safetensors(const void* data, size_t size);

// Writes a file with each tensor's data aligned to 64 bytes: aside, synced, then renamed over `path`. Throws
// Error(LFFN_ERROR_IO); the old file then is as it was.
void write_safetensors(const std::string& path, const std::map<std::string, std::string>& metadata,
                       const std::vector<TensorView>& tensors);

// A whole file in memory: read, or mapped when the caller asked for it. Throws Error(LFFN_ERROR_IO).
class FileBytes {
 public:
  FileBytes(const std::string& path, bool map);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  const void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false;
};

}  // namespace lffn
