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

FileBytes::FileBytes(const std::string& path, bool map) {
  const InputFile file(path);
  size_ = file.size();
  if (map) {
    if (size_ > 0) mapped_ = file.map(size_);
    return;
  }
  memory_ = Memory(size_);
  uint8_t beyond;
  if (file.read(0, memory_.data(), size_) != size_ || file.read(size_, &beyond, 1) != 0) fail_size_changed(path);
}

FileBytes::~FileBytes() {
  if (mapped_ != nullptr) InputFile::unmap(mapped_, size_);
}

void FileBytes::read(size_t first, size_t count, void* to) const {
  if (count > 0) std::memcpy(to, static_cast<const uint8_t*>(data()) + first, count);
}

FileReader::FileReader(const std::string& path) : path_(path), file_(path), size_(file_.size()) {
  for (Window& window : windows_) window.memory = Memory(std::min(size_, kWindowBytes));
}

// The window that holds this byte, filled from it on unless it did already.
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
