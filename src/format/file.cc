// SPDX-License-Identifier: Apache-2.0
#include "format/file.h"

#include <algorithm>
#include <cstring>

#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kWindowBytes = size_t{1} << 18;

[[noreturn]] void fail_size_changed(const std::string& path) {
  fail(LFFN_ERROR_IO, "cannot read %s: its size changed meanwhile", quoted_path(path).c_str());
}

}  // namespace

FileBytes::FileBytes(const std::string& path) {
  const InputFile file(path);
  const size_t size = file.size();
  memory_ = Memory(size);
  uint8_t beyond;
  if (file.read(0, memory_.data(), size) != size || file.read(size, &beyond, 1) != 0) fail_size_changed(path);
}

void FileBytes::read(size_t first, size_t count, void* to) const {
  if (count > 0) std::memcpy(to, memory_.as<uint8_t>() + first, count);
}

FileReader::FileReader(const std::string& path, bool maps)
    : path_(path), file_(path), size_(file_.size()), maps_(maps) {
  for (Window& window : windows_) window.memory = Memory(std::min(size_, kWindowBytes));
}

std::shared_ptr<const unsigned char> FileReader::map(size_t first, size_t count) const {
  if (!maps_) return nullptr;
  const size_t before = first % kMapUnit, size = before + count;
  const void* mapped = file_.map(first - before, size);
  const std::shared_ptr<const void> whole(mapped, [size](const void* start) { InputFile::unmap(start, size); });
  return {whole, static_cast<const unsigned char*>(mapped) + before};
}

// The window that holds this byte. If none does, the least recently used one is filled from this byte on.
FileReader::Window& FileReader::window_at(size_t first) const {
  Window* oldest = windows_;
  for (Window& window : windows_) {
    if (first - window.first < window.size) return window;
    if (window.last_use < oldest->last_use) oldest = &window;
  }
  oldest->size = 0;
  const size_t wanted = std::min(oldest->memory.size(), size_ - first);
  if (file_.read(first, oldest->memory.data(), wanted) != wanted) fail_size_changed(path_);
  oldest->first = first;
  oldest->size = wanted;
  return *oldest;
}

void FileReader::read(size_t first, size_t count, void* to) const {
  auto* out = static_cast<uint8_t*>(to);
  if (count > kWindowBytes) {
    if (file_.read(first, out, count) != count) fail_size_changed(path_);
    return;
  }
  while (count > 0) {
    Window& window = window_at(first);
    window.last_use = ++uses_;
    const size_t n = std::min(count, window.first + window.size - first);
    std::memcpy(out, window.memory.as<uint8_t>() + (first - window.first), n);
    first += n;
    out += n;
    count -= n;
  }
}

}  // namespace lffn
