// SPDX-License-Identifier: Apache-2.0
// Memory whose end is the end of what may be read: a read beyond it ends the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace search_tests {

class Guarded {
 public:
  Guarded() = default;
  Guarded(Guarded&& other) noexcept { swap(other); }
  Guarded& operator=(Guarded&& other) noexcept {
    swap(other);
    return *this;
  }
  uint8_t* data() const { return data_; }

#if defined(__unix__) || defined(__APPLE__)
  explicit Guarded(size_t size) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t pages = (size + page - 1) / page * page;
    all_ = pages + page;
    void* const memory = mmap(nullptr, all_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<uint8_t*>(memory);
    if (mprotect(begin_ + pages, page, PROT_NONE) != 0) throw std::bad_alloc();
    data_ = begin_ + pages - size;
  }
  ~Guarded() {
    if (begin_ != nullptr) munmap(begin_, all_);
  }

 private:
  void swap(Guarded& other) {
    std::swap(data_, other.data_);
    std::swap(begin_, other.begin_);
    std::swap(all_, other.all_);
  }
  uint8_t* data_ = nullptr;
  uint8_t* begin_ = nullptr;
  size_t all_ = 0;
#else
  explicit Guarded(size_t size) : bytes_(size), data_(bytes_.data()) {}

 private:
  void swap(Guarded& other) {
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
  }
  std::vector<uint8_t> bytes_;
  uint8_t* data_ = nullptr;
#endif
};

}  // namespace search_tests
