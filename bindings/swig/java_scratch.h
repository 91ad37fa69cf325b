// SPDX-License-Identifier: Apache-2.0
// Memory for copies of Java arrays.
#ifndef LOOKUPFFN_BINDINGS_JAVA_SCRATCH_H
#define LOOKUPFFN_BINDINGS_JAVA_SCRATCH_H

#include <cstddef>
#include <cstdlib>

constexpr size_t kAlignment = 64;
// What a thread keeps between calls, so that small calls allocate nothing.
constexpr size_t kKeptBytes = size_t{1} << 20;

inline size_t padded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

struct Kept {
  void* memory = nullptr;
  size_t size = 0;
  ~Kept() { std::free(memory); }
};
inline thread_local Kept kept;

// Aligned memory for the length of one call.
class Scratch {
 public:
  explicit Scratch(size_t bytes) {
    if (bytes > kKeptBytes) {
      memory_ = own_ = std::aligned_alloc(kAlignment, padded(bytes));
      return;
    }
    if (kept.size < bytes) {
      std::free(kept.memory);
      kept.memory = std::aligned_alloc(kAlignment, padded(bytes));
      kept.size = kept.memory == nullptr ? 0 : padded(bytes);
    }
    memory_ = kept.memory;
  }
  ~Scratch() { std::free(own_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  char* memory() const { return static_cast<char*>(memory_); }

 private:
  void* memory_ = nullptr;
  void* own_ = nullptr;
};

#endif  // LOOKUPFFN_BINDINGS_JAVA_SCRATCH_H
