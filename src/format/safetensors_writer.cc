// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "format/file.h"
#include "format/json.h"
#include "format/load_progress.h"
#include "format/safetensors.h"
#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kAlignment = 64;

// The largest power of two, up to 64, that divides the tensor's bytes.
size_t alignment_after(const TensorView& tensor) {
  const size_t low_bit = tensor.size & (~tensor.size + 1);
  return low_bit == 0 ? kAlignment : std::min(low_bit, kAlignment);
}

// The format has no room for padding between tensors. So tensors whose sizes are multiples of 64 come first, then
// multiples of 32 and so on. Each begins at a multiple of 64 if the sizes of all before it are multiples of 64, and
// always at a multiple of its own element size.
std::vector<const TensorView*> in_file_order(const std::vector<TensorView>& tensors) {
  std::vector<const TensorView*> order;
  order.reserve(tensors.size());
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    const size_t first = alignment_after(*a);
    const size_t second = alignment_after(*b);
    return first != second ? first > second : a < b;  // the caller's order among equals
  });
  return order;
}

std::string header_text(const std::map<std::string, std::string>& metadata,
                        const std::vector<const TensorView*>& tensors) {
  std::string text = "{";
  if (!metadata.empty()) {
    text += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      if (text.back() != '{') text += ',';
      append_json_string(text, key);
      text += ':';
      append_json_string(text, value);
    }
    text += '}';
  }
  size_t offset = 0;
  for (const TensorView* tensor : tensors) {
    if (text.size() > 1) text += ',';
    append_json_string(text, tensor->name);
    text += ":{\"dtype\":\"";
    text += dtype_name(tensor->dtype);
    text += "\",\"shape\":" + tensor->shape_text() + ",\"data_offsets\":[" + std::to_string(offset) + ',';
    offset += tensor->size;
    text += std::to_string(offset) + "]}";
  }
  text += '}';
  const size_t beyond = (sizeof(uint64_t) + text.size()) % kAlignment;
  if (beyond != 0) text.append(kAlignment - beyond, ' ');
  return text;
}

}  // namespace

void write_safetensors(const std::string& path, const std::map<std::string, std::string>& metadata,
                       const std::vector<TensorView>& tensors, LoadProgress* progress) {
  const std::vector<const TensorView*> order = in_file_order(tensors);
  const std::string header = header_text(metadata, order);
  uint8_t prefix[sizeof(uint64_t)];
  for (size_t i = 0; i < sizeof(prefix); ++i) prefix[i] = static_cast<uint8_t>(uint64_t{header.size()} >> (8 * i));

  NewFile file(path);
  file.write(prefix, sizeof(prefix));
  file.write(header.data(), header.size());
  for (const TensorView* tensor : order) {
    if (progress != nullptr) progress->expect(tensor->size);
  }
  constexpr size_t kPieceBytes = size_t{1} << 20;
  std::vector<uint8_t> read;  // of a tensor that is not in memory as files have it
  for (const TensorView* tensor : order) {
    for (size_t done = 0; done < tensor->size;) {
      const size_t piece = std::min(kPieceBytes, tensor->size - done);
      if (progress != nullptr) progress->advance(piece);
      if (tensor->data == nullptr) {
        read.resize(std::max(read.size(), piece));
        tensor->read(done, piece, read.data());
      }
      file.write(tensor->data == nullptr ? read.data() : tensor->data + done, piece);
      done += piece;
    }
  }
  file.commit();
}

}  // namespace lffn
